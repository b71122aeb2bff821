#pragma once
// Writes and reads chunks of the native binary format.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serval/base/byte_stream.h"
#include "serval/formats/native/native_binary_layout.h"

namespace serval::binary {

// Returns the header and the packed bytes. Throws OutputError above kMaxChunk.
std::string seal_chunk(ChunkKind kind, std::string_view plain, Packing wanted);

// The plain bytes of a footer.
std::string footer_of(const std::vector<IndexEntry>& index, const IndexTotals& totals);

struct Chunk {
  std::uint64_t offset = 0;  // Of its header in the file.
  std::uint64_t size = 0;    // Header and stored bytes.
  std::uint8_t kind = 0;     // A ChunkKind, or one of a later version.
  std::string_view plain;    // Valid until the next chunk is read.
};

// Reads forward from a ByteStream, holding one chunk.
class ChunkSource {
 public:
  explicit ChunkSource(ByteStream& stream);
  ~ChunkSource();
  ChunkSource(const ChunkSource&) = delete;
  ChunkSource& operator=(const ChunkSource&) = delete;

  // Throws InputError if the format version is not supported.
  void read_file_header();
  // None at the end of the file; problem() is not empty if the end is not proper. Throws InputError for a
  // damaged chunk that is not the last.
  std::optional<Chunk> next();
  // Call it after the footer chunk at `footer_offset`. False if it is cut off.
  bool read_trailer(std::uint64_t footer_offset);

  // Why the last chunk could not be read: empty, or "cut off at byte 123".
  const std::string& problem() const noexcept { return problem_; }
  [[noreturn]] void fail(std::uint64_t offset, const std::string& problem) const;

 private:
  bool fill(std::uint64_t size);  // Whether that many bytes are available at position_.
  void consume(std::size_t size);
  std::string_view ahead() const noexcept { return std::string_view(buffer_).substr(used_); }
  bool only_zeros_follow();
  std::string_view unpack(std::string_view header, std::string_view stored);

  ByteStream& stream_;
  std::string buffer_;  // Bytes read; those before used_ are consumed.
  std::size_t used_ = 0;
  std::uint64_t position_ = 0;  // In the file, of the first unused byte.
  std::string plain_;
  std::string problem_;
  struct Unpacker;
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace serval::binary
