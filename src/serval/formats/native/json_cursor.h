#pragma once
// Reads one line of JSON from left to right, without building a tree. Hand-written because the native
// line format needs what parsers hide: the exact digits of numbers of any size, the column of an error,
// and whether a line is wrong or merely truncated.
//
//   JsonCursor at(line.data(), line.data() + line.size());     // *end must be '\n': it stops every loop
//   at.expect('{', "a record");
//   if (!at.accept('}')) do { const std::string_view name = at.member_name(); ... } while (at.more('}'));
//
// Views point into the line, or into scratch space that the next string overwrites. Text is not
// validated as UTF-8; its bytes are passed on. About 1 ns per byte.

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "serval/formats/characters.h"
#include "serval/formats/plain_digits.h"

namespace serval {

// An error at a position in the line. `cut`: the line ended too early, so it may merely be truncated.
struct JsonFailure {
  const char* at;
  std::string expected;
  bool cut;
};

class JsonCursor {
 public:
  static constexpr int kMaxDepth = 1000;  // Of nested arrays and objects; protects the stack.

  JsonCursor(const char* begin, const char* end) : begin_(begin), at_(begin), end_(end) {}

  const char* position() const noexcept { return at_; }
  void move_to(const char* position) noexcept { at_ = position; }
  std::size_t column() const noexcept { return static_cast<std::size_t>(at_ - begin_) + 1; }
  bool at_end() {
    skip_space();
    return at_ == end_;
  }
  char peek() {
    skip_space();
    return *at_;
  }
  bool accept(char wanted) {
    if (*at_ != wanted && peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted, const char* what) {
    if (!accept(wanted)) fail(what);
  }
  // After an element: true if another one follows, false if `close` ends the array or object.
  bool more(char close) {
    if (accept(',')) return true;
    if (!accept(close)) fail(close == '}' ? "',' or '}'" : "',' or ']'");
    return false;
  }
  std::string_view member_name() {
    const std::string_view name = string("a member name in quotes");
    expect(':', "':' after the member name");
    return name;
  }

  std::string_view string(const char* what) {
    expect('"', what);
    const char* start = at_;
    while (!kStopsString[static_cast<unsigned char>(*at_)]) ++at_;
    if (*at_ != '"') return escaped_string(start);
    return {start, static_cast<std::size_t>(at_++ - start)};
  }
  // The text of a number.
  std::string_view number(const char* what) {
    skip_space();
    const char* start = at_;
    if (*at_ == '-') ++at_;
    if (*at_ == '0' && is_digit(at_[1])) fail_at(at_ + 1, "no digit after a leading zero");
    digits(what);
    if (*at_ == '.') {
      ++at_;
      digits("a digit after the decimal point");
    }
    if (*at_ == 'e' || *at_ == 'E') {
      ++at_;
      if (*at_ == '+' || *at_ == '-') ++at_;
      digits("a digit of the exponent");
    }
    return {start, static_cast<std::size_t>(at_ - start)};
  }
  // Reads an integer of at most 64 bits. Moves only if there is one.
  bool whole_number(std::int64_t& out) {
    skip_space();
    const char* at = at_;
    const bool negative = *at == '-';
    if (negative) ++at;
    const char* const first = at;
    std::uint64_t number = 0;
    if (end_ - at >= 16) {
      const PlainDigits digits = read_plain_digits(at);
      number = digits.value;
      at += digits.length;
    }
    while (is_digit(*at) && at - first < 19) number = number * 10 + static_cast<std::uint64_t>(*at++ - '0');
    const bool ends_here = at != first && !is_digit(*at) && *at != '.' && (*at | 0x20) != 'e';
    if (!ends_here || number > kLargest || (*first == '0' && at - first > 1)) return false;
    at_ = at;
    out = negative ? -static_cast<std::int64_t>(number) : static_cast<std::int64_t>(number);
    return true;
  }
  // Reads a string of just this letter, which must not need an escape.
  bool accept_quoted(char letter) {
    if (at_[0] != '"' || at_[1] != letter || at_[2] != '"') return false;
    at_ += 3;
    return true;
  }
  // The same for a word.
  bool accept_word(std::string_view word) {
    skip_space();
    if (*at_ != '"' || static_cast<std::size_t>(end_ - at_) < word.size() + 2) return false;
    if (std::string_view(at_ + 1, word.size()) != word || at_[word.size() + 1] != '"') return false;
    at_ += word.size() + 2;
    return true;
  }
  void literal(std::string_view word, const char* what) {
    for (const char c : word) {
      if (*at_ != c) fail(what);
      ++at_;
    }
  }
  // Skips a value of any kind; returns its text.
  std::string_view skip_value() { return skip_value(0); }

  [[noreturn]] void fail(const char* expected) { fail_at(at_, expected); }
  [[noreturn]] void fail_at(const char* at, const char* expected) {
    throw JsonFailure{at, expected, at == end_};
  }

 private:
  static constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  // A quote, a backslash or a control character; the line's '\n' is one.
  static constexpr auto kStopsString = [] {
    std::array<bool, 256> stops{};
    for (std::size_t c = 0; c < 0x20; ++c) stops[c] = true;
    stops['"'] = stops['\\'] = true;
    return stops;
  }();

  void skip_space() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
  }
  void digits(const char* what) {
    if (!is_digit(*at_)) fail(what);
    while (is_digit(*at_)) ++at_;
  }
  std::string_view escaped_string(const char* start);
  std::string_view skip_value(int depth);
  void skip_members(char close, int depth);

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string scratch_;
};

}  // namespace serval
