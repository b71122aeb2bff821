#pragma once
// Reads bytes from a file, standard input or memory and decompresses them (gzip and zstd, recognised by
// their first bytes). They are handed out in chunks, so a 10 GB file needs only a few megabytes of
// memory. Single-threaded, forward only.
//
//   ByteStream stream = ByteStream::open("history.txt.gz");     // "-" is standard input
//   std::string_view start = stream.peek(4096);                 // for format detection; consumes nothing
//   while (true) { std::string_view chunk = stream.next(); if (chunk.empty()) break; ... }
//
// Throws InputError naming the file for a missing or unreadable path, a directory, and truncated or
// damaged compressed data. A blocked read that a signal interrupts throws BudgetExhausted if the budget
// is used up.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "serval/base/budget.h"

namespace serval {

class ByteStream {
 public:
  // `budget` is checked when a signal interrupts a blocked read; it must outlive the stream.
  static ByteStream open(const std::string& path, Budget* budget = nullptr);
  static ByteStream from_memory(std::string name, std::string bytes);
  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;
  ~ByteStream();

  const std::string& name() const noexcept;

  // Up to `size` bytes from the front, without consuming them; fewer only at the end of the stream.
  std::string_view peek(std::size_t size);
  // The next bytes: at least one, or empty at the end of the stream. Valid until the next call.
  std::string_view next();
  // For progress: the size of the file on disk (0 if unknown, as for standard input), and the compressed
  // bytes read so far.
  std::uint64_t size_on_disk() const noexcept;
  std::uint64_t read_from_disk() const noexcept;

 private:
  struct State;
  explicit ByteStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace serval
