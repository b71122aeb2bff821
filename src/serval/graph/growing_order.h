#pragma once
// An acyclic digraph with a topological order of its vertices. Vertices are added at the end of the
// order and removed once no edge leads to them. An edge that would close a cycle is rejected, and the
// path that it would close is available.
//
//   GrowingOrder order;
//   const Vertex u = order.add(), v = order.add();
//   if (!order.insert(u, v, label)) use(order.path());      // From v to u.
//   if (order.in_degree(u) == 0) order.remove(u, freed);    // `freed`: those without edges now.
//
// An edge that agrees with the order costs O(1), any other what OrderRepair visits. The numbers of
// removed vertices are reused. Not thread-safe.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/graph/csr_graph.h"
#include "serval/graph/order_repair.h"

namespace serval {

class GrowingOrder {
 public:
  struct Step {
    Vertex from, to;
    std::uint64_t label;
  };

  Vertex add();  // After all others.
  // False if a path leads from `to` to `from`; then only path() has changed.
  [[nodiscard]] bool insert(Vertex from, Vertex to, std::uint64_t label);
  // Removes such an edge, which leaves the order valid; false if there is none. O(edges of the two).
  bool erase(Vertex from, Vertex to, std::uint64_t label);
  // Requires that no edge leads to it.
  void remove(Vertex vertex, std::vector<Vertex>& freed);

  std::uint32_t in_degree(Vertex vertex) const { return vertices_[vertex].in_degree; }
  std::span<const Step> path() const noexcept { return path_; }
  std::size_t vertex_count() const noexcept { return vertices_.size() - free_vertices_.size(); }
  std::uint64_t vertices_visited() const noexcept { return visited_; }  // By all inserts so far.
  std::size_t edge_count() const noexcept { return edges_.size() - free_edges_.size(); }
  std::size_t bytes() const noexcept;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct VertexData {
    std::uint32_t first_out = kNone, first_in = kNone;
    std::uint32_t in_degree = 0;
  };
  // An edge whose source was removed stays in the list of its target, with the source kNone.
  struct Edge {
    Vertex from, to;
    std::uint32_t next_out, next_in;
    std::uint64_t label;
  };
  struct AllEdges;

  void link(Vertex from, Vertex to, std::uint64_t label);
  void unlink(std::uint32_t edge);
  void show_path(Vertex from, Vertex to);

  std::vector<VertexData> vertices_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> free_vertices_, free_edges_;
  OrderRepair<std::uint64_t> repair_;
  std::uint64_t next_rank_ = 0, visited_ = 0;
  std::vector<Step> path_;
};

}  // namespace serval
