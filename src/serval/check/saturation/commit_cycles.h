#pragma once
// Turns the conclusions of a weak level's axiom into the anomalies to report: a shortest cycle for each
// strongly connected component, with the reason for every step.

#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/check/saturation/forced_order.h"
#include "serval/evidence/verdict.h"
#include "serval/graph/csr_graph.h"

namespace serval {

// One anomaly for each cyclic component of `graph`, whose edges are session order (where the level uses it),
// dependencies, and the conclusions of the level's axiom.
std::vector<Anomaly> find_commit_cycles(const History& history, const Relations& relations, Level level,
                                        const CsrGraph& graph, Budget& budget);

// One for each pair of a reader and a transaction whose write it missed, up to a fixed number.
std::vector<Anomaly> explain_stale_reads(const History& history, const Relations& relations, Level level,
                                         std::span<const StaleInitialRead> stale, Budget& budget);

// The most specific name for a cycle that may have CommitOrder edges.
AnomalyKind name_commit_cycle(const Cycle& cycle);

}  // namespace serval
