#pragma once
// Splits a text file into blocks of whole lines, for readers that parse bytes. A block lies in the
// stream's own chunk if possible; only a line that crosses two chunks is copied. A file without newlines
// costs linear time and one copy.
//
//   LineBlocks blocks(stream, options);
//   for (std::string_view block = blocks.next(); !block.empty(); block = blocks.next()) ...
//
// B1  every block ends with '\n'; one is added to a last line that has none, and last_line_was_cut() says so;
// B2  a UTF-8 byte order mark at the start of the file is skipped.
//
// Polls the budget and reports the progress once per block.

#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

class LineBlocks {
 public:
  LineBlocks(ByteStream& stream, const ReadOptions& options);

  // The next lines, valid until the next call; empty at the end of the file.
  std::string_view next();
  // True after the block with an unterminated last line was returned.
  bool last_line_was_cut() const noexcept { return last_line_was_cut_; }
  const std::string& name() const noexcept { return stream_.name(); }

 private:
  bool refill();
  std::string_view hand_out_carry();

  ByteStream& stream_;
  const ReadOptions& options_;
  std::string_view pending_;  // The rest of the stream's current chunk.
  std::string carry_;         // The start of a line that continues in the next chunk.
  bool carry_handed_out_ = false;
  bool last_line_was_cut_ = false;
};

}  // namespace serval
