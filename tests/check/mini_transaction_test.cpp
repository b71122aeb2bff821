#include <algorithm>

#include <gtest/gtest.h>

#include "serval/check/check.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

Verdict verdict_of(const std::string& notation, Level level) {
  return check(parse_history(notation), level).verdict;
}

std::string first_anomaly(const std::string& notation, Level level) {
  const Verdict verdict = verdict_of(notation, level);
  if (holds(verdict)) return "holds";
  if (undecided(verdict)) return "undecided: " + std::get<Undecided>(verdict).reason;
  return std::string(name_of(std::get<Violated>(verdict).anomalies.front().kind));
}

constexpr Level kSer = Level::StrongSessionSerializable;
constexpr Level kSi = Level::StrongSessionSnapshotIsolation;

TEST(MiniTransaction, AnEmptyHistoryHolds) {
  EXPECT_EQ(first_anomaly("", Level::StrictSerializable), "holds");
  EXPECT_EQ(first_anomaly("", kSer), "holds");
}

TEST(MiniTransaction, WithoutTimesStrictLevelsStayUndecided) {
  EXPECT_EQ(first_anomaly("a: [r(x,0)] b: [r(x,0)]", Level::StrictSerializable),
            "undecided: the history has no times");
}

TEST(MiniTransaction, WriteSkewViolatesSerializabilityOnly) {
  const std::string skew = "a: [r(x,0) r(y,0) w(x,1)] b: [r(x,0) r(y,0) w(y,1)]";
  EXPECT_EQ(first_anomaly(skew, Level::Serializable), "write-skew");
  EXPECT_EQ(first_anomaly(skew, kSi), "holds");
}

TEST(MiniTransaction, LostUpdateViolatesSnapshotIsolation) {
  const std::string lost = "a: [r(x,0) w(x,1)] b: [r(x,0) w(x,2)]";
  EXPECT_EQ(first_anomaly(lost, Level::SnapshotIsolation), "lost-update");
  EXPECT_EQ(first_anomaly(lost, Level::Serializable), "lost-update");
}

TEST(MiniTransaction, LongForkViolatesSnapshotIsolation) {
  const std::string fork = "a: [r(x,0) w(x,1)] b: [r(y,0) w(y,1)] c: [r(x,1) r(y,0)] d: [r(y,1) r(x,0)]";
  EXPECT_EQ(first_anomaly(fork, Level::SnapshotIsolation), "long-fork");
  EXPECT_EQ(first_anomaly(fork, Level::Serializable), "long-fork");
}

TEST(MiniTransaction, NonMonotonicReadsAreDistinguishedFromFracturedReads) {
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1) r(y,0) w(y,1)] b: [r(x,0) r(y,1)]", Level::SnapshotIsolation),
            "fractured-read");
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1) r(y,0) w(y,1)] b: [r(y,1) r(x,0)]", Level::SnapshotIsolation),
            "non-monotonic-read");
}

TEST(MiniTransaction, SessionOrderCountsOnlyWhereTheLevelUsesIt) {
  const std::string stale = "a: [r(x,0) w(x,1)] [r(x,0)]";
  EXPECT_EQ(first_anomaly(stale, Level::Serializable), "holds");
  EXPECT_EQ(first_anomaly(stale, Level::SnapshotIsolation), "holds");
  EXPECT_EQ(first_anomaly(stale, kSer), "read-your-writes-violation");
  EXPECT_EQ(first_anomaly(stale, kSi), "read-your-writes-violation");
}

TEST(MiniTransaction, AStaleReadMuchLaterInTheSessionIsOneStep) {
  const Verdict verdict = verdict_of("a: [r(x,0) w(x,1)] [r(y,0)] [r(y,0)] [r(y,0)] [r(x,0)]", kSer);
  ASSERT_TRUE(violated(verdict));
  EXPECT_EQ(std::get<Cycle>(std::get<Violated>(verdict).anomalies.front().evidence).edges.size(), 2u);
}

TEST(MiniTransaction, RealTimeIsStrict) {
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)]@1..2 b: [r(x,0)]@3..4", Level::StrictSerializable),
            "read-skew-realtime");
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)]@1..2 b: [r(x,0)]@3..4", Level::StrongSnapshotIsolation),
            "read-skew-realtime");
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)]@1..2 b: [r(x,0)]@2..4", Level::StrictSerializable), "holds");
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)]@1..2 b: [r(x,0)]@3..4", kSer), "holds");
}

TEST(MiniTransaction, AContradictoryClockProvesNothing) {
  EXPECT_TRUE(undecided(verdict_of("a: [r(x,0) w(x,1)]@5..2", Level::StrictSerializable)));
  EXPECT_TRUE(undecided(verdict_of("a: [r(x,0)]@5..6 [r(x,0)]@1..2", Level::StrictSerializable)));
}

TEST(MiniTransaction, ASingleBlindWriteOfAKeyIsItsFirstVersion) {
  EXPECT_EQ(first_anomaly("a: [w(x,1) w(y,1)] b: [r(x,1) w(x,2)] c: [r(x,0)]", Level::Serializable), "holds");
  EXPECT_EQ(first_anomaly("a: [w(x,1)] b: [w(x,2)]", Level::Serializable), "holds");
  EXPECT_EQ(first_anomaly("a: [w(x,1)] b: [r(x,0) w(x,2)]", Level::Serializable), "holds");
}

TEST(MiniTransaction, RepeatedValuesAreTriedWhereTheyAreRead) {
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)] [r(x,1) w(x,2)] [r(x,2) w(x,1)]", kSer), "holds");
  EXPECT_EQ(
      first_anomaly("a: [r(x,0) w(x,1)] [r(x,1) w(x,2)] b: [r(y,0) w(y,7)] [r(x,2) w(x,9)] [r(y,7) w(y,7)]",
                    kSer),
      "holds");
  EXPECT_EQ(first_anomaly("a: [r(x,1) w(x,1)] b: [r(x,1) w(x,1)]", kSer), "no-serial-order");
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)] [r(x,1) w(x,5)] [r(y,0) w(y,5)] b: [r(z,0) w(z,5)]", kSer),
            "holds");
}

TEST(MiniTransaction, AnIndeterminateTransactionCountsOnceItIsSeen) {
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)]? b: [r(x,0) w(x,2)]", Level::Serializable), "holds");
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)]? b: [r(x,0) w(x,2)] c: [r(x,1)]", Level::Serializable),
            "lost-update");
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)]? b: [r(x,1) w(x,2)]? c: [r(x,2)] d: [r(x,0) w(x,3)]",
                          Level::Serializable),
            "lost-update");
}

TEST(MiniTransaction, TransactionsMayHaveAnyNumberOfOperations) {
  std::string many = "a: [";
  for (int key = 0; key < 40; ++key)
    many += "r(" + std::to_string(key) + ",0) w(" + std::to_string(key) + ",1) ";
  for (int key = 0; key < 40; ++key) many += "r(" + std::to_string(key) + ",1) ";
  EXPECT_EQ(first_anomaly(many + "]", kSer), "holds");
  EXPECT_EQ(first_anomaly(many + "r(7,0)]", kSer), "not-my-own-write");
}

// Every transaction reads what the next one overwrites: one cycle through all of them, and no shorter
// one.
TEST(MiniTransaction, ARingOfManyTransactionsIsFoundInLinearEffort) {
  constexpr int kLength = 30'000;
  std::string ring;
  for (int t = 0; t < kLength; ++t) {
    const std::string mine = std::to_string(t), next = std::to_string((t + 1) % kLength);
    ring += mine + ": [r(" + mine + ",0) r(" + next + ",0) w(" + next + ",1)] ";
  }
  const Verdict verdict = verdict_of(ring, Level::Serializable);
  ASSERT_TRUE(violated(verdict));
  EXPECT_EQ(std::get<Cycle>(std::get<Violated>(verdict).anomalies.front().evidence).edges.size(),
            static_cast<std::size_t>(kLength));
}

TEST(MiniTransaction, AKeyThatIsBothListAndRegisterIsUndecided) {
  EXPECT_EQ(first_anomaly("a: [a(x,1) l(x,[1])] [w(x,2)]", kSer),
            "undecided: the history has operations whose effects the reads alone do not reveal");
}

TEST(Check, AWeakerLevelHoldsWhenAStrongerOneIsProven) {
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)] b: [r(x,1)]", Level::ReadCommitted), "holds");
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)]! b: [r(x,1)]", Level::ReadCommitted), "aborted-read");
}

TEST(Check, ACycleOfReadsRefutesReadCommitted) {
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1) r(y,1)] b: [r(y,0) w(y,1) r(x,1)]", Level::ReadCommitted),
            "cyclic-information-flow");
}

TEST(Check, RepeatableReadIsSerializabilityWithoutPredicates) {
  EXPECT_EQ(first_anomaly("a: [r(x,0) r(y,0) w(x,1)] b: [r(x,0) r(y,0) w(y,1)]", Level::RepeatableRead),
            "write-skew");
  EXPECT_EQ(first_anomaly("a: [r(x,0) w(x,1)] [r(x,0)]", Level::RepeatableRead), "holds");
}

}  // namespace
}  // namespace serval
