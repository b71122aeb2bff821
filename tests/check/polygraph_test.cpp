// The search for an order, part by part: what saturation concludes, what the search finds, and that
// proofs by cases fail verification once they are tampered with. agreement_test.cpp tests agreement with
// the oracle.

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "serval/check/check.h"
#include "serval/check/polygraph/order_search.h"
#include "serval/database/simulated/simulate.h"
#include "serval/history/notation.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

constexpr Level kSer = Level::StrongSessionSerializable;
constexpr Level kSi = Level::StrongSessionSnapshotIsolation;

// Two writers, and a reader that sees half of each.
constexpr const char* kFractured = "s1: [w(x,1) w(y,1)]  s2: [w(x,2) w(y,2)]  s3: [r(x,1) r(y,2)]";

struct Saturated {
  explicit Saturated(const std::string& text, GraphShape with = {.session_order = true})
      : history(parse_history(text)),
        relations(infer_relations(history, budget)),
        points(with),
        chains(chains_of_sessions(history, relations)),
        open(find_open_keys(history, relations, chains, points.exclusive(), budget)),
        saturation(history, points, chains, open, whole_dependency_graph(history, relations, with, budget),
                   budget),
        acyclic(saturation.run()) {}

  bool concluded(std::uint32_t from, std::uint32_t to) const {
    const PointStep step{points.commit(TransactionId{from}), points.overwrites(TransactionId{to})};
    return std::ranges::any_of(saturation.conclusions(),
                               [&](const Conclusion& one) { return one.step == step; });
  }

  Budget budget = Budget::unlimited();
  History history;
  Relations relations;
  Points points;
  Chains chains;
  OpenKeys open;
  VersionSaturation saturation;
  bool acyclic;
};

TEST(VersionSaturation, AVisibleWriteComesBeforeTheVersionThatWasRead) {
  const Saturated s("s1: [w(x,1)]  s2: [w(x,2) w(y,1)]  s3: [r(y,1) r(x,1)]");
  EXPECT_TRUE(s.acyclic);
  EXPECT_TRUE(s.concluded(1, 0));
  EXPECT_FALSE(s.concluded(0, 1));
}

TEST(VersionSaturation, AReadComesBeforeTheWriterThatReplacedItsVersion) {
  const Saturated s("s1: [w(x,1) w(y,1)]  s2: [r(y,1) w(x,2)]  s3: [r(x,1)]");
  EXPECT_TRUE(s.acyclic);
  EXPECT_TRUE(s.concluded(2, 1));
}

TEST(VersionSaturation, OneConclusionLeadsToAnother) {
  // T3 saw T2 and read x from T1, so T2 is before T1. Then T5, which saw T1 and read z from T4, puts T2
  // before T4.
  const Saturated s(
      "s1: [w(x,1) w(u,1)]  s2: [w(x,2) w(y,1) w(z,1)]  s3: [r(y,1) r(x,1)]  s4: [w(z,2)]  s5: [r(u,1) "
      "r(z,2)]");
  EXPECT_TRUE(s.acyclic);
  EXPECT_TRUE(s.concluded(1, 0));
  EXPECT_TRUE(s.concluded(1, 3));
  EXPECT_GE(s.saturation.rounds().size(), 3u);
}

TEST(VersionSaturation, ContradictingConclusionsAreACycle) {
  EXPECT_FALSE(Saturated(kFractured).acyclic);
  EXPECT_FALSE(Saturated(kFractured, {.snapshots = true, .session_order = true}).acyclic);
}

TEST(VersionSaturation, AtSnapshotIsolationOneOfTwoWritersSeesTheOther) {
  // T1 begins before T2 commits, because a read of T1 missed T2.
  const std::string text = "s1: [r(y,0) w(x,1)]  s2: [w(x,2) w(y,1)]";
  const Saturated snapshots(text, {.snapshots = true, .session_order = true});
  EXPECT_TRUE(snapshots.acyclic);
  EXPECT_TRUE(snapshots.concluded(0, 1));
}

TEST(Chains, FollowKnownDependenciesWithoutSessionOrder) {
  Budget budget = Budget::unlimited();
  const History history = parse_history("s1: [w(x,1)]  s2: [r(x,1) w(y,1)]  s3: [r(y,1)]  s4: [w(z,1)]");
  const Relations relations = infer_relations(history, budget);
  const CsrGraph graph = whole_dependency_graph(history, relations, {}, budget);
  const Chains chains = chains_of_graph(history, relations, {}, graph, {0, 1, 2, 3});
  EXPECT_EQ(chains.count, 2u);
  EXPECT_EQ(chains.chain, (std::vector<std::uint32_t>{0, 0, 0, 1}));
  EXPECT_EQ(chains.position, (std::vector<std::uint32_t>{0, 1, 2, 0}));
}

CheckResult checked(const History& history, Level level) {
  CheckResult result = check(history, level);
  EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  return result;
}

TEST(Polygraph, SaysWhatItTried) {
  const History history = parse_history("s1: [w(x,1)] [w(x,2)]  s2: [w(x,3)] [r(x,2)]");
  const CheckResult result = checked(history, kSer);
  EXPECT_TRUE(holds(result.verdict));
  EXPECT_EQ(result.engine, "polygraph");
  ASSERT_FALSE(result.attempts.empty());
  EXPECT_EQ(result.attempts.front().step, "saturate");
}

// No certain step and no conclusion is contradictory; only trying all cases refutes it.
TEST(Polygraph, RefutesByCases) {
  // Each key forces one of two orders, and every combination is cyclic: three writers, each pair of
  // which has some order, and readers that rule out both directions.
  const History history = parse_history(
      "a: [w(x,1) w(y,1)]  b: [w(y,2) w(z,2)]  c: [w(z,3) w(x,3)]"
      "  d: [r(x,1) w(x,4) r(z,3)]  e: [r(y,2) w(y,5) r(x,1)]  f: [r(z,3) w(z,6) r(y,2)]");
  const CheckResult result = check(history, Level::Serializable);
  EXPECT_FALSE(undecided(result.verdict));
  EXPECT_EQ(verify_witness(history, Level::Serializable, result.verdict), std::nullopt);
}

TEST(Polygraph, KeepsEveryCandidateOfARepeatedValue) {
  // In the first history some choice explains the reads, in the second none does.
  EXPECT_TRUE(holds(
      checked(parse_history("s1: [w(x,1)]  s2: [w(x,1)]  s3: [w(x,2)]  s4: [r(x,1)] [r(x,2)] [r(x,1)]"), kSer)
          .verdict));
  EXPECT_TRUE(violated(
      checked(parse_history("s1: [w(x,1)]  s2: [w(x,1)]  s3: [w(x,2)]  s4: [r(x,1)] [r(x,2)] [r(x,1)] "
                            "[r(x,2)] [r(x,1)]"),
              kSer)
          .verdict));
}

TEST(Polygraph, DoesNotRefuteByOmittingWhatMayHaveHappened) {
  const History history =
      parse_history("s1: [w(x,1)]  s2: [w(x,1)]?  s3: [w(x,2)]  s4: [r(x,1)] [r(x,2)] [r(x,1)]");
  EXPECT_FALSE(violated(checked(history, kSer).verdict));
}

TEST(Polygraph, EvidenceIsMinimal) {
  // The fractured pair among many unrelated transactions.
  std::string text = kFractured;
  for (int i = 0; i < 50; ++i) text += "  t" + std::to_string(i) + ": [w(u," + std::to_string(i + 1) + ")]";
  const CheckResult result = checked(parse_history(text), kSer);
  ASSERT_TRUE(violated(result.verdict));
  const auto& proof = std::get<Contradiction>(std::get<Violated>(result.verdict).anomalies.front().evidence);
  for (const Contradiction::Node& node : proof.nodes)
    for (const Edge& edge : node.cycle) EXPECT_LT(edge.from.index, 3u);
}

TEST(Polygraph, ObeysItsBudget) {
  const History history = simulate({.workload = "general:operations=8", .transactions = 20'000});
  Budget budget = Budget::until(Budget::Clock::now());
  const CheckResult result = check(history, kSer, {.budget = &budget});
  ASSERT_TRUE(undecided(result.verdict));
  EXPECT_EQ(std::get<Undecided>(result.verdict).cause, Undecided::Cause::TimeBudget);
}

class Tampered : public testing::Test {
 protected:
  Contradiction& proof() {
    return std::get<Contradiction>(std::get<Violated>(verdict).anomalies.front().evidence);
  }
  bool stands(Level level = Level::Serializable) const {
    return !verify_witness(history, level, verdict).has_value();
  }
  const History history = parse_history(kFractured);
  Verdict verdict = check(history, Level::Serializable).verdict;
};

TEST_F(Tampered, TheOriginalProofStands) {
  ASSERT_GT(proof().nodes.size(), 2u);
  EXPECT_TRUE(stands());
  EXPECT_TRUE(stands(Level::StrictSerializable));
  EXPECT_FALSE(stands(Level::ReadCommitted));
}

TEST_F(Tampered, NoCaseMayBeMissing) {
  proof().nodes[0].cases.pop_back();
  EXPECT_FALSE(stands());
}

TEST_F(Tampered, NoCaseMayReferBackToItsParent) {
  proof().nodes[0].cases[0] = 0;
  EXPECT_FALSE(stands());
}

TEST_F(Tampered, CasesMayNotBeSwapped) {
  std::swap(proof().nodes[0].cases[0], proof().nodes[0].cases[1]);
  EXPECT_FALSE(stands());
}

TEST_F(Tampered, ACaseSplitIsOnTwoWritesOfOneKey) {
  const auto operations = history.operations(TransactionId{0});
  proof().nodes[0].writes = {OperationId{operations.first}, OperationId{operations.first + 1}};
  EXPECT_FALSE(stands());
}

TEST_F(Tampered, ACycleMustClose) {
  for (Contradiction::Node& node : proof().nodes)
    if (!node.cycle.empty()) {
      node.cycle.pop_back();
      break;
    }
  EXPECT_FALSE(stands());
}

TEST_F(Tampered, ACaseDoesNotProveTheClaimAlone) {
  for (Contradiction::Node& node : proof().nodes)
    if (!node.cycle.empty()) {
      proof() = Contradiction{{node}};
      break;
    }
  EXPECT_FALSE(stands());
}

TEST_F(Tampered, TheAnomalyMustBeAMissingOrder) {
  std::get<Violated>(verdict).anomalies.front().kind = AnomalyKind::WriteSkew;
  EXPECT_FALSE(stands());
}

TEST(TamperedSources, NoneMayBeMissing) {
  const History history = parse_history("a: [r(x,1) w(x,1)] b: [r(x,1) w(x,1)]");
  Verdict verdict = check(history, Level::Serializable).verdict;
  ASSERT_TRUE(violated(verdict));
  EXPECT_EQ(verify_witness(history, Level::Serializable, verdict), std::nullopt);
  auto& proof = std::get<Contradiction>(std::get<Violated>(verdict).anomalies.front().evidence);
  const auto asked = std::ranges::find_if(proof.nodes, [](const auto& node) { return !node.read.is_none(); });
  ASSERT_NE(asked, proof.nodes.end());
  asked->writes.clear();
  asked->cases.clear();
  EXPECT_NE(verify_witness(history, Level::Serializable, verdict), std::nullopt);
}

// What a correct store of some level recorded is accepted at that level, at sizes beyond the oracle's
// reach.
TEST(Polygraph, AcceptsHistoriesOfCorrectStores) {
  for (const char* workload : {"general:operations=8", "registers:operations=8", "blindw-rw"}) {
    SimulationOptions options{.workload = workload, .sessions = 12, .transactions = 3000, .keys = 200};
    options.times = SimulationOptions::Times::None;
    options.order = SimulationOptions::Order::Session;
    options.level = SimulatedLevel::StrongSessionSerializable;
    const History serial = simulate(options);
    for (const Level level : {kSer, Level::Serializable, kSi})
      EXPECT_TRUE(holds(checked(serial, level).verdict)) << workload << " " << name_of(level);
    options.level = SimulatedLevel::StrongSessionSnapshotIsolation;
    EXPECT_TRUE(holds(checked(simulate(options), kSi).verdict)) << workload;
  }
}

// Every session writes x blindly. Each one has read the initial version of x before, except `changer`,
// which reads and writes x in one transaction. If `seen` is given, the changer has seen another write of
// that session's writer of x, and therefore cannot have read the initial version.
std::string many_initial_reads(int sessions, int changer, std::optional<int> seen = std::nullopt) {
  std::string out;
  for (int s = 0; s < sessions; ++s) {
    const std::string write = "w(x," + std::to_string(s + 1) + ")";
    out += "s" + std::to_string(s) + ": ";
    if (s == changer)
      out += (seen ? "[r(y,1) r(x,0) " : "[r(x,0) ") + write + "]\n";
    else
      out += "[r(x,0)] [" + write + (s == seen ? " w(y,1)]\n" : "]\n");
  }
  return out;
}

TEST(Polygraph, ReadersOfTheInitialVersionPrecedeEachOfManyWriters) {
  for (const int sessions : {3, 24, 25, 26, 40})
    for (const int changer : {0, 1, sessions / 2, sessions - 1}) {
      SCOPED_TRACE(std::to_string(sessions) + " sessions, changer " + std::to_string(changer));
      for (const Level level : {kSer, kSi, Level::Serializable})
        EXPECT_TRUE(holds(checked(parse_history(many_initial_reads(sessions, changer)), level).verdict));
      for (const int seen : {0, changer - 1, changer + 1, sessions - 1}) {
        if (seen < 0 || seen >= sessions || seen == changer) continue;
        const History history = parse_history(many_initial_reads(sessions, changer, seen));
        EXPECT_TRUE(violated(checked(history, kSer).verdict)) << "seen " << seen;
      }
    }
}

}  // namespace
}  // namespace serval
