#pragma once
// A total order of the vertices of a graph. Edges are added, and the latest ones can be taken back. The known
// edges stay. An edge that would close a cycle is refused, and the cycle is shown.
//
//   DynamicOrder order(known, topological_order(known, budget), budget);
//   if (!order.insert(u, v, label)) use(order.cycle());   // labels of the added edges from v to u
//   order.remove_last();                                  // of the edges that are in
//
// An edge that agrees with the order costs O(1), another one what OrderRepair visits. Taking one back costs
// O(1), because the order may stay as it is. The path is one with the fewest added edges.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/graph/csr_graph.h"
#include "serval/graph/order_repair.h"

namespace serval {

class DynamicOrder {
 public:
  // `known` must outlive this; all its edges point forward in `order`, which names each vertex once.
  DynamicOrder(const CsrGraph& known, const std::vector<Vertex>& order, Budget& budget);

  // False when the known edges and those inserted lead from `to` to `from`; nothing has changed then but
  // cycle(). Throws BudgetExhausted before anything has changed.
  [[nodiscard]] bool insert(Vertex from, Vertex to, std::uint32_t label);
  void remove_last();
  std::size_t inserted() const noexcept { return edges_.size(); }

  // The labels of the inserted edges on the path that the last refused edge would close, in the path's order.
  std::span<const std::uint32_t> cycle() const noexcept { return cycle_; }

  // A shortest path of known edges, both ends included; empty when there is none.
  std::vector<Vertex> known_path(Vertex from, Vertex to);

  std::span<const std::uint32_t> rank() const noexcept { return repair_.ranks(); }
  // What the last insertion gave a new place.
  std::span<const Vertex> moved() const noexcept { return repair_.moved(); }
  std::uint64_t reorderings() const noexcept { return reorderings_; }
  std::uint64_t vertices_visited() const noexcept { return vertices_visited_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  // Inserted edges in the order of their insertion, linked by their ends.
  struct Edge {
    Vertex from, to;
    std::uint32_t label;
    std::uint32_t next_out, next_in;
  };
  struct KnownEdges;
  struct AllEdges;

  bool reaches(Vertex from, Vertex to);
  void show_cycle(Vertex from, Vertex to);
  void make_room(Vertex from, Vertex to);

  const CsrGraph& known_;
  CsrGraph reversed_;
  Budget& budget_;
  OrderRepair<std::uint32_t> repair_;
  std::vector<std::uint32_t> first_out_, first_in_;  // By vertex: its latest inserted edge.
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> cycle_;
  std::uint64_t reorderings_ = 0, vertices_visited_ = 0;
};

}  // namespace serval
