#pragma once
// Many questions "does a lead to b?" about one digraph, answered together: the vertices are condensed to
// strong components, 256 questions are propagated at once as bits along the topological order of the
// components, and only over the window between a block's first source and its last target. Questions that
// span little of the order, as those of a history do, cost little, whatever the size of the graph.
//
//   std::optional<std::vector<bool>> answers = reachable(graph, {{0, 3}, {2, 1}}, effort, budget);
//
// What a block does not reach costs a 64th of a look at a component. O((vertices + edges) * questions / 256)
// at worst; exact.

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

// By question: a path of zero or more edges leads from `from` to `to`. Nothing when more than `effort` edges
// would have to be looked at.
std::optional<std::vector<bool>> reachable(const CsrGraph& graph,
                                           std::span<const ReachabilityQuestion> questions,
                                           std::uint64_t effort, Budget& budget);

}  // namespace serval
