#pragma once
// Vertices and the steps between them, each with every kind that it has: what the search for cycle classes
// looks at. Plain data, without a history behind it.
//
// A pair has a session step only where no read or write dependency joins it, and a real-time step only where
// neither those nor session order do: a cycle never owes its variant to an order that it does not need. Real
// time has no links of its own (they would be quadratic); the times answer for any pair. Likewise a reader
// that misses many writers need not have a link to each: it has one to a helper vertex, from which free steps
// lead on to them, perhaps through other helpers.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "serval/check/dependency/cycle_automaton.h"
#include "serval/graph/csr_graph.h"
#include "serval/history/history.h"

namespace serval {

struct Link {
  Vertex from, to;
  StepKinds kinds;

  friend bool operator<(const Link& a, const Link& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  }
};

struct StepGraph {
  Vertex size = 0;
  Vertex helpers = 0;                  // So many of the last vertices; no circle of free steps joins them.
  std::vector<Link> links;             // By from, then to; one a pair, none from a vertex to itself.
  std::vector<Time> begin, end;        // By vertex but helpers; empty: no real-time steps.
  std::vector<std::uint32_t> session;  // By vertex but helpers; empty: no session order.

  // 0 for pairs without a link.
  StepKinds kinds(Vertex from, Vertex to) const {
    const auto found = std::lower_bound(links.begin(), links.end(), Link{from, to, 0});
    return found != links.end() && found->from == from && found->to == to ? found->kinds : StepKinds{0};
  }
  StepKinds kinds_present() const {
    StepKinds present = 0;
    for (const Link& link : links) present |= link.kinds;
    return present;
  }
  bool has_times() const noexcept { return !begin.empty(); }
  bool is_helper(Vertex v) const noexcept { return v >= size - helpers; }
  bool has_time_step(Vertex from, Vertex to) const {
    if (is_helper(from) || is_helper(to)) return false;
    if (!(end[from] < begin[to]) || (kinds(from, to) & (kWriteStep | kReadStep)) != 0) return false;
    return session.empty() || session[from] != session[to];
  }
};

}  // namespace serval
