#pragma once
// A partition of the transactions into chains: of two transactions in one chain, the earlier certainly
// precedes the later. "All that precede T" is then one number per chain, a vector clock. Sessions are
// such chains if the level respects session order; otherwise chains follow known dependencies greedily.
//
//   s1: [a] [b]  s2: [c]        sessions: a, b in chain 0 at positions 0, 1;  c in chain 1 at position 0

#include <cstdint>
#include <vector>

#include "serval/graph/csr_graph.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

struct Chains {
  std::vector<std::uint32_t> chain;     // By transaction; kNone for those that do not participate.
  std::vector<std::uint32_t> position;  // By transaction.
  std::uint32_t count = 0;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
};

Chains chains_of_sessions(const History& history, const Relations& relations);

// Every transaction is followed by at most one of its direct dependents. `order` is a topological order
// of `graph`, which has the shape `shape`. O(vertices + edges).
Chains chains_of_graph(const History& history, const Relations& relations, GraphShape shape,
                       const CsrGraph& graph, const std::vector<Vertex>& order);

}  // namespace serval
