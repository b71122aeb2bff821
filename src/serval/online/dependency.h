#pragma once
// Who must precede whom, as the mechanisms tell the certifier.

#include <cstddef>
#include <cstdint>

namespace serval::online {

enum class Dependency : std::uint8_t { WriteWrite, WriteRead, ReadWrite, Session };
constexpr std::size_t kDependencyCount = 4;

// A committed transaction in the graph, by its number there: later commits have larger ones.
struct Participant {
  std::uint64_t number = 0;
  bool is_none() const { return number == 0; }
  friend bool operator==(const Participant&, const Participant&) = default;
};

}  // namespace serval::online
