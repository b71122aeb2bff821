#pragma once
// Clauses "a before b, or c before d" about random vertices without known edges. If there are enough of
// them, they are the hardest instances with few vertices. If an order is hidden, it satisfies the first
// half of each clause.

#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "serval/base/random.h"
#include "serval/graph/csr_graph.h"

namespace serval::bench {

struct RandomClausesSize {
  Vertex vertices;
  std::uint32_t clauses;
  bool order_hidden;
};

struct RandomClauses {
  CsrGraph known;
  std::vector<Vertex> start;
  std::vector<std::array<Vertex, 4>> clauses;
};

inline RandomClauses make_random_clauses(const RandomClausesSize& size, std::uint64_t seed) {
  Random random(seed);
  RandomClauses instance;
  instance.known = build_graph(size.vertices, [](auto&&) {});
  instance.start.resize(size.vertices);
  std::iota(instance.start.begin(), instance.start.end(), 0u);
  std::vector<std::uint32_t> place = instance.start;
  for (std::size_t i = place.size(); i > 1; --i) std::swap(place[i - 1], place[random.below(i)]);
  const auto pair = [&] {
    const auto u = static_cast<Vertex>(random.below(size.vertices));
    const auto v = static_cast<Vertex>(random.below(size.vertices - 1));
    return std::pair<Vertex, Vertex>(u, v < u ? v : v + 1);
  };
  for (std::uint32_t i = 0; i < size.clauses; ++i) {
    auto [a, b] = pair();
    const auto [c, d] = pair();
    if (size.order_hidden && place[a] > place[b]) std::swap(a, b);
    instance.clauses.push_back({a, b, c, d});
  }
  return instance;
}

}  // namespace serval::bench
