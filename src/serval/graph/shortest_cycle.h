#pragma once
// The shortest cycle of a graph, or the shortest one that takes a chosen edge exactly once.
//
// Exact by breadth-first search from every vertex, each search cut at the best length so far, so that once a
// short cycle is known the rest costs little. The worst case is O(vertices * edges); `effort` bounds the
// edges looked at, and past it the shortest cycle seen so far is returned. The same graph gives the same
// cycle, whatever the machine's speed.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "serval/base/budget.h"
#include "serval/graph/csr_graph.h"

namespace serval {

struct CycleSearch {
  std::uint64_t effort = 50'000'000;
};

// Vertices in order; the edge from the last back to the first closes it. Empty when there is none.
std::vector<Vertex> shortest_cycle(const CsrGraph& graph, const CycleSearch& limits, Budget& budget);

// The shortest cycle made of one edge of `closing` (from, to) and a path from `to` to `from` in the graph,
// which does not itself contain the closing edges. The cycle starts at `to`.
std::vector<Vertex> shortest_cycle_through(const CsrGraph& graph,
                                           const std::vector<std::pair<Vertex, Vertex>>& closing,
                                           const CycleSearch& limits, Budget& budget);

}  // namespace serval
