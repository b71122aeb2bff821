#include "serval/graph/shortest_cycle.h"

#include <algorithm>

namespace serval {
namespace {

// Breadth-first search that can be run many times: marks carry the number of the run, so nothing is cleared.
class PathFinder {
 public:
  PathFinder(const CsrGraph& graph, std::uint64_t effort, Budget& budget)
      : graph_(graph),
        effort_left_(effort),
        budget_(budget),
        seen_in_(graph.vertex_count(), 0),
        parent_(graph.vertex_count()) {}

  bool exhausted() const noexcept { return effort_left_ == 0; }

  // The shortest path from -> ... -> to of at most `max_edges` edges (at least one), without `to`; empty if
  // none. from == to asks for a cycle.
  std::vector<Vertex> path(Vertex from, Vertex to, std::size_t max_edges) {
    ++run_;
    queue_.assign(1, from);
    seen_in_[from] = run_;
    std::size_t level_begin = 0;
    for (std::size_t edges = 1; edges <= max_edges && level_begin < queue_.size(); ++edges) {
      const std::size_t level_end = queue_.size();
      for (; level_begin < level_end; ++level_begin) {
        if (expand(queue_[level_begin], to)) return trace(queue_[level_begin], from);
        if (exhausted()) return {};
      }
    }
    return {};
  }

 private:
  bool expand(Vertex v, Vertex to) {
    budget_.poll("shortest cycle");
    for (const Vertex next : graph_.successors(v)) {
      if (next == to) return true;
      if (effort_left_ > 0) --effort_left_;
      if (seen_in_[next] == run_) continue;
      seen_in_[next] = run_;
      parent_[next] = v;
      queue_.push_back(next);
    }
    return false;
  }

  std::vector<Vertex> trace(Vertex last, Vertex from) const {
    std::vector<Vertex> reversed{last};
    while (reversed.back() != from) reversed.push_back(parent_[reversed.back()]);
    std::ranges::reverse(reversed);
    return reversed;
  }

  const CsrGraph& graph_;
  std::uint64_t effort_left_;
  Budget& budget_;
  std::vector<std::uint32_t> seen_in_;
  std::vector<Vertex> parent_;
  std::vector<Vertex> queue_;
  std::uint32_t run_ = 0;
};

}  // namespace

std::vector<Vertex> shortest_cycle(const CsrGraph& graph, const CycleSearch& limits, Budget& budget) {
  PathFinder finder(graph, limits.effort, budget);
  std::vector<Vertex> best;
  for (Vertex start = 0; start < graph.vertex_count() && !finder.exhausted(); ++start) {
    const std::size_t max_edges = best.empty() ? graph.vertex_count() : best.size() - 1;
    std::vector<Vertex> found = finder.path(start, start, max_edges);
    if (!found.empty()) best = std::move(found);
    if (best.size() == 1) break;
  }
  return best;
}

std::vector<Vertex> shortest_cycle_through(const CsrGraph& graph,
                                           const std::vector<std::pair<Vertex, Vertex>>& closing,
                                           const CycleSearch& limits, Budget& budget) {
  PathFinder finder(graph, limits.effort, budget);
  std::vector<Vertex> best;
  for (const auto& [from, to] : closing) {
    if (finder.exhausted() || best.size() == 2) break;
    const std::size_t max_edges = best.empty() ? graph.vertex_count() : best.size() - 2;
    std::vector<Vertex> found = from == to ? std::vector<Vertex>{} : finder.path(to, from, max_edges);
    if (found.empty()) continue;
    found.push_back(from);
    best = std::move(found);
  }
  return best;
}

}  // namespace serval
