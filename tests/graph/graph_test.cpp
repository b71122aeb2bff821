#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "serval/graph/batch_reachability.h"
#include "serval/graph/csr_graph.h"
#include "serval/graph/path_finder.h"
#include "serval/graph/strong_components.h"
#include "serval/graph/topological_order.h"

namespace serval {
namespace {

using Edges = std::vector<std::pair<Vertex, Vertex>>;

CsrGraph graph_of(Vertex vertices, const Edges& edges) {
  return build_graph(vertices, [&](auto&& emit) {
    for (const auto& [from, to] : edges) emit(from, to);
  });
}

struct RandomGraph {
  Vertex vertices;
  Edges edges;
};

RandomGraph random_graph() {
  const auto vertices = *rc::gen::inRange<Vertex>(1, 9);
  const auto any = rc::gen::inRange<Vertex>(0, vertices);
  return {vertices, *rc::gen::container<Edges>(rc::gen::pair(any, any))};
}

// reach[a][b]: there is a path of one or more edges from a to b. Floyd-Warshall, because it is obviously
// correct.
std::vector<std::vector<bool>> reachability(const RandomGraph& random) {
  std::vector<std::vector<bool>> reach(random.vertices, std::vector<bool>(random.vertices, false));
  for (const auto& [from, to] : random.edges) reach[from][to] = true;
  for (Vertex k = 0; k < random.vertices; ++k)
    for (Vertex i = 0; i < random.vertices; ++i)
      for (Vertex j = 0; j < random.vertices; ++j)
        if (reach[i][k] && reach[k][j]) reach[i][j] = true;
  return reach;
}

std::size_t shortest_by_enumeration(const RandomGraph& random) {
  const std::set<std::pair<Vertex, Vertex>> edges(random.edges.begin(), random.edges.end());
  std::set<std::pair<Vertex, Vertex>> walks = edges;  // Pairs joined by a walk of exactly `length` edges.
  for (std::size_t length = 1; length <= random.vertices; ++length) {
    for (Vertex v = 0; v < random.vertices; ++v)
      if (walks.contains({v, v})) return length;
    std::set<std::pair<Vertex, Vertex>> longer;
    for (const auto& [a, b] : walks)
      for (const auto& [c, d] : edges)
        if (b == c) longer.insert({a, d});
    walks = longer;
  }
  return 0;
}

TEST(CsrGraph, KeepsParallelEdgesAndSelfLoops) {
  const CsrGraph graph = graph_of(2, {{0, 1}, {0, 1}, {1, 1}});
  EXPECT_EQ(graph.successors(0).size(), 2u);
  EXPECT_EQ(graph.successors(1).size(), 1u);
}

TEST(CsrGraph, IsNotBuiltWhenTheNumbersAreAlreadyAnOrder) {
  const auto build = [](const Edges& edges) {
    return build_graph_unless_ascending(3, [&](auto&& emit) {
      for (const auto& [from, to] : edges) emit(from, to);
    });
  };
  EXPECT_FALSE(build({{0, 1}, {1, 2}, {0, 2}}).has_value());
  EXPECT_TRUE(build({{0, 1}, {2, 1}}).has_value());
  EXPECT_TRUE(build({{1, 1}}).has_value());
}

RC_GTEST_PROP(TopologicalOrder, HoldsExactlyTheVerticesNotReachedFromACycle, ()) {
  const RandomGraph random = random_graph();
  Budget budget = Budget::unlimited();
  const std::vector<Vertex> order = topological_order(graph_of(random.vertices, random.edges), budget);
  const auto reach = reachability(random);
  for (Vertex v = 0; v < random.vertices; ++v) {
    bool behind_cycle = reach[v][v];
    for (Vertex u = 0; u < random.vertices; ++u) behind_cycle = behind_cycle || (reach[u][u] && reach[u][v]);
    RC_ASSERT((std::ranges::find(order, v) == order.end()) == behind_cycle);
  }
  for (const auto& [from, to] : random.edges) {
    const auto at = [&](Vertex v) { return std::ranges::find(order, v); };
    if (at(to) != order.end()) RC_ASSERT(at(from) < at(to));
  }
}

RC_GTEST_PROP(StrongComponents, AreTheMutuallyReachableSets, ()) {
  const RandomGraph random = random_graph();
  Budget budget = Budget::unlimited();
  const Jagged<Vertex> components = cyclic_components(graph_of(random.vertices, random.edges), budget);
  const auto reach = reachability(random);
  std::vector<std::size_t> component_of(random.vertices, components.rows());
  for (std::size_t row = 0; row < components.rows(); ++row)
    for (const Vertex v : components[row]) component_of[v] = row;
  for (Vertex a = 0; a < random.vertices; ++a) {
    RC_ASSERT((component_of[a] < components.rows()) == reach[a][a]);
    for (Vertex b = 0; b < random.vertices; ++b)
      if (a != b && reach[a][a] && reach[b][b])
        RC_ASSERT((component_of[a] == component_of[b]) == (reach[a][b] && reach[b][a]));
  }
}

RC_GTEST_PROP(PathFinder, FindsAShortestCycle, ()) {
  const RandomGraph random = random_graph();
  const CsrGraph graph = graph_of(random.vertices, random.edges);
  Budget budget = Budget::unlimited();
  PathFinder finder(graph, 1'000'000, budget);
  std::vector<Vertex> cycle;
  for (Vertex start = 0; start < random.vertices; ++start) {
    const std::vector<Vertex> found =
        finder.path(start, random.vertices, [&](Vertex v) { return v == start; });
    if (!found.empty() && (cycle.empty() || found.size() < cycle.size())) cycle = found;
  }
  RC_ASSERT((cycle.empty() ? 0 : cycle.size() - 1) == shortest_by_enumeration(random));
  const std::set<std::pair<Vertex, Vertex>> edges(random.edges.begin(), random.edges.end());
  for (std::size_t i = 0; i + 1 < cycle.size(); ++i) RC_ASSERT(edges.contains({cycle[i], cycle[i + 1]}));
}

TEST(PathFinder, ObeysItsLimitsOfLengthAndEffort) {
  const CsrGraph graph = graph_of(4, {{0, 1}, {1, 2}, {2, 3}});
  Budget budget = Budget::unlimited();
  const auto is_last = [](Vertex v) { return v == 3; };
  EXPECT_EQ(PathFinder(graph, 100, budget).path(0, 3, is_last), (std::vector<Vertex>{0, 1, 2, 3}));
  EXPECT_TRUE(PathFinder(graph, 100, budget).path(0, 2, is_last).empty());
  EXPECT_TRUE(PathFinder(graph, 1, budget).path(0, 3, is_last).empty());
}

TEST(StrongComponents, SurvivesAPathOfAMillionVertices) {
  constexpr Vertex kLength = 1'000'000;
  Budget budget = Budget::unlimited();
  const CsrGraph graph = build_graph(kLength, [](auto&& emit) {
    for (Vertex v = 0; v < kLength; ++v) emit(v, (v + 1) % kLength);
  });
  EXPECT_EQ(cyclic_components(graph, budget)[0].size(), kLength);
}

RC_GTEST_PROP(Condensation, NumbersFallAlongEveryEdge, ()) {
  const RandomGraph random = random_graph();
  Budget budget = Budget::unlimited();
  const Condensation components = condense(graph_of(random.vertices, random.edges), budget);
  const auto reach = reachability(random);
  for (const auto& [from, to] : random.edges)
    RC_ASSERT(components.component[from] >= components.component[to]);
  for (Vertex a = 0; a < random.vertices; ++a)
    for (Vertex b = 0; b < random.vertices; ++b)
      RC_ASSERT((components.component[a] == components.component[b]) ==
                (a == b || (reach[a][b] && reach[b][a])));
}

RC_GTEST_PROP(BatchReachability, AnswersEveryQuery, ()) {
  const RandomGraph random = random_graph();
  Budget budget = Budget::unlimited();
  std::vector<ReachabilityQuestion> questions;
  for (int times = 0; times < 5; ++times)  // More than fits into one block.
    for (Vertex a = 0; a < random.vertices; ++a)
      for (Vertex b = 0; b < random.vertices; ++b) questions.push_back({a, b});
  const auto answers = reachable(graph_of(random.vertices, random.edges), questions, 1'000'000, budget);
  const auto reach = reachability(random);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto [a, b] = questions[i];
    RC_ASSERT((*answers)[i] == (a == b || reach[a][b]));
  }
}

TEST(BatchReachability, SaysWhenTheEffortIsExceeded) {
  Budget budget = Budget::unlimited();
  const CsrGraph path = graph_of(4, {{0, 1}, {1, 2}, {2, 3}});
  const std::vector<ReachabilityQuestion> questions{{0, 3}};
  EXPECT_EQ(reachable(path, questions, 1, budget), std::nullopt);
  EXPECT_EQ(reachable(path, questions, 100, budget), std::vector<bool>{true});
}

}  // namespace
}  // namespace serval
