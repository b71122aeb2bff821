#pragma once
// A digraph without cycles that grows at one end and is forgotten at the other, with an order of its
// vertices. An edge that would close a cycle is refused, and the path that it would close is shown.
//
//   GrowingOrder order;
//   const Vertex u = order.add(), v = order.add();
//   if (!order.insert(u, v, label)) use(order.path());      // From v to u.
//   if (order.in_degree(u) == 0) order.remove(u, freed);    // Whoever loses its last edge goes to `freed`.
//
// Pearce & Kelly 2007: an edge against the order moves what v reaches behind what reaches u, within the
// stretch between v and u and nowhere else; an edge that agrees with the order costs O(1). Numbers of removed
// vertices are given again. One thread.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/graph/csr_graph.h"

namespace serval {

class GrowingOrder {
 public:
  struct Step {
    Vertex from, to;
    std::uint64_t label;
  };

  Vertex add();  // Behind all others.
  // False when the edges lead from `to` to `from`; then nothing has changed but path().
  [[nodiscard]] bool insert(Vertex from, Vertex to, std::uint64_t label);
  // Takes such an edge back, which no order minds; false when there is none. O(edges of the two).
  bool erase(Vertex from, Vertex to, std::uint64_t label);
  // Requires that no edge leads to it.
  void remove(Vertex vertex, std::vector<Vertex>& freed);

  std::uint32_t in_degree(Vertex vertex) const { return vertices_[vertex].in_degree; }
  std::span<const Step> path() const noexcept { return path_; }
  std::size_t vertex_count() const noexcept { return vertices_.size() - free_vertices_.size(); }
  std::size_t edge_count() const noexcept { return edges_.size() - free_edges_.size(); }
  std::uint64_t vertices_visited() const noexcept { return visited_; }
  std::size_t bytes() const noexcept;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct VertexData {
    std::uint64_t rank = 0;
    std::uint32_t first_out = kNone, first_in = kNone;
    std::uint32_t in_degree = 0;
    std::uint32_t seen_in = 0;       // The last search that came here,
    std::uint32_t found_by = kNone;  // and the edge that led it.
  };
  // An edge whose source was removed stays in the list of its target, with the source kNone.
  struct Edge {
    Vertex from, to;
    std::uint32_t next_out, next_in;
    std::uint64_t label;
  };

  void link(Vertex from, Vertex to, std::uint64_t label);
  void unlink(std::uint32_t edge);
  bool search_forward(Vertex from, Vertex goal);
  void search_back(Vertex from, std::uint64_t lowest);
  void show_path(Vertex from, Vertex to);
  void reorder();
  void start_search();

  std::vector<VertexData> vertices_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> free_vertices_, free_edges_;
  std::uint64_t next_rank_ = 0;
  std::uint32_t search_ = 0;
  std::uint64_t visited_ = 0;
  std::vector<Vertex> forward_, backward_;
  std::vector<std::uint64_t> ranks_;
  std::vector<Step> path_;
};

}  // namespace serval
