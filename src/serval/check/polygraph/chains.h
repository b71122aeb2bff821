#pragma once
// Transactions in chains: of two in one chain the earlier certainly precedes the later. Then "all that
// precede T" is one number a chain, a vector clock. Sessions are such chains where the level keeps their
// order; elsewhere chains are followed greedily along known dependencies.
//
//   s1: [a] [b]  s2: [c]        sessions: a, b in chain 0 at places 0, 1;  c in chain 1 at place 0

#include <cstdint>
#include <vector>

#include "serval/graph/csr_graph.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

struct Chains {
  std::vector<std::uint32_t> chain;  // By transaction; kNone for those that do not take part.
  std::vector<std::uint32_t> place;  // By transaction.
  std::uint32_t count = 0;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
};

Chains chains_of_sessions(const History& history, const Relations& relations);

// Every transaction is followed by at most one of those that directly depend on it. `order` is a topological
// order of `graph`, which has the shape `shape`. O(vertices + edges).
Chains chains_of_graph(const History& history, const Relations& relations, GraphShape shape,
                       const CsrGraph& graph, const std::vector<Vertex>& order);

}  // namespace serval
