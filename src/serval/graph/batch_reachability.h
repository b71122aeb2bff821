#pragma once
// Answers many reachability questions about one digraph together. The graph is condensed to strong
// components, and 256 questions at a time are propagated as bits in topological order of the components,
// restricted to the window between the first source and the last target of the block. Questions that
// span little of the order, as is typical for histories, are cheap whatever the size of the graph.
//
//   std::optional<std::vector<bool>> answers = reachable(graph, {{0, 3}, {2, 1}}, effort, budget);
//
// A component that a block does not reach costs 1/64 of a visit. Worst case O((vertices + edges) *
// questions / 256); exact.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/graph/csr_graph.h"

namespace serval {

struct ReachabilityQuestion {
  Vertex from, to;
};

// For each question, whether a path of zero or more edges leads from `from` to `to`. Nothing if this
// would visit more than `effort` edges.
std::optional<std::vector<bool>> reachable(const CsrGraph& graph,
                                           std::span<const ReachabilityQuestion> questions,
                                           std::uint64_t effort, Budget& budget);

}  // namespace serval
