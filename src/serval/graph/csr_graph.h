#pragma once
// A directed graph in two arrays (compressed sparse rows): successors of vertex v are targets[offsets[v] ..
// offsets[v + 1]). Built in two passes over an edge enumerator, so no edge list is ever stored.
//
//   CsrGraph graph = build_graph(3, [](auto&& edge) { edge(0, 1); edge(1, 2); });
//   graph.successors(1)[0] == 2
//
// 4 bytes a vertex and 4 bytes an edge. Parallel edges and self-loops are kept. Immutable once built.

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "serval/base/contract.h"

namespace serval {

using Vertex = std::uint32_t;

struct CsrGraph {
  std::vector<std::uint32_t> offsets{0};
  std::vector<Vertex> targets;

  Vertex vertex_count() const noexcept { return static_cast<Vertex>(offsets.size() - 1); }
  std::size_t edge_count() const noexcept { return targets.size(); }
  std::span<const Vertex> successors(Vertex v) const noexcept {
    return {targets.data() + offsets[v], targets.data() + offsets[v + 1]};
  }
};

// `for_each_edge(emit)` calls emit(from, to) once for every edge; it runs twice and must emit the same edges.
template <class ForEachEdge>
CsrGraph build_graph(Vertex vertices, ForEachEdge&& for_each_edge) {
  CsrGraph graph;
  graph.offsets.assign(std::size_t{vertices} + 1, 0);
  std::uint64_t edges = 0;
  for_each_edge([&](Vertex from, Vertex) {
    ++graph.offsets[from];
    ++edges;
  });
  expects(edges < 0xFFFFFFFFu, "fewer than 2^32 - 1 edges");
  // Offsets first point past each row; placing an edge moves its row's offset down to its start.
  std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
  graph.targets.resize(edges);
  for_each_edge([&](Vertex from, Vertex to) { graph.targets[--graph.offsets[from]] = to; });
  return graph;
}

}  // namespace serval
