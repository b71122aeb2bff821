#pragma once
// Reads a binary file sequentially, in pieces of known size, with offsets for errors.
//
//   ByteReader bytes(stream, options);
//   while (!bytes.at_end()) use(load_little_endian(bytes.take(8, "a key")));
//
// Throws InputError "at byte 123: the file ends inside a key". Memory: one chunk and one piece. Polls the
// budget and reports the progress once per chunk.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "serval/formats/format.h"

namespace serval {

class ByteReader {
 public:
  ByteReader(ByteStream& stream, const ReadOptions& options) : stream_(stream), options_(options) {}

  const std::string& name() const noexcept { return stream_.name(); }
  // Offset of the next byte.
  std::uint64_t position() const noexcept { return position_; }
  // Whether that many bytes follow.
  bool has(std::size_t size) { return size <= ahead_.size() || fill(size); }
  bool at_end() { return !has(1); }
  // The first of `size` bytes, valid until the next call. `what` completes "the file ends inside ...".
  const char* take(std::size_t size, std::string_view what);
  [[noreturn]] void fail(std::uint64_t offset, const std::string& problem, std::string hint = {}) const;

 private:
  bool fill(std::size_t size);

  ByteStream& stream_;
  const ReadOptions& options_;
  std::string_view ahead_;  // The rest of the stream's chunk, or of joined_.
  std::string joined_;      // A piece that crosses chunks, and what follows it.
  std::uint64_t position_ = 0;
};

}  // namespace serval
