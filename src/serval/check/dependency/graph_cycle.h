#pragma once
// A cycle in a dependency graph of any shape, as dependencies between transactions. The classes of
// cycle_search.h are Adya's. This finds cycles that a graph forbids and that no class describes, as for
// prefix consistency, where an anti-dependency must follow a read dependency or a step of session order.

#include <span>
#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

// For each cyclic component of a dependency graph of that shape, whose edges `explain` explains, a
// shortest cycle, within a fixed effort.
std::vector<Anomaly> cycles_of_graph(const History& history, const ExplainEdge& explain, GraphShape shape,
                                     const CsrGraph& graph, Budget& budget);

// The shortest cycle through members of one cyclic component that a fixed effort finds; there is always
// one. The first vertex is repeated at the end.
std::vector<Vertex> shortest_cycle(std::span<const Vertex> component, const CsrGraph& graph, Budget& budget);

}  // namespace serval
