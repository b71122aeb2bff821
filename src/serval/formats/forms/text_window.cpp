#include "serval/formats/forms/text_window.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "serval/formats/characters.h"

namespace serval {
namespace {

constexpr std::size_t kShownBefore = 60;  // Bytes of a long line shown on either side of the column.
constexpr std::size_t kShownAfter = 40;
constexpr std::size_t kShownWhole = 160;  // Lines up to this long are shown whole.

// Counts in runs short enough for a one-byte counter, which compilers vectorize.
std::uint64_t count_newlines(std::string_view text) {
  constexpr std::size_t kRun = 255;
  std::uint64_t newlines = 0;
  while (!text.empty()) {
    const std::string_view run = text.substr(0, kRun);
    std::uint8_t in_run = 0;
    for (const char c : run) in_run = static_cast<std::uint8_t>(in_run + (c == '\n'));
    newlines += in_run;
    text.remove_prefix(run.size());
  }
  return newlines;
}

}  // namespace

TextWindow::TextWindow(ByteStream& stream, const ReadOptions& options) : stream_(stream), options_(options) {
  refill();
  if (std::string_view(text_).starts_with(kByteOrderMark)) consumed_ = kByteOrderMark.size();
}

void TextWindow::drop_consumed() {
  const std::string_view gone = std::string_view(text_).substr(0, consumed_);
  const std::uint64_t newlines = count_newlines(gone);
  lines_before_ += newlines;
  columns_before_ = newlines == 0 ? columns_before_ + gone.size() : gone.size() - gone.rfind('\n') - 1;
  counted_newlines_ = counted_ < consumed_ ? 0 : counted_newlines_ - newlines;
  counted_ -= std::min(counted_, consumed_);
  text_.erase(0, consumed_);
  consumed_ = 0;
}

bool TextWindow::refill() {
  std::string_view chunk = stream_.next();
  if (options_.on_progress) options_.on_progress(stream_.read_from_disk(), stream_.size_on_disk());
  if (chunk.empty()) return false;
  drop_consumed();
  const std::size_t before = text_.size();
  text_ += chunk;
  while (text_.size() < 2 * before && !(chunk = stream_.next()).empty()) text_ += chunk;
  return true;
}

double TextWindow::share_of_file() const {
  const std::uint64_t whole = stream_.size_on_disk();
  return whole == 0
             ? 0
             : std::min(1.0, static_cast<double>(stream_.read_from_disk()) / static_cast<double>(whole));
}

SourcePosition TextWindow::position(const char* at) const {
  const std::string_view before =
      std::string_view(text_).substr(0, static_cast<std::size_t>(at - text_.data()));
  const std::uint64_t newlines = count_newlines(before);
  const std::uint64_t column =
      newlines == 0 ? columns_before_ + before.size() : before.size() - before.rfind('\n') - 1;
  return {stream_.name(), lines_before_ + newlines + 1, column + 1};
}

std::uint64_t TextWindow::line_of(const char* at) {
  const auto offset = static_cast<std::size_t>(at - text_.data());
  counted_newlines_ += count_newlines(std::string_view(text_).substr(counted_, offset - counted_));
  counted_ = offset;
  return lines_before_ + counted_newlines_ + 1;
}

// The line of `at`, or the part around `at` if the line is long or began before the window, and the
// column of `at` in that text.
std::pair<std::string, std::uint64_t> TextWindow::line_around(const char* at) const {
  const std::string_view text = text_;
  const auto offset = static_cast<std::size_t>(at - text_.data());
  const std::size_t newline_before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t first = newline_before == std::string_view::npos ? 0 : newline_before + 1;
  const std::size_t last = std::min(text.find('\n', offset), text.size());
  const bool begins_here = newline_before != std::string_view::npos || columns_before_ == 0;
  const bool whole = begins_here && last - first <= kShownWhole;
  const std::size_t from = whole ? first : std::max(first, offset - std::min(offset, kShownBefore));
  const std::size_t to = whole ? last : std::min(last, offset + kShownAfter);
  std::string shown = from > first || !begins_here ? "..." : "";
  const std::uint64_t caret = shown.size() + (offset - from) + 1;
  shown += text.substr(from, to - from);
  if (to < last) shown += "...";
  return {std::move(shown), caret};
}

InputError TextWindow::error(const char* at, const std::string& problem, std::string hint) const {
  auto [line, caret] = line_around(at);
  return InputError(position(at), problem, std::move(line), std::move(hint), caret);
}

}  // namespace serval
