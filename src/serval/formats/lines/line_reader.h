#pragma once
// Reads a text file line by line, with 64-bit line numbers. Built on LineBlocks: no copy unless a line
// crosses two chunks; lines of any length; "\n" and "\r\n"; skips a byte order mark.
//
//   LineReader lines(stream, options);
//   while (lines.next()) parse(lines.cursor());

#include <cstdint>
#include <string_view>

#include "serval/formats/lines/line_blocks.h"
#include "serval/formats/lines/line_cursor.h"

namespace serval {

class LineReader {
 public:
  LineReader(ByteStream& stream, const ReadOptions& options) : blocks_(stream, options) {}

  // Moves to the next line; false at the end of the file.
  bool next() {
    if (rest_.empty()) rest_ = blocks_.next();
    if (rest_.empty()) return false;
    const std::size_t newline = rest_.find('\n');
    line_ = rest_.substr(0, newline);
    rest_.remove_prefix(newline + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
  }
  // The same, but leaves out a last line that was cut off, if `options` accept that. Notices it.
  bool next_whole(const ReadOptions& options) {
    if (!next()) return false;
    if (!line_was_cut() || !options.accept_truncated) return true;
    if (options.on_notice) options.on_notice("1 line cut off at the end was left out");
    return false;
  }
  // Without its terminator; valid until next().
  std::string_view line() const noexcept { return line_; }
  LinePlace place() const noexcept { return {blocks_.name(), number_}; }
  LineCursor cursor() const { return {place(), line_}; }
  // True for a last line without a newline: the file may have been cut off inside it.
  bool line_was_cut() const noexcept { return rest_.empty() && blocks_.last_line_was_cut(); }
  // For formats in which such a line may still parse and mean something else: "w 1 7" of "w 1 70".
  void notice_cut(const ReadOptions& options) const {
    if (line_was_cut() && options.on_notice)
      options.on_notice("the last line does not end in a newline: it may have been cut off");
  }

 private:
  LineBlocks blocks_;
  std::string_view rest_;  // Of the current block.
  std::string_view line_;
  std::uint64_t number_ = 0;
};

}  // namespace serval
