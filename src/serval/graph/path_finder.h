#pragma once
// Breadth-first search for many runs over one graph: marks hold the number of the run, so nothing is
// cleared between runs. `effort` bounds the edges visited over all runs, so that a search from every
// start stays affordable and gives the same answer on every machine.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "serval/base/budget.h"
#include "serval/graph/csr_graph.h"

namespace serval {

class PathFinder {
 public:
  PathFinder(const CsrGraph& graph, std::uint64_t effort, Budget& budget)
      : graph_(graph),
        effort_(effort),
        budget_(budget),
        seen_in_(graph.vertex_count(), 0),
        parent_(graph.vertex_count()) {}

  std::uint64_t spent() const noexcept { return spent_; }  // Edges visited so far.
  bool exhausted() const noexcept { return spent_ >= effort_; }

  // The shortest path of 1 .. max_edges edges from `from` to a vertex for which is_goal holds, including
  // both ends (so a cycle names its start twice). Empty if there is none or the effort is used up.
  template <class IsGoal>
  std::vector<Vertex> path(Vertex from, std::size_t max_edges, IsGoal&& is_goal) {
    ++run_;
    queue_.assign(1, from);
    seen_in_[from] = run_;
    std::size_t next_in_level = 0;
    for (std::size_t edges = 1; edges <= max_edges && next_in_level < queue_.size(); ++edges) {
      const std::size_t level_end = queue_.size();
      for (; next_in_level < level_end; ++next_in_level) {
        const Vertex v = queue_[next_in_level];
        budget_.poll("cycle search");
        for (const Vertex next : graph_.successors(v)) {
          if (is_goal(next)) return trace(from, v, next);
          if (exhausted()) return {};
          ++spent_;
          if (seen_in_[next] == run_) continue;
          seen_in_[next] = run_;
          parent_[next] = v;
          queue_.push_back(next);
        }
      }
    }
    return {};
  }

 private:
  std::vector<Vertex> trace(Vertex from, Vertex before_goal, Vertex goal) const {
    std::vector<Vertex> reversed{goal, before_goal};
    while (reversed.back() != from) reversed.push_back(parent_[reversed.back()]);
    std::ranges::reverse(reversed);
    return reversed;
  }

  const CsrGraph& graph_;
  std::uint64_t effort_;
  std::uint64_t spent_ = 0;
  Budget& budget_;
  std::vector<std::uint32_t> seen_in_;
  std::vector<Vertex> parent_;
  std::vector<Vertex> queue_;
  std::uint32_t run_ = 0;
};

}  // namespace serval
