#include "serval/inference/dependency_graph.h"

#include <gtest/gtest.h>

#include "serval/graph/topological_order.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

struct Graphs {
  explicit Graphs(const std::string& notation) : history(parse_history(notation)) {
    relations = infer_relations(history, budget);
  }
  bool acyclic(GraphShape shape) {
    const std::optional<CsrGraph> graph = dependency_graph(history, relations, shape, budget);
    return !graph || topological_order(*graph, budget).size() == graph->vertex_count();
  }
  std::string kinds(std::uint32_t from, std::uint32_t to, GraphShape shape = {}) const {
    std::string names;
    for (const Edge& edge : explain_edge(history, relations, shape, TransactionId{from}, TransactionId{to}))
      names += std::string(name_of(edge.kind)) + " ";
    return names;
  }
  Budget budget = Budget::unlimited();
  History history;
  Relations relations;
};

TEST(DependencyGraph, TwoConsecutiveAntiDependenciesAreNotACycleOfSnapshots) {
  Graphs graphs("a: [r(x,0) r(y,0) w(x,1)] b: [r(x,0) r(y,0) w(y,1)]");
  EXPECT_FALSE(graphs.acyclic({}));
  EXPECT_TRUE(graphs.acyclic({.snapshots = true}));
}

TEST(DependencyGraph, AnAntiDependencyAfterADependencyIsACycleOfSnapshots) {
  Graphs graphs("a: [r(x,0) w(x,1) r(y,0) w(y,1)] b: [r(x,1) r(y,0)]");
  EXPECT_FALSE(graphs.acyclic({.snapshots = true}));
}

TEST(DependencyGraph, RealTimeFollowsTheChainOfEnds) {
  Graphs graphs("a: [r(x,0) w(x,1)]@1..2 b: [r(y,0)]@3..4 c: [r(x,0)]@5..6");
  EXPECT_TRUE(graphs.acyclic({}));
  EXPECT_FALSE(graphs.acyclic({.real_time = true}));
  EXPECT_FALSE(graphs.acyclic({.snapshots = true, .real_time = true}));
}

TEST(DependencyGraph, SessionOrderSkipsTransactionsThatDoNotParticipate) {
  Graphs graphs("a: [r(x,0) w(x,1)] [r(y,0)]! [r(x,0)]");
  EXPECT_FALSE(graphs.acyclic({.session_order = true}));
}

TEST(Explanation, ListsEveryReasonForAnEdge) {
  const Graphs graphs("a: [r(x,0) w(x,1) r(z,0)]@1..2 [r(x,1) w(x,2) r(z,0) w(z,1)]@3..4");
  EXPECT_EQ(graphs.kinds(0, 1, {.session_order = true, .real_time = true}), "ww wr rw so rt ");
  EXPECT_EQ(graphs.kinds(1, 0, {.session_order = true, .real_time = true}), "");
}

TEST(Explanation, AReadOfTheInitialVersionPrecedesABlindWrite) {
  const Graphs graphs("a: [r(x,0)] b: [w(x,1)]");
  EXPECT_EQ(graphs.kinds(0, 1), "rw ");
}

}  // namespace
}  // namespace serval
