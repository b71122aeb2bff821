// All levels of one history, and what the verdict at one level says about another.

#include <algorithm>

#include <gtest/gtest.h>

#include "oracle/random_history.h"
#include "serval/base/random.h"
#include "serval/check/check.h"
#include "serval/history/notation.h"
#include "serval/inference/dependency_graph.h"
#include "serval/inference/reads_from.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

TEST(Survey, AnExhaustedBudgetEndsIt) {
  Budget budget = Budget::until(Budget::Clock::time_point::min());
  std::string many = "a: ";
  for (int t = 0; t < 10'000; ++t) many += "[r(x,0)] ";
  const Survey result = survey(parse_history(many), {.budget = &budget});
  EXPECT_EQ(result.results.size(), 1u);
  EXPECT_TRUE(result.proven.empty());
  EXPECT_FALSE(result.complete());
}

TEST(Survey, FindsTheStrongestLevelThatHolds) {
  const Survey skew = survey(parse_history("a: [r(x,0) r(y,0) w(x,1)]@1..9 b: [r(x,0) r(y,0) w(y,1)]@2..8"));
  EXPECT_EQ(skew.proven.front(), Level::StrongSnapshotIsolation);
  EXPECT_NE(std::ranges::find(skew.refuted, Level::Serializable), skew.refuted.end());
  EXPECT_EQ(survey(parse_history("a: [r(x,0) w(x,1)]@1..2")).proven.front(), Level::StrictSerializable);
}

// A register may hold a list, and a list may be read as a value. If a key is used as both, nothing is
// claimed about it.
TEST(Survey, ARegisterMayHoldAList) {
  const auto proven = [](const char* text) {
    const History history = parse_history(text);
    const Survey all = survey(history);
    for (const CheckResult& result : all.results)
      EXPECT_EQ(verify_witness(history, result.level, result.verdict), std::nullopt) << text;
    return std::ranges::find(all.proven, Level::Serializable) != all.proven.end();
  };
  EXPECT_TRUE(proven("a: [w(x,[])] b: [r(x,[])]"));
  EXPECT_TRUE(proven("a: [w(x,[1])] b: [r(x,[1]) r(y,[])]"));
  EXPECT_TRUE(proven("a: [a(x,1)] b: [r(x,[1])] c: [r(x,_) r(x,?)]"));
  EXPECT_TRUE(proven("a: [a(x,[1])] b: [l(x,[[1]])]"));
  EXPECT_FALSE(proven("a: [w(x,[1])] b: [r(x,[2])]"));
  EXPECT_FALSE(proven("a: [a(x,[1])] b: [l(x,[1])]"));
  EXPECT_FALSE(proven("a: [r(x,0) r(x,[0])]"));
  EXPECT_FALSE(proven("a: [w(x,1) a(x,2)] b: [r(x,[2])]"));
}

TEST(Survey, HeadlineIsTheViolationOfTheWeakestLevel) {
  const Survey both =
      survey(parse_history("a: [r(x,0) r(y,0) w(x,1)] b: [r(x,0) r(y,0) w(y,1)] c: [r(z,9)]"));
  EXPECT_TRUE(violated(both.headline()->verdict));
  const Survey none = survey(parse_history("a: [r(x,0) w(x,1)] b: [r(x,1)]"));
  EXPECT_TRUE(holds(none.headline()->verdict));
  EXPECT_EQ(none.top, Level::StrongSessionSerializable);
}

// A level without an engine for this history follows from a stronger one that holds, as in the survey.
TEST(Check, ALevelIsProvenByAStrongerOne) {
  const History history = parse_history("a: [r(x,0) w(x,1) w(y,1)]@1..2 b: [r(x,1) r(y,1)]@3..4");
  const CheckResult result = check(history, Level::Linearizable);
  ASSERT_TRUE(holds(result.verdict));
  EXPECT_EQ(std::get<Holds>(result.verdict).proven, Level::StrictSerializable);
  EXPECT_EQ(result.level, Level::Linearizable);
  EXPECT_EQ(verify_witness(history, Level::Linearizable, result.verdict), std::nullopt);
}

TEST(Check, ALevelIsRefutedByAWeakerOne) {
  const History history = parse_history("a: [r(x,0) w(x,1) w(y,1)]@1..2 b: [r(x,1) r(y,0)]@3..4");
  const CheckResult result = check(history, Level::Linearizable);
  ASSERT_TRUE(violated(result.verdict));
  EXPECT_EQ(verify_witness(history, Level::Linearizable, result.verdict), std::nullopt);
}

bool has(const std::vector<Level>& levels, Level level) {
  return std::ranges::find(levels, level) != levels.end();
}

void expect_agreement(const History& history) {
  const Survey all = survey(history);
  for (const LevelInfo& row : all_levels()) {
    SCOPED_TRACE(std::string(row.name) + "\n" + print_history(history));
    const Verdict verdict = check(history, row.level).verdict;
    EXPECT_EQ(holds(verdict), has(all.proven, row.level));
    EXPECT_EQ(violated(verdict), has(all.refuted, row.level));
    EXPECT_EQ(verify_witness(history, row.level, verdict), std::nullopt);
  }
}

TEST(Survey, AgreesWithTheCheckOfEachLevel) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    expect_agreement(oracle::random_transactions(random, 5).freeze());
    expect_agreement(oracle::random_list_transactions(random, 5).freeze());
    expect_agreement(oracle::random_lightweight_transactions(random, 5).freeze());
    if (HasFailure()) return;
  }
}

// If nothing is found, the headline is a proof of the strongest level, or says what is undecided.
TEST(Survey, HeadlineIsNeverBetterThanTheFindings) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    const History history = oracle::random_transactions(random, 5).freeze();
    const Survey all = survey(history);
    ASSERT_EQ(violated(all.headline()->verdict), !all.found.empty()) << print_history(history);
    ASSERT_EQ(holds(all.headline()->verdict), has(all.proven, all.top)) << print_history(history);
    ASSERT_TRUE(all.refuted.empty() || !holds(all.headline()->verdict)) << print_history(history);
  }
}

bool reads_from(const History& history, const Relations& relations, TransactionId reader,
                TransactionId writer) {
  const std::vector<Edge> edges = explain_edge(history, relations, {}, writer, reader);
  return std::ranges::find(edges, EdgeKind::WriteRead, &Edge::kind) != edges.end();
}

// Each step of a long fork is needed. If one of the four transactions read from another that it does not
// directly follow in the cycle, the cycle without those in between would be more specific.
TEST(Survey, ALongForkHasNoShortcut) {
  std::size_t forks = 0;
  for (std::uint64_t seed = 1; seed <= 1'500; ++seed) {
    Random random(seed);
    const History history = oracle::random_transactions(random, 8).freeze();
    Budget budget = Budget::unlimited();
    const Relations relations = infer_relations(history, budget);
    for (const CheckResult& result : survey(history).results) {
      if (!violated(result.verdict)) continue;
      for (const Anomaly& anomaly : std::get<Violated>(result.verdict).anomalies) {
        if (anomaly.kind != AnomalyKind::LongFork) continue;
        ++forks;
        const std::vector<Edge>& edges = std::get<Cycle>(anomaly.evidence).edges;
        for (const Edge& one : edges)
          for (const Edge& other : edges)
            if (one.to != other.from && one.from != other.from) {
              EXPECT_FALSE(reads_from(history, relations, other.from, one.from)) << print_history(history);
            }
      }
    }
  }
  EXPECT_GT(forks, 0u);
}

// A search that ends by effort gives the same answer every time.
TEST(Survey, EndsByEffortAtTheSamePhaseEveryTime) {
  std::string many;
  for (int t = 0; t < 3'000; ++t) many += "s" + std::to_string(t % 7) + ": [r(x,0)] ";
  const History history = parse_history(many);
  const auto phase_of_end = [&](std::uint64_t effort) {
    Budget budget = Budget::unlimited().with_effort(effort);
    const Survey all = survey(history, {.budget = &budget});
    EXPECT_FALSE(all.complete());
    const auto& why = std::get<Undecided>(all.results.back().verdict);
    EXPECT_EQ(why.cause, Undecided::Cause::EffortBudget);
    return std::pair(why.phase, budget.effort());
  };
  EXPECT_EQ(phase_of_end(4'096), phase_of_end(4'096));
}

}  // namespace
}  // namespace serval
