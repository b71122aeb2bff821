#pragma once
// Vertices and the steps between them, each with all its kinds: the input of the search for cycle
// classes. Plain data, independent of a history.
//
// A pair has a session step only if no read or write dependency connects it, and a real-time step only
// if neither those nor session order do: a cycle is never assigned to a variant because of an order that
// it does not need. Real-time steps have no links (there would be quadratically many); the times give
// them for any pair. Likewise, a reader that misses many writers need not have a link to each: it has
// one to a helper vertex, from which free steps lead to them, possibly through other helpers.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "serval/graph/csr_graph.h"
#include "serval/history/history.h"

namespace serval {

// The kinds of steps between two transactions, as bits: a pair may have several. A free step leaves a
// helper vertex and does not change the state.
enum StepKind : std::uint8_t {
  kWriteStep = 1,
  kReadStep = 2,
  kAntiStep = 4,
  kSessionStep = 8,
  kTimeStep = 16,
  kFreeStep = 32
};
using StepKinds = std::uint8_t;
constexpr std::array<StepKind, 5> kStepKinds{kReadStep, kWriteStep, kSessionStep, kAntiStep,
                                             kFreeStep};  // In order of preference.

struct Link {
  Vertex from, to;
  StepKinds kinds;

  friend bool operator<(const Link& a, const Link& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  }
};

struct StepGraph {
  Vertex size = 0;
  // The number of helpers, which are the last vertices; their free steps are acyclic.
  Vertex helpers = 0;
  std::vector<Link> links;             // By from, then to; one per pair, without self-loops.
  std::vector<Time> begin, end;        // By vertex except helpers; empty: no real-time steps.
  std::vector<std::uint32_t> session;  // By vertex except helpers; empty: no session order.

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
