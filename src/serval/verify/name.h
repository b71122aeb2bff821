#pragma once
// Whether the name of a cycle is correct, from its edges alone and by the definitions of
// docs/anomalies.md; independent of the code that assigns the names.

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

// How the anti-dependencies of a cycle are placed.
enum class AntiDependencies : std::uint8_t { None, One, NonAdjacent, Adjacent };
[[nodiscard]] AntiDependencies anti_dependencies(const Cycle& cycle);
[[nodiscard]] std::size_t count_edges(const Cycle& cycle, EdgeKind kind);

// With one anti-dependency: whether the preceding transaction in the cycle was visible to its reader
// through an earlier read.
[[nodiscard]] bool reads_go_back(const Cycle& cycle);

[[nodiscard]] Flaw flaw_of_name(AnomalyKind kind, const Cycle& cycle);

}  // namespace serval::verify
