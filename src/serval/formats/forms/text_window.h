#pragma once
// A sliding window over a ByteStream, for formats whose elements are not lines. A parser reads one
// element from begin(); if the window ends inside the element, it refills the window and starts the
// element again. Memory: one element and one chunk.
//
//   TextWindow window(stream, options);
//   const char* after = parse(window.begin(), window.end());   // *window.end() == '\0', a sentinel
//   window.consume_to(after);
//   if (!window.refill()) ...                                  // the stream has ended

#include <cstdint>
#include <string>
#include <utility>

#include "serval/base/byte_stream.h"
#include "serval/base/error.h"
#include "serval/formats/format.h"

namespace serval {

class TextWindow {
 public:
  TextWindow(ByteStream& stream, const ReadOptions& options);

  const char* begin() const noexcept { return text_.data() + consumed_; }
  const char* end() const noexcept { return text_.data() + text_.size(); }
  // Consumes everything before `at`; errors can still point at it until the next refill.
  void consume_to(const char* at) { consumed_ = static_cast<std::size_t>(at - text_.data()); }
  // Appends bytes after end(), if available as many as are still unconsumed, and invalidates pointers.
  // False at the end of the stream, where nothing moves. Amortised O(1) per byte. Reports progress.
  bool refill();

  // The share of the file that was read, 0 to 1; 0 if its size is unknown.
  double share_of_file() const;

  // Line and column of a byte of the window. O(window): for errors and notices.
  SourcePosition position(const char* at) const;
  // The line of `at`, which must not precede that of the last call. All calls together are O(file).
  std::uint64_t line_of(const char* at);
  // An error at `at` with its line, shortened around the column if it is long.
  InputError error(const char* at, const std::string& problem, std::string hint = {}) const;

 private:
  std::pair<std::string, std::uint64_t> line_around(const char* at) const;
  void drop_consumed();

  ByteStream& stream_;
  const ReadOptions& options_;
  std::string text_;
  std::size_t consumed_ = 0;
  std::uint64_t lines_before_ = 0;    // Newlines before the window.
  std::uint64_t columns_before_ = 0;  // Bytes before the window in its first line.
  std::size_t counted_ = 0;           // line_of() has counted the newlines of this many bytes of the window.
  std::uint64_t counted_newlines_ = 0;
};

}  // namespace serval
