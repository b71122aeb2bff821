#pragma once
// An order of the vertices in which every edge points forward, or as much of one as a cyclic graph
// allows.
//
//   std::vector<Vertex> order = topological_order(graph, budget);
//   bool acyclic = order.size() == graph.vertex_count();
//
// Kahn's algorithm, O(vertices + edges). The order follows the vertex numbers closely: a graph whose
// numbers are already a topological order is walked front to back, which suits the cache. Deterministic.
// Vertices on a cycle or reachable from one are omitted.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/graph/csr_graph.h"

namespace serval {

std::vector<Vertex> topological_order(const CsrGraph& graph, Budget& budget);
// Among the ready vertices, the one with the smallest key comes next; ties go to the smallest number.
// O((vertices + edges) log vertices).
std::vector<Vertex> topological_order(const CsrGraph& graph, std::span<const std::int64_t> keys,
                                      Budget& budget);

}  // namespace serval
