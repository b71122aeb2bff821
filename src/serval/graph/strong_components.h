#pragma once
// Strongly connected components: maximal sets of vertices that all reach each other. Tarjan 1972, with
// an explicit stack, so that a path of a million vertices does not overflow the thread's stack.
// O(vertices + edges), deterministic.

#include <cstdint>
#include <vector>

#include "serval/base/budget.h"
#include "serval/base/jagged.h"
#include "serval/graph/csr_graph.h"

namespace serval {

// The components that contain a cycle (two or more vertices, or one with a self-loop), each sorted by
// vertex number, ordered by smallest vertex.
Jagged<Vertex> cyclic_components(const CsrGraph& graph, Budget& budget);

// The component of every vertex. An edge leads to its own component or to one with a smaller number, so
// the numbers in descending order are a topological order of the components.
struct Condensation {
  std::vector<std::uint32_t> component;  // By vertex.
  std::uint32_t count = 0;
};
Condensation condense(const CsrGraph& graph, Budget& budget);

}  // namespace serval
