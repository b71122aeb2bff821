#include "serval/formats/lines/line_cursor.h"

#include <algorithm>

#include <fmt/format.h>

#include "serval/formats/characters.h"

namespace serval {
namespace {

constexpr std::size_t kShown = 100;  // Bytes of a line shown in an error.

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Keeps one byte per byte of the file, so that a caret below it lines up.
std::string printable(std::string_view text) {
  std::string shown(text);
  std::ranges::replace(shown, '\t', ' ');
  std::ranges::replace_if(shown, is_control, '?');
  return shown;
}

std::string spelled(char c) {
  return is_control(c) || !is_ascii(c) ? fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c))
                                       : fmt::format("'{}'", c);
}

std::string_view without_terminator(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void fail_in_line(const LinePlace& place, std::string_view line, std::size_t column,
                  const std::string& problem, const std::string& hint) {
  line = without_terminator(line);
  const std::size_t first =
      line.size() <= kShown ? 0 : std::min(column - std::min(column, kShown / 2), line.size() - kShown);
  const std::string_view window = line.substr(first, kShown);
  const std::string_view before = first > 0 ? "..." : "";
  const std::string_view after = first + window.size() < line.size() ? "..." : "";
  throw InputError({place.file, place.number, column}, problem,
                   fmt::format("{}{}{}", before, printable(window), after), hint,
                   column - first + before.size());
}

LineCursor::LineCursor(LinePlace place, std::string_view line)
    : place_(place), line_(without_terminator(line)) {}

void LineCursor::skip_blanks() {
  while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
}

bool LineCursor::accept(std::string_view text) {
  if (!starts_with(text)) return false;
  at_ += text.size();
  return true;
}

void LineCursor::expect(char wanted, std::string_view where) {
  if (!accept({&wanted, 1})) fail(fmt::format("expected '{}' {}", wanted, where));
}

void LineCursor::expect_end(std::string_view where) {
  skip_blanks();
  if (!at_end()) fail(fmt::format("expected the end of the line {}", where));
}

std::string_view LineCursor::word() {
  const std::size_t start = at_;
  while (at_ < line_.size() && is_word(line_[at_])) ++at_;
  return line_.substr(start, at_ - start);
}

Value LineCursor::number(ValuePool& pool, std::string_view what) {
  constexpr std::size_t kInPlace = 18;  // Digits that always fit.
  const std::size_t start = at_;
  const bool negative = peek() == '-';
  if (negative || peek() == '+') ++at_;
  const std::size_t digits = at_;
  std::int64_t magnitude = 0;
  for (; at_ < line_.size() && is_digit(line_[at_]); ++at_)
    if (at_ - digits < kInPlace) magnitude = magnitude * 10 + (line_[at_] - '0');
  if (at_ == digits) fail(fmt::format("expected {}, an integer", what));
  if (at_ - digits <= kInPlace) return Value::integer(negative ? -magnitude : magnitude);
  return pool.number(line_.substr(start, at_ - start));
}

void LineCursor::fail(const std::string& problem, const std::string& hint) const {
  const std::string got = at_end() ? "the end of the line" : spelled(line_[at_]);
  fail_in_line(place_, line_, column(), problem + ", but got " + got, hint);
}

}  // namespace serval
