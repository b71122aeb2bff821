// What saturation shows for a violation: cycles of forced orders with the paths by which writes were visible,
// or, if possible, of plain dependencies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serval/check/check.h"
#include "serval/history/notation.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

const Violated& violation(const CheckResult& result) { return std::get<Violated>(result.verdict); }

TEST(SaturationEvidence, NamesWhatTheReaderSawAndMissed) {
  const auto kind = [](const char* notation, Level level) {
    return violation(check(parse_history(notation), level)).anomalies.front().kind;
  };
  EXPECT_EQ(kind("s1: [w(x,1) w(y,1)]  s2: [r(x,1) r(y,0)]", Level::MonotonicAtomicView),
            AnomalyKind::NonMonotonicRead);
  EXPECT_EQ(kind("s1: [w(x,1) w(y,1)]  s2: [r(y,0) r(x,1)]", Level::ReadAtomic), AnomalyKind::FracturedRead);
  EXPECT_EQ(kind("s1: [w(x,1)]  s2: [r(x,1) w(y,1)]  s3: [r(y,1) r(x,0)]", Level::Causal),
            AnomalyKind::CausalityViolation);
  EXPECT_EQ(kind("s1: [w(x,1)] [w(x,2)] [r(x,3)]  s2: [w(x,3)] [r(x,1)]", Level::ReadYourWrites),
            AnomalyKind::ReadYourWritesViolation);
  EXPECT_EQ(kind("s1: [w(x,1)]  s2: [w(x,2)]  s3: [r(x,1)] [r(x,2)] [r(x,1)]", Level::MonotonicReads),
            AnomalyKind::MonotonicReadsViolation);
}

// Two writers. For each of them, some reader saw it and yet read the other's version.
constexpr const char* kForced =
    "s1: [w(x,1) w(y,1)]  s2: [w(x,2) w(y,2)]  s3: [r(x,1) r(y,2)]  s4: [r(x,2) r(y,1)]";

TEST(SaturationEvidence, ShowsForcedOrderWithItsVisibilityPaths) {
  const CheckResult result = check(parse_history(kForced), Level::MonotonicAtomicView);
  const Anomaly& anomaly = violation(result).anomalies.front();
  EXPECT_EQ(anomaly.kind, AnomalyKind::NonMonotonicRead);
  const Cycle& cycle = std::get<Cycle>(anomaly.evidence);
  ASSERT_EQ(cycle.edges.size(), 2u);
  ASSERT_EQ(cycle.visibility_paths.size(), 2u);
  for (const Edge& edge : cycle.edges) EXPECT_EQ(edge.kind, EdgeKind::CommitOrder);
}

// Every single change to this evidence makes it false.
template <class Change>
bool still_accepted(const char* notation, Level level, Change&& change) {
  const History history = parse_history(notation);
  CheckResult result = check(history, level);
  change(std::get<Cycle>(std::get<Violated>(result.verdict).anomalies.front().evidence));
  return verify_witness(history, level, result.verdict) == std::nullopt;
}

TEST(SaturationEvidence, TamperedCyclesAreRejected) {
  const auto accepted = [](auto&& change) { return still_accepted(kForced, Level::ReadAtomic, change); };
  EXPECT_TRUE(accepted([](Cycle&) {}));
  EXPECT_FALSE(accepted([](Cycle& cycle) { cycle.visibility_paths.pop_back(); }));
  EXPECT_FALSE(accepted([](Cycle& cycle) { cycle.visibility_paths[0].path.clear(); }));
  EXPECT_FALSE(accepted(
      [](Cycle& cycle) { std::swap(cycle.visibility_paths[0].path, cycle.visibility_paths[1].path); }));
  EXPECT_FALSE(accepted([](Cycle& cycle) { cycle.edges[0].to_read = cycle.edges[1].to_read; }));
  EXPECT_FALSE(accepted([](Cycle& cycle) { std::swap(cycle.edges[0].from_op, cycle.edges[0].to_op); }));
  EXPECT_FALSE(accepted([](Cycle& cycle) { cycle.edges[0].key = KeyId{1 - cycle.edges[0].key.index}; }));
  EXPECT_FALSE(accepted([](Cycle& cycle) { cycle.visibility_paths[0].edge = 7; }));
}

TEST(SaturationEvidence, VisibilityPathsOfAStrongerLevelProveNothingAboutAWeakerOne) {
  const History history = parse_history(
      "s1: [w(x,1) w(y,1)]  s2: [w(x,2) w(y,2)]  s3: [r(y,2) r(x,1)]  s4: [r(y,1) r(x,2)]  s5: [r(x,0) "
      "r(y,1)]");
  const CheckResult result = check(history, Level::ReadAtomic);
  ASSERT_TRUE(violated(result.verdict));
  const CheckResult fractured =
      check(parse_history("s1: [w(x,1) w(y,1)]  s2: [r(x,0) r(y,1)]"), Level::ReadAtomic);
  EXPECT_NE(verify_witness(parse_history("s1: [w(x,1) w(y,1)]  s2: [r(x,0) r(y,1)]"),
                           Level::MonotonicAtomicView, fractured.verdict),
            std::nullopt);
}

// T3 saw T2's y, and then a list without T2's append. That it missed T2's z before proves nothing here.
TEST(SaturationEvidence, AMissedAppendIsShownAsADependency) {
  const History history = parse_history(
      "s3: [r(z,0) r(y,1) l(x,[1])]  s1: [a(x,1)]  s2: [l(x,[1]) a(x,2) w(y,1) w(z,1)]  s4: [l(x,[1 2])]");
  const CheckResult result = check(history, Level::MonotonicAtomicView);
  const Cycle& cycle = std::get<Cycle>(violation(result).anomalies.front().evidence);
  ASSERT_THAT(cycle.edges, testing::ElementsAre(testing::Field(&Edge::kind, EdgeKind::WriteRead),
                                                testing::Field(&Edge::kind, EdgeKind::ReadWrite)));
  EXPECT_EQ(history.format_key(cycle.edges[1].key), "x");
  EXPECT_TRUE(cycle.visibility_paths.empty());
}

// T4 saw T1, then x of T2 and of T3, so T1 comes before both. T5 saw T3, then x of T1. With its many reads,
// T4 still shows that T1 comes before T3, and not only that T2 comes between them.
TEST(SaturationEvidence, AReaderOfManyKeysShowsTheShortCycle) {
  std::string first_reads;
  for (int key = 0; key < 16; ++key) first_reads += "r(k" + std::to_string(key) + ",0) ";
  const History history =
      parse_history("s1: [w(x,1) w(y,1) w(z,1)]  s2: [w(x,2)]  s3: [w(x,3) w(u,3)]  s4: [" + first_reads +
                    "r(y,1) r(x,2) r(x,3)]  s5: [r(u,3) r(x,1)]");
  const CheckResult result = check(history, Level::MonotonicAtomicView);
  EXPECT_EQ(std::get<Cycle>(violation(result).anomalies.front().evidence).edges.size(), 2u);
  EXPECT_EQ(verify_witness(history, Level::MonotonicAtomicView, result.verdict), std::nullopt);
}

}  // namespace
}  // namespace serval
