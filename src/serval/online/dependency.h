#pragma once
// Dependencies between transactions, which the mechanisms report to the certifier.

#include <cstddef>
#include <cstdint>

namespace serval::online {

enum class Dependency : std::uint8_t { WriteWrite, WriteRead, ReadWrite, Session };
constexpr std::size_t kDependencyCount = 4;

// The number of a committed transaction in the graph. Later commits have larger numbers.
struct Participant {
  std::uint64_t number = 0;
  bool is_none() const { return number == 0; }
  friend bool operator==(const Participant&, const Participant&) = default;
};

}  // namespace serval::online
