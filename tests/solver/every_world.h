#pragma once
// The reference for tiny instances: every order of the vertices together with every value of the
// choices, and those of them that satisfy the clauses.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "serval/graph/csr_graph.h"

namespace serval::testing {

// u before v, or (u == kChoice) choice number v, or its negation.
struct Statement {
  static constexpr Vertex kChoice = 0xFFFFFFFFu;
  Vertex u, v;
  bool negated = false;
};
using StatementClause = std::vector<Statement>;

struct World {
  std::vector<std::uint32_t> rank;
  std::uint32_t choices;

  bool satisfies(const Statement& statement) const {
    const bool truth = statement.u == Statement::kChoice ? (choices >> statement.v & 1) != 0
                                                         : rank[statement.u] < rank[statement.v];
    return truth != statement.negated;
  }
  bool satisfies(const StatementClause& clause) const {
    return std::ranges::any_of(clause, [&](const Statement& each) { return satisfies(each); });
  }
};

// All worlds whose order agrees with the edges.
inline std::vector<World> every_world(Vertex vertices, std::uint32_t choices,
                                      std::span<const std::pair<Vertex, Vertex>> edges) {
  std::vector<World> worlds;
  std::vector<std::uint32_t> rank(vertices);
  std::iota(rank.begin(), rank.end(), 0u);
  do {
    if (std::ranges::any_of(edges, [&](const auto& edge) { return rank[edge.first] > rank[edge.second]; }))
      continue;
    for (std::uint32_t values = 0; values < 1u << choices; ++values) worlds.push_back({rank, values});
  } while (std::ranges::next_permutation(rank).found);
  return worlds;
}

inline void leave(std::vector<World>& worlds, const StatementClause& clause) {
  std::erase_if(worlds, [&](const World& world) { return !world.satisfies(clause); });
}

}  // namespace serval::testing
