#pragma once
// A directed graph in two arrays (compressed sparse rows): the successors of vertex v are
// targets[offsets[v] .. offsets[v + 1]). Built in two passes over an edge enumerator, so no edge list is
// stored.
//
//   CsrGraph graph = build_graph(3, [](auto&& edge) { edge(0, 1); edge(1, 2); });
//   graph.successors(1)[0] == 2
//
// 4 bytes per vertex and 4 bytes per edge. Parallel edges and self-loops are kept. Immutable once built.

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
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

// Builds a graph in two passes: count(), then place() with the same edges.
class CsrBuilder {
 public:
  explicit CsrBuilder(Vertex vertices) { graph_.offsets.assign(std::size_t{vertices} + 1, 0); }

  template <class ForEachEdge>
  void count(ForEachEdge&& for_each_edge) {
    for_each_edge([this](Vertex from, Vertex to) {
      ++graph_.offsets[from];
      ++edges_;
      ascending_ &= from < to;
    });
  }

  // Every counted edge leads from a smaller to a larger vertex: the vertex numbers are a topological
  // order.
  bool ascending() const noexcept { return ascending_; }

  template <class ForEachEdge>
  CsrGraph place(ForEachEdge&& for_each_edge) && {
    expects(edges_ < 0xFFFFFFFFu, "fewer than 2^32 - 1 edges");
    // Offsets initially point to the end of each row; placing an edge moves its row's offset towards the
    // start.
    std::partial_sum(graph_.offsets.begin(), graph_.offsets.end(), graph_.offsets.begin());
    graph_.targets.resize(edges_);
    for_each_edge([this](Vertex from, Vertex to) { graph_.targets[--graph_.offsets[from]] = to; });
    return std::move(graph_);
  }

 private:
  CsrGraph graph_;
  std::uint64_t edges_ = 0;
  bool ascending_ = true;
};

// `for_each_edge(emit)` calls emit(from, to) once per edge; it runs twice and must emit the same edges.
template <class ForEachEdge>
CsrGraph build_graph(Vertex vertices, ForEachEdge&& for_each_edge) {
  CsrBuilder builder(vertices);
  builder.count(for_each_edge);
  return std::move(builder).place(for_each_edge);
}

// The same, but nothing if the vertex numbers are already a topological order, which the first pass
// detects.
template <class ForEachEdge>
std::optional<CsrGraph> build_graph_unless_ascending(Vertex vertices, ForEachEdge&& for_each_edge) {
  CsrBuilder builder(vertices);
  builder.count(for_each_edge);
  if (builder.ascending()) return std::nullopt;
  return std::move(builder).place(for_each_edge);
}

}  // namespace serval
