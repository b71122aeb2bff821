#pragma once
// The records of a Cobra log: tags, sizes and special ids.

#include <cstddef>
#include <cstdint>

namespace serval::cobra {

// For transactions and writes. A read of either sees the initial version: a loaded one, or none.
inline constexpr std::int64_t kInitial = 0xbebeebee;
inline constexpr std::int64_t kNull = 0xdeadbeef;
// For writes: marks of Cobra's garbage collection, written before the first transaction.
inline constexpr std::int64_t kCollectedTrue = 0x23332333;
inline constexpr std::int64_t kCollectedFalse = 0x66666666;

constexpr bool is_before_all(std::int64_t id) { return id == kInitial || id == kNull; }
constexpr bool is_mark(std::int64_t id) { return id == kCollectedTrue || id == kCollectedFalse; }
constexpr bool is_reserved(std::int64_t id) { return is_before_all(id) || is_mark(id); }

enum class Times { Absent, Present };

// Number of bytes after a tag; 0 for an invalid tag.
constexpr std::size_t size_after(char tag, Times times) {
  const std::size_t time = times == Times::Present ? 8 : 0;
  switch (tag) {
    case 'S':
    case 'C':
      return 8 + time;
    case 'W':
      return 24;
    case 'R':
      return 32;
    default:
      return 0;
  }
}

}  // namespace serval::cobra
