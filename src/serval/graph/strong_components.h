#pragma once
// Strongly connected components: maximal sets of vertices that all reach each other. Tarjan 1972, with an
// explicit stack (a million vertices on one path must not exhaust the thread's stack). O(vertices + edges),
// deterministic.

#include <cstdint>
#include <vector>

#include "serval/base/budget.h"
#include "serval/base/jagged.h"
#include "serval/graph/csr_graph.h"

namespace serval {

// The components that hold a cycle (two or more vertices, or one with a self-loop), each sorted by vertex
// number, in the order of their smallest vertex.
Jagged<Vertex> cyclic_components(const CsrGraph& graph, Budget& budget);

// Every vertex's component, numbered so that an edge leads to its own component or to one with a smaller
// number: the numbers, read downwards, are a topological order of the components.
struct Condensation {
  std::vector<std::uint32_t> component;  // By vertex.
  std::uint32_t count = 0;
};
Condensation condense(const CsrGraph& graph, Budget& budget);

}  // namespace serval
