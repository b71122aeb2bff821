#pragma once
// Does a cycle deserve its name? Counted from its edges alone, by the definitions of docs/anomalies.md; the
// code that gives the names is not asked.

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

// Where the anti-dependencies of a cycle stand.
enum class AntiDependencies : std::uint8_t { None, One, NonAdjacent, Adjacent };
[[nodiscard]] AntiDependencies anti_dependencies(const Cycle& cycle);
[[nodiscard]] std::size_t count_edges(const Cycle& cycle, EdgeKind kind);

// With one anti-dependency: its reader had, by an earlier read, seen the transaction before it in the cycle.
[[nodiscard]] bool reads_go_back(const Cycle& cycle);

[[nodiscard]] Flaw flaw_of_name(AnomalyKind kind, const Cycle& cycle);

}  // namespace serval::verify
