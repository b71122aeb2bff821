#pragma once
// Keeps the vertices of a growing digraph in topological order, with the algorithm of Pearce & Kelly
// 2007. A new edge u -> v against the order moves everything that v reaches after everything that
// reaches u. Only vertices between v and u in the order are visited or moved.
//
//   if (repair.find_path(edges, v, u)) return path_to(repair.step(u));   // The edge would close a cycle.
//   repair.move(edges, u, v);                                            // Now rank(u) < rank(v).
//
// The caller stores the edges, which are of two kinds: free and numbered. `Edges` has three members:
//   bool any_free(v, take)         Calls take(next) for the free edges of v until one call returns true.
//   bool any_numbered(v, take)     The same for numbered edges, with take(next, edge).
//   void each_previous(v, take)    Calls take(previous) for every edge to v.
// If one of these throws, the order is unchanged. Not thread-safe.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "serval/graph/csr_graph.h"

namespace serval {

template <class Rank>
class OrderRepair {
 public:
  static constexpr std::uint32_t kFreeEdge = 0xFFFFFFFFu;
  // How find_path() reached a vertex.
  struct Step {
    Vertex from;
    std::uint32_t edge;
  };

  void resize(std::size_t vertices, Rank rank = {});
  void place(Vertex v, Rank rank) { rank_[v] = rank; }
  Rank rank(Vertex v) const { return rank_[v]; }
  std::span<const Rank> ranks() const noexcept { return rank_; }
  std::size_t bytes() const noexcept {
    return rank_.capacity() * sizeof(Rank) + seen_in_.capacity() * sizeof(std::uint32_t) +
           steps_.capacity() * sizeof(Step);
  }

  // Breadth first by numbered edges; free edges cost nothing. So the path found has the fewest numbered
  // edges.
  template <class Edges>
  [[nodiscard]] bool find_path(const Edges& edges, Vertex from, Vertex to);
  // For a vertex on the path that find_path() found last, except the first.
  Step step(Vertex v) const { return steps_[v]; }
  // The vertices that the last find_path() visited.
  std::span<const Vertex> reached() const noexcept { return forward_; }

  // Requires that find_path(edges, to, from) found no path.
  template <class Edges>
  void move(const Edges& edges, Vertex from, Vertex to);
  // The vertices that got a new rank in the last move().
  std::span<const Vertex> moved() const noexcept { return moved_; }
  void clear_moved() noexcept { moved_.clear(); }

 private:
  void start_search();
  void visit(Vertex v, Step step);
  template <class Edges>
  void search_back(const Edges& edges, Vertex from, Rank lowest);
  void refill();

  std::vector<Rank> rank_;              // By vertex, as the next two.
  std::vector<std::uint32_t> seen_in_;  // The last search that visited it.
  std::vector<Step> steps_;             // Of the last find_path().
  std::uint32_t search_ = 0;
  std::vector<Vertex> forward_, moved_;
  std::vector<Rank> places_;
};

template <class Rank>
void OrderRepair<Rank>::resize(std::size_t vertices, Rank rank) {
  rank_.resize(vertices, rank);
  seen_in_.resize(vertices);
  steps_.resize(vertices);
}

template <class Rank>
void OrderRepair<Rank>::start_search() {
  if (++search_ == 0) {  // Once in four billion searches.
    std::ranges::fill(seen_in_, 0);
    search_ = 1;
  }
  forward_.clear();
}

template <class Rank>
void OrderRepair<Rank>::visit(Vertex v, Step step) {
  seen_in_[v] = search_;
  steps_[v] = step;
  forward_.push_back(v);
}

template <class Rank>
template <class Edges>
bool OrderRepair<Rank>::find_path(const Edges& edges, Vertex from, Vertex to) {
  start_search();
  if (from == to) return true;
  visit(from, {.from = from, .edge = kFreeEdge});
  const Rank highest = rank_[to];
  const auto reaches_by = [&](Vertex v, Vertex next, std::uint32_t edge) {
    if (seen_in_[next] == search_ || rank_[next] > highest) return false;
    visit(next, {.from = v, .edge = edge});
    return next == to;
  };
  for (std::size_t start = 0; start < forward_.size();) {
    for (std::size_t i = start; i < forward_.size(); ++i) {
      const Vertex v = forward_[i];
      if (edges.any_free(v, [&](Vertex next) { return reaches_by(v, next, kFreeEdge); })) return true;
    }
    for (const std::size_t end = forward_.size(); start < end; ++start) {
      const Vertex v = forward_[start];
      if (edges.any_numbered(v, [&](Vertex next, std::uint32_t e) { return reaches_by(v, next, e); }))
        return true;
    }
  }
  return false;
}

// The forward search found no path, so the two searches have no vertex in common and can share their
// marks.
template <class Rank>
template <class Edges>
void OrderRepair<Rank>::search_back(const Edges& edges, Vertex from, Rank lowest) {
  moved_.assign(1, from);
  seen_in_[from] = search_;
  for (std::size_t i = 0; i < moved_.size(); ++i)
    edges.each_previous(moved_[i], [&](Vertex previous) {
      if (seen_in_[previous] == search_ || rank_[previous] < lowest) return;
      seen_in_[previous] = search_;
      moved_.push_back(previous);
    });
}

template <class Rank>
template <class Edges>
void OrderRepair<Rank>::move(const Edges& edges, Vertex from, Vertex to) {
  search_back(edges, from, rank_[to]);
  refill();
}

// Reassigns the ranks of both sets: first the vertices that lead to the new edge, then those that it
// leads to.
template <class Rank>
void OrderRepair<Rank>::refill() {
  const auto by_rank = [this](Vertex a, Vertex b) { return rank_[a] < rank_[b]; };
  std::ranges::sort(moved_, by_rank);
  std::ranges::sort(forward_, by_rank);
  const auto middle = static_cast<std::ptrdiff_t>(moved_.size());
  moved_.insert(moved_.end(), forward_.begin(), forward_.end());
  places_.clear();
  for (const Vertex v : moved_) places_.push_back(rank_[v]);
  std::ranges::inplace_merge(places_, places_.begin() + middle);
  for (std::size_t i = 0; i < places_.size(); ++i) rank_[moved_[i]] = places_[i];
}

}  // namespace serval
