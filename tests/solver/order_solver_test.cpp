#include "serval/solver/order_solver.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/contract.h"
#include "serval/base/random.h"
#include "serval/graph/topological_order.h"
#include "solver/every_world.h"

namespace serval {
namespace {

using testing::every_world;
using testing::Statement;
using testing::StatementClause;
using testing::World;
using Edges = std::vector<std::pair<Vertex, Vertex>>;

CsrGraph graph_of(Vertex vertices, const Edges& edges) {
  return build_graph(vertices, [&](auto&& edge) {
    for (const auto& [from, to] : edges) edge(from, to);
  });
}

class OrderSolverTest : public ::testing::Test {
 protected:
  Budget budget = Budget::unlimited();
  OrderSolver solver_of(const CsrGraph& known) {
    return OrderSolver(known, topological_order(known, budget), budget);
  }
};

TEST_F(OrderSolverTest, AStartThatSatisfiesEverythingIsKept) {
  const CsrGraph known = graph_of(3, {{0, 1}, {1, 2}});
  OrderSolver solver = solver_of(known);
  solver.add_clause({solver.before(0, 2), solver.before(2, 1)});
  ASSERT_TRUE(solver.solve());
  EXPECT_EQ(solver.statistics().reorderings, 0u);
}

TEST_F(OrderSolverTest, NegationIsTheOtherDirection) {
  const CsrGraph known = graph_of(2, {});
  OrderSolver solver = solver_of(known);
  EXPECT_EQ(solver.before(0, 1), !solver.before(1, 0));
  EXPECT_EQ(solver.before(0, 1), solver.before(0, 1));
  EXPECT_EQ(solver.statistics().variables, 1u);
}

TEST_F(OrderSolverTest, AClauseMovesOnlyWhatItMust) {
  const CsrGraph known = graph_of(4, {{0, 1}, {2, 3}});
  OrderSolver solver = solver_of(known);
  solver.add_clause({solver.before(3, 0)});
  ASSERT_TRUE(solver.solve());
  EXPECT_LT(solver.rank()[3], solver.rank()[0]);
  EXPECT_LT(solver.rank()[2], solver.rank()[1]);
}

TEST_F(OrderSolverTest, AKnownPathRefutesAStatement) {
  const CsrGraph known = graph_of(5, {{0, 1}, {1, 2}, {3, 4}});
  OrderSolver solver = solver_of(known);
  solver.add_clause({solver.before(3, 4)});
  const std::uint32_t impossible = solver.add_clause({solver.before(2, 0)});
  ASSERT_FALSE(solver.solve());
  EXPECT_EQ(solver.refutation().clauses, std::vector<std::uint32_t>{impossible});
  EXPECT_EQ(solver.refutation().vertices, (std::vector<Vertex>{0, 1, 2}));
}

TEST_F(OrderSolverTest, ThreeCyclicStatementsAreImpossible) {
  const CsrGraph known = graph_of(3, {});
  OrderSolver solver = solver_of(known);
  solver.add_clause({solver.before(0, 1)});
  solver.add_clause({solver.before(1, 2)});
  ASSERT_TRUE(solver.solve());
  solver.add_clause({solver.before(2, 0)});
  EXPECT_FALSE(solver.solve());
  EXPECT_EQ(solver.refutation().clauses, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_FALSE(solver.solve());  // It stays impossible.
}

TEST_F(OrderSolverTest, EmptyClauseIsImpossible) {
  const CsrGraph known = graph_of(1, {});
  OrderSolver solver = solver_of(known);
  solver.add_clause({});
  EXPECT_FALSE(solver.solve());
  EXPECT_EQ(solver.refutation().clauses, std::vector<std::uint32_t>{0});
  EXPECT_TRUE(solver.refutation().vertices.empty());
}

TEST_F(OrderSolverTest, ChoiceDecidesWhatFollows) {
  const CsrGraph known = graph_of(2, {{0, 1}});
  OrderSolver solver = solver_of(known);
  const Literal first = solver.choice(), second = solver.choice();
  solver.add_clause({first, second});
  solver.add_clause({!first, solver.before(1, 0)});
  ASSERT_TRUE(solver.solve());
  EXPECT_FALSE(solver.is_true(first));
  EXPECT_TRUE(solver.is_true(second));
}

TEST_F(OrderSolverTest, ContradictoryLiteralsMakeAClauseTrue) {
  const CsrGraph known = graph_of(2, {});
  OrderSolver solver = solver_of(known);
  solver.add_clause({solver.before(0, 1), solver.before(1, 0), solver.before(0, 1)});
  EXPECT_TRUE(solver.solve());
}

TEST_F(OrderSolverTest, StartThatContradictsTheKnownEdgesIsRefused) {
  const CsrGraph known = graph_of(2, {{0, 1}});
  EXPECT_THROW(OrderSolver(known, {1, 0}, budget), BrokenContract);
  EXPECT_THROW(OrderSolver(known, {0, 0}, budget), BrokenContract);
  EXPECT_THROW(OrderSolver(known, {0}, budget), BrokenContract);
}

// Comparison with every order.

struct Instance {
  Vertex vertices = 0;
  std::uint32_t choices = 0;
  Edges edges;
  std::vector<Vertex> order;
  std::vector<StatementClause> clauses;
};

Statement random_statement(const Instance& instance, Random& random) {
  if (instance.choices > 0 && random.chance(0.3))
    return {Statement::kChoice, static_cast<Vertex>(random.below(instance.choices)), random.chance(0.5)};
  const auto u = static_cast<Vertex>(random.below(instance.vertices));
  const auto step = static_cast<Vertex>(1 + random.below(instance.vertices - 1));
  return {u, (u + step) % instance.vertices, random.chance(0.5)};
}

Instance random_instance(Random& random) {
  Instance instance;
  instance.vertices = static_cast<Vertex>(2 + random.below(random.chance(0.2) ? 6 : 4));
  instance.choices = static_cast<std::uint32_t>(random.below(3));
  instance.order.resize(instance.vertices);
  std::iota(instance.order.begin(), instance.order.end(), 0u);
  for (std::size_t i = instance.order.size(); i > 1; --i)
    std::swap(instance.order[i - 1], instance.order[random.below(i)]);
  const double density = random.unit() * 0.5;
  for (Vertex i = 0; i < instance.vertices; ++i)
    for (Vertex j = i + 1; j < instance.vertices; ++j)
      if (random.chance(density)) instance.edges.emplace_back(instance.order[i], instance.order[j]);
  const std::uint64_t clauses = random.below(instance.vertices * 5);
  for (std::uint64_t i = 0; i < clauses; ++i) {
    StatementClause clause(1 + random.below(random.chance(0.3) ? 4 : 2));
    for (Statement& each : clause) each = random_statement(instance, random);
    instance.clauses.push_back(clause);
  }
  return instance;
}

// The clauses and vertices that a refutation names have no world either.
void expect_refuted(const Instance& instance, const Refutation& refutation) {
  Edges edges;
  const auto named = [&](Vertex v) { return std::ranges::binary_search(refutation.vertices, v); };
  for (const auto& edge : instance.edges)
    if (named(edge.first) && named(edge.second)) edges.push_back(edge);
  std::vector<World> worlds = every_world(instance.vertices, instance.choices, edges);
  for (const std::uint32_t clause : refutation.clauses) testing::leave(worlds, instance.clauses.at(clause));
  EXPECT_TRUE(worlds.empty());
}

class SmallInstances : public OrderSolverTest {
 protected:
  Literal literal(OrderSolver& solver, const Statement& statement) {
    const Literal positive = statement.u == Statement::kChoice ? choices_.at(statement.v)
                                                               : solver.before(statement.u, statement.v);
    return statement.negated ? !positive : positive;
  }

  // The solver's solution, as a world of the reference.
  World found(const OrderSolver& solver) const {
    World world{{solver.rank().begin(), solver.rank().end()}, 0};
    for (std::uint32_t i = 0; i < choices_.size(); ++i)
      world.choices |= static_cast<std::uint32_t>(solver.is_true(choices_[i])) << i;
    return world;
  }

  // Solves after every clause with probability `eagerness`, and at the end.
  void compare(const Instance& instance, double eagerness, SolverLimits limits, Random& random) {
    const CsrGraph known = graph_of(instance.vertices, instance.edges);
    OrderSolver solver(known, instance.order, budget, limits);
    choices_.clear();
    for (std::uint32_t i = 0; i < instance.choices; ++i) choices_.push_back(solver.choice());
    std::vector<World> worlds = every_world(instance.vertices, instance.choices, instance.edges);
    for (std::size_t added = 0; added <= instance.clauses.size(); ++added) {
      if (added == instance.clauses.size() || random.chance(eagerness)) {
        const bool possible = solver.solve();
        ASSERT_EQ(possible, !worlds.empty());
        if (!possible) {
          ++impossible_;
          return expect_refuted(instance, solver.refutation());
        }
        check_world(instance, added, found(solver));
      }
      if (added == instance.clauses.size()) return;
      std::vector<Literal> clause;
      for (const Statement& each : instance.clauses[added]) clause.push_back(literal(solver, each));
      ASSERT_EQ(solver.add_clause(clause), added);
      testing::leave(worlds, instance.clauses[added]);
    }
  }

  static void check_world(const Instance& instance, std::size_t clauses, const World& world) {
    std::vector<std::uint32_t> places = world.rank;
    std::ranges::sort(places);
    for (std::uint32_t i = 0; i < places.size(); ++i) ASSERT_EQ(places[i], i);
    for (const auto& [from, to] : instance.edges) ASSERT_LT(world.rank[from], world.rank[to]);
    for (std::size_t i = 0; i < clauses; ++i) ASSERT_TRUE(world.satisfies(instance.clauses[i]));
  }

  void compare_many(std::uint64_t all, SolverLimits limits) {
    const std::uint64_t instances = sample_of(all);
    for (const std::uint64_t seed : fresh_seeds(instances)) {
      SCOPED_TRACE(seed);
      Random random(seed);
      const Instance instance = random_instance(random);
      compare(instance, seed % 2 == 0 ? 0.0 : random.unit(), limits, random);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    EXPECT_GT(impossible_, instances / 5);  // Both answers are common.
    EXPECT_LT(impossible_, 4 * instances / 5);
  }

  std::vector<Literal> choices_;
  std::uint64_t impossible_ = 0;
};

// Restarts, switches, forgets and cleans up nearly always.
constexpr SolverLimits kRestless{
    .restart_unit = 1, .switch_period = 2, .learned_clauses = 1, .antecedents = 8};

TEST_F(SmallInstances, AgreeWithEveryOrder) { compare_many(30000, {}); }

TEST_F(SmallInstances, AgreeWithEveryOrderWhenTheSearchRestartsOften) { compare_many(30000, kRestless); }

// Larger instances.

// Pairs of vertices, some of them in the order of a hidden solution.
struct HiddenOrder {
  HiddenOrder(Vertex vertices, std::uint64_t seed) : random(seed), place(vertices) {
    std::iota(place.begin(), place.end(), 0u);
    for (std::size_t i = place.size(); i > 1; --i) std::swap(place[i - 1], place[random.below(i)]);
  }

  std::pair<Vertex, Vertex> pair() {
    const auto u = static_cast<Vertex>(random.below(place.size()));
    const auto v = static_cast<Vertex>(random.below(place.size() - 1));
    return {u, v < u ? v : v + 1};
  }
  std::pair<Vertex, Vertex> true_pair() {
    const auto [u, v] = pair();
    return place[u] < place[v] ? std::pair(u, v) : std::pair(v, u);
  }

  Random random;
  std::vector<std::uint32_t> place;
};

TEST_F(OrderSolverTest, AHiddenOrderOfFiftyVerticesIsFound) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    HiddenOrder hidden(50, seed);
    const CsrGraph known = graph_of(50, {});
    OrderSolver solver = solver_of(known);
    std::vector<std::vector<Literal>> clauses;
    for (int i = 0; i < 500; ++i) {
      const auto [a, b] = hidden.true_pair();
      const auto [c, d] = hidden.pair();
      clauses.push_back({solver.before(a, b), solver.before(c, d)});
      solver.add_clause(clauses.back());
    }
    ASSERT_TRUE(solver.solve());
    for (const auto& clause : clauses) ASSERT_TRUE(solver.is_true(clause[0]) || solver.is_true(clause[1]));
  }
}

using TripleClause = std::array<std::pair<Vertex, Vertex>, 3>;

void add(OrderSolver& solver, const TripleClause& clause) {
  solver.add_clause({solver.before(clause[0].first, clause[0].second),
                     solver.before(clause[1].first, clause[1].second),
                     solver.before(clause[2].first, clause[2].second)});
}

class Refutations : public OrderSolverTest, public ::testing::WithParamInterface<SolverLimits> {};

TEST_P(Refutations, AreImpossibleByThemselves) {
  constexpr Vertex kVertices = 14;
  const CsrGraph known = graph_of(kVertices, {});
  std::uint64_t conflicts = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    HiddenOrder pairs(kVertices, seed);
    OrderSolver solver(known, topological_order(known, budget), budget, GetParam());
    std::vector<TripleClause> clauses;
    for (int i = 0; i < 350; ++i) {
      clauses.push_back({pairs.pair(), pairs.pair(), pairs.pair()});
      add(solver, clauses.back());
    }
    ASSERT_FALSE(solver.solve());
    conflicts += solver.statistics().conflicts;
    OrderSolver again = solver_of(known);
    for (const std::uint32_t each : solver.refutation().clauses) add(again, clauses[each]);
    ASSERT_FALSE(again.solve());
  }
  EXPECT_GT(conflicts, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Calm, Refutations, ::testing::Values(SolverLimits{}));
INSTANTIATE_TEST_SUITE_P(Restless, Refutations, ::testing::Values(kRestless));

TEST_F(OrderSolverTest, TheBudgetEndsTheSearchAndASecondCallContinues) {
  HiddenOrder hidden(50, 1);
  const CsrGraph known = graph_of(50, {});
  Budget spent = Budget::until(Budget::Clock::now());
  OrderSolver solver(known, topological_order(known, budget), spent);
  std::vector<std::vector<Literal>> clauses;
  for (int i = 0; i < 500; ++i) {
    const auto [a, b] = hidden.true_pair();
    const auto [c, d] = hidden.pair();
    clauses.push_back({solver.before(a, b), solver.before(c, d)});
    solver.add_clause(clauses.back());
  }
  EXPECT_THROW((void)solver.solve(), BudgetExhausted);
  EXPECT_THROW((void)solver.solve(), BudgetExhausted);
  spent = Budget::unlimited();
  ASSERT_TRUE(solver.solve());
  for (const auto& clause : clauses) ASSERT_TRUE(solver.is_true(clause[0]) || solver.is_true(clause[1]));
}

TEST_F(OrderSolverTest, TheCostOfANearlyCorrectLargeGraphDependsOnItsErrors) {
  constexpr Vertex kVertices = 300000, kChains = 20;
  const CsrGraph known = build_graph(kVertices, [](auto&& edge) {
    for (Vertex v = kChains; v < kVertices; ++v) edge(v - kChains, v);
  });
  OrderSolver solver = solver_of(known);
  Random random(1);
  for (int i = 0; i < 20000; ++i) {  // Neighbours in different chains, against the order of their numbers.
    const auto v = static_cast<Vertex>(random.below(kVertices - 1));
    solver.add_clause({solver.before(v + 1, v), solver.before(v, v + 1)});
    if (i % 2 == 0) solver.add_clause({solver.before(v + 1, v)});
  }
  ASSERT_TRUE(solver.solve());
  EXPECT_GT(solver.statistics().reorderings, 1000u);
  EXPECT_LT(solver.statistics().vertices_visited, 2000000u);
}

}  // namespace
}  // namespace serval
