#pragma once
// An order of the vertices in which every edge points forward, or as much of it as a cyclic graph allows.
//
//   std::vector<Vertex> order = topological_order(graph, budget);
//   bool acyclic = order.size() == graph.vertex_count();
//
// Kahn's algorithm, O(vertices + edges). Among the vertices that are ready the order follows the vertex
// numbers closely: a graph whose numbers already are an order is walked front to back, which is what memory
// likes. Deterministic. Vertices on or behind a cycle are left out.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/graph/csr_graph.h"

namespace serval {

std::vector<Vertex> topological_order(const CsrGraph& graph, Budget& budget);
// Of the vertices that are ready always the one with the smallest key, of equal ones the smallest number.
// O((vertices + edges) log vertices).
std::vector<Vertex> topological_order(const CsrGraph& graph, std::span<const std::int64_t> keys,
                                      Budget& budget);

}  // namespace serval
