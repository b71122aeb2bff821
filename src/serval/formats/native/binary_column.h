#pragma once
// Reads one column of a chunk of the native binary format. Every read is checked against the end of the
// column, because a chunk with a valid checksum may still be malicious.

#include <cstdint>
#include <string_view>

#include "serval/formats/native/native_binary_layout.h"

namespace serval::binary {

// The column is invalid; the reader adds the position.
struct BadColumn {
  const char* problem;
};

class ColumnCursor {
 public:
  ColumnCursor() = default;
  explicit ColumnCursor(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool at_end() const noexcept { return at_ == end_; }
  std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  std::string_view rest() const noexcept { return {at_, left()}; }

  std::uint8_t byte() {
    if (at_ == end_) throw BadColumn{"a column ends too early"};
    return static_cast<std::uint8_t>(*at_++);
  }
  std::uint64_t varint() {
    std::uint64_t number = byte();
    if (number < 0x80) return number;
    number &= 0x7F;
    for (unsigned shift = 7; shift < 64; shift += 7) {
      const std::uint64_t next = byte();
      number |= (next & 0x7F) << shift;
      if (next < 0x80) {
        if (shift == 63 && next > 1) break;
        return number;
      }
    }
    throw BadColumn{"a number has more than 64 bits"};
  }
  std::int64_t zigzag() { return static_cast<std::int64_t>(unzigzag(varint())); }
  // An index or a count below `bound`.
  std::uint64_t below(std::uint64_t bound, const char* problem) {
    const std::uint64_t number = varint();
    if (number >= bound) throw BadColumn{problem};
    return number;
  }
  std::string_view text() { return bytes(varint()); }
  std::string_view bytes(std::uint64_t size) {
    if (size > left()) throw BadColumn{"a text is longer than its column"};
    const std::string_view found(at_, static_cast<std::size_t>(size));
    at_ += size;
    return found;
  }
  // A count of items of at least one byte each, which bounds allocations.
  std::size_t count() {
    const std::uint64_t number = varint();
    if (number > left()) throw BadColumn{"a count is larger than its column"};
    return static_cast<std::size_t>(number);
  }

 private:
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace serval::binary
