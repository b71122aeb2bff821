#pragma once
// A cycle in a dependency graph of any shape, told as dependencies between transactions. The classes of
// cycle_search.h are those of Adya; this finds what a graph forbids that none of them describes, as prefix
// consistency does: an anti-dependency must come after a read dependency or a step of session order.

#include <span>
#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

// For each cyclic component of a dependency graph of that shape, whose edges `explain` knows, a shortest
// cycle, as far as a fixed effort goes.
std::vector<Anomaly> cycles_of_graph(const History& history, const ExplainEdge& explain, GraphShape shape,
                                     const CsrGraph& graph, Budget& budget);

// Through members of one cyclic component, the shortest cycle that a fixed effort finds; at least one. Names
// its first vertex again at the end.
std::vector<Vertex> shortest_cycle(std::span<const Vertex> component, const CsrGraph& graph, Budget& budget);

}  // namespace serval
