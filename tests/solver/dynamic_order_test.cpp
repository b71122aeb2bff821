#include "serval/solver/dynamic_order.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/contract.h"
#include "serval/base/random.h"

namespace serval {
namespace {

using Edges = std::vector<std::pair<Vertex, Vertex>>;

CsrGraph graph_of(Vertex vertices, const Edges& edges) {
  return build_graph(vertices, [&](auto&& edge) {
    for (const auto& [from, to] : edges) edge(from, to);
  });
}

std::vector<Vertex> numbers(Vertex vertices) {
  std::vector<Vertex> order(vertices);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

std::vector<std::uint32_t> cycle_of(const DynamicOrder& order) {
  return {order.cycle().begin(), order.cycle().end()};
}

TEST(DynamicOrder, AnEdgeAlongTheOrderMovesNothing) {
  Budget budget = Budget::unlimited();
  const CsrGraph known = graph_of(3, {});
  DynamicOrder order(known, numbers(3), budget);
  ASSERT_TRUE(order.insert(0, 2, 7));
  EXPECT_EQ(order.reorderings(), 0u);
  EXPECT_EQ(order.vertices_visited(), 0u);
}

TEST(DynamicOrder, AnEdgeAgainstTheOrderMovesOnlyWhatDependsOnIt) {
  Budget budget = Budget::unlimited();
  const CsrGraph known = graph_of(6, {{1, 2}, {3, 4}});
  DynamicOrder order(known, numbers(6), budget);
  ASSERT_TRUE(order.insert(4, 1, 0));
  EXPECT_EQ(std::vector(order.rank().begin(), order.rank().end()),
            (std::vector<std::uint32_t>{0, 3, 4, 1, 2, 5}));
}

TEST(DynamicOrder, ACycleNamesTheInsertedEdgesInTheOrderOfThePath) {
  Budget budget = Budget::unlimited();
  const CsrGraph known = graph_of(6, {{1, 2}, {3, 4}});
  DynamicOrder order(known, numbers(6), budget);
  ASSERT_TRUE(order.insert(4, 5, 10));
  ASSERT_TRUE(order.insert(2, 3, 11));
  ASSERT_TRUE(order.insert(0, 1, 12));
  ASSERT_FALSE(order.insert(5, 0, 13));
  EXPECT_EQ(cycle_of(order), (std::vector<std::uint32_t>{12, 11, 10}));
  EXPECT_EQ(order.inserted(), 3u);
}

TEST(DynamicOrder, ACyclePrefersManyKnownEdgesToFewInsertedOnes) {
  Budget budget = Budget::unlimited();
  const CsrGraph known = graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  DynamicOrder order(known, numbers(5), budget);
  ASSERT_TRUE(order.insert(0, 4, 1));
  ASSERT_FALSE(order.insert(4, 0, 2));
  EXPECT_TRUE(order.cycle().empty());
}

TEST(DynamicOrder, ARemovedEdgeNoLongerCounts) {
  Budget budget = Budget::unlimited();
  const CsrGraph known = graph_of(3, {{1, 2}});
  DynamicOrder order(known, numbers(3), budget);
  ASSERT_TRUE(order.insert(2, 0, 1));
  ASSERT_FALSE(order.insert(0, 1, 2));
  order.remove_last();
  EXPECT_TRUE(order.insert(0, 1, 2));
}

TEST(DynamicOrder, KnownPathIsShortest) {
  Budget budget = Budget::unlimited();
  const CsrGraph known = graph_of(6, {{0, 1}, {1, 2}, {2, 4}, {0, 3}, {3, 4}});
  DynamicOrder order(known, numbers(6), budget);
  EXPECT_EQ(order.known_path(0, 4), (std::vector<Vertex>{0, 3, 4}));
  EXPECT_EQ(order.known_path(2, 2), (std::vector<Vertex>{2}));
  EXPECT_TRUE(order.known_path(0, 5).empty());
}

// Comparison with recomputation.

struct LabelledEdge {
  Vertex from, to;
};

// The fewest inserted edges on a path, by relaxation until nothing changes; known edges cost nothing.
std::uint32_t fewest(Vertex vertices, const Edges& known, const std::vector<LabelledEdge>& inserted,
                     Vertex from, Vertex to) {
  std::vector<std::uint32_t> cost(vertices, vertices + 1);
  cost[from] = 0;
  for (Vertex round = 0; round <= vertices; ++round) {
    for (const auto& [a, b] : known) cost[b] = std::min(cost[b], cost[a]);
    for (const LabelledEdge& edge : inserted) cost[edge.to] = std::min(cost[edge.to], cost[edge.from] + 1);
  }
  return cost[to];
}

class Walk {
 public:
  explicit Walk(std::uint64_t seed)
      : random_(seed), vertices_(static_cast<Vertex>(2 + random_.below(19))), start_(numbers(vertices_)) {
    for (std::size_t i = start_.size(); i > 1; --i) std::swap(start_[i - 1], start_[random_.below(i)]);
    const double density = random_.unit() * 0.2;
    for (Vertex i = 0; i < vertices_; ++i)
      for (Vertex j = i + 1; j < vertices_; ++j)
        if (random_.chance(density)) known_.emplace_back(start_[i], start_[j]);
  }

  void run() {
    const CsrGraph graph = graph_of(vertices_, known_);
    DynamicOrder order(graph, start_, budget_);
    for (int step = 0; step < 60; ++step) {
      if (!inserted_.empty() && random_.chance(0.3)) {
        order.remove_last();
        inserted_.pop_back();
      } else {
        insert_one(order);
      }
      if (::testing::Test::HasFatalFailure()) return;
      check_order(order);
    }
  }

 private:
  void insert_one(DynamicOrder& order) {
    const auto from = static_cast<Vertex>(random_.below(vertices_));
    const auto to = static_cast<Vertex>(random_.below(vertices_));
    const std::uint32_t cost = fewest(vertices_, known_, inserted_, to, from);
    const std::vector<std::uint32_t> before(order.rank().begin(), order.rank().end());
    if (order.insert(from, to, static_cast<std::uint32_t>(inserted_.size()))) {
      ASSERT_GT(cost, vertices_);
      inserted_.push_back({from, to});
      return;
    }
    ASSERT_EQ(order.cycle().size(), cost);
    ASSERT_EQ(before, std::vector<std::uint32_t>(order.rank().begin(), order.rank().end()));
    Vertex here = to;  // The path leads from `to` over the named edges, with known edges between them.
    for (const std::uint32_t label : order.cycle()) {
      ASSERT_EQ(fewest(vertices_, known_, {}, here, inserted_.at(label).from), 0u);
      here = inserted_[label].to;
    }
    ASSERT_EQ(fewest(vertices_, known_, {}, here, from), 0u);
  }

  void check_order(const DynamicOrder& order) const {
    std::vector<std::uint32_t> places(order.rank().begin(), order.rank().end());
    for (const auto& [from, to] : known_) ASSERT_LT(places[from], places[to]);
    for (const LabelledEdge& edge : inserted_) ASSERT_LT(places[edge.from], places[edge.to]);
    std::ranges::sort(places);
    for (std::uint32_t i = 0; i < places.size(); ++i) ASSERT_EQ(places[i], i);
  }

  Random random_;
  Budget budget_ = Budget::unlimited();
  Vertex vertices_;
  std::vector<Vertex> start_;
  Edges known_;
  std::vector<LabelledEdge> inserted_;
};

TEST(DynamicOrder, RandomWalksAgreeWithRecomputation) {
  for (const std::uint64_t seed : fresh_seeds(3000)) {
    SCOPED_TRACE(seed);
    Walk(seed).run();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace serval
