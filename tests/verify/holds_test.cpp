#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serval/history/history_builder.h"
#include "serval/verify/verify_witness.h"
#include "verify/evidence.h"

// Commit orders and snapshots: verify_witness accepts true ones and names the first error of each false
// one.

namespace serval {
namespace {

using namespace evidence;
using evidence::flaw;
using testing::HasSubstr;

// Empty if the execution stands.
std::string flaw(const std::string& text, Level level, const Verdict& verdict) {
  return verify_witness(parse_history(text), level, verdict).value_or("");
}
std::string flaw(const std::string& text, Level level, std::initializer_list<std::uint32_t> order,
                 std::vector<std::uint32_t> snapshot = {}) {
  return flaw(text, level, holds_by(level, order, std::move(snapshot)));
}

constexpr auto kSer = Level::Serializable;
constexpr auto kSession = Level::StrongSessionSerializable;
constexpr auto kStrict = Level::StrictSerializable;
constexpr auto kSi = Level::SnapshotIsolation;
constexpr auto kSessionSi = Level::StrongSessionSnapshotIsolation;
constexpr auto kStrongSi = Level::StrongSnapshotIsolation;

const char* const kChain = "s1: [r(x,0) w(x,1)] s2: [r(x,1) w(x,2)] s3: [r(x,2)]";
const char* const kWriteSkew = "s1: [r(x,0) r(y,0) w(x,1)] s2: [r(x,0) r(y,0) w(y,1)]";

TEST(VerifyHolds, AcceptsASerialOrder) { EXPECT_EQ(flaw(kChain, kSer, {0, 1, 2}), ""); }

TEST(VerifyHolds, RejectsASwappedOrder) {
  EXPECT_EQ(flaw(kChain, kSer, {1, 0, 2}),
            "r(x,1) of T2 does not match the replay: x holds the initial version there");
}

TEST(VerifyHolds, RejectsAMissingCommittedTransaction) {
  EXPECT_EQ(flaw(kChain, kSer, {0, 1}), "T3 committed but does not take part");
}

TEST(VerifyHolds, RejectsATransactionThatOccursTwice) {
  EXPECT_EQ(flaw(kChain, kSer, {0, 1, 2, 2}), "T3 takes part twice");
}

TEST(VerifyHolds, RejectsATransactionThatDoesNotExist) {
  EXPECT_EQ(flaw(kChain, kSer, {0, 1, 2, 3}), "position 3 does not name a transaction");
}

TEST(VerifyHolds, RejectsAnAbortedTransaction) {
  EXPECT_EQ(flaw("s1: [w(x,1)]! s2: [r(x,1)]", kSer, {0, 1}), "T1 aborted and must not take part");
}

TEST(VerifyHolds, OmitsAbortedTransactions) { EXPECT_EQ(flaw("s1: [w(x,1)]! s2: [r(x,0)]", kSer, {1}), ""); }

TEST(VerifyHolds, AnIndeterminateTransactionMayBeOmitted) {
  EXPECT_EQ(flaw("s1: [w(x,1)]? s2: [r(x,0)]", kSer, {1}), "");
}

TEST(VerifyHolds, AnIndeterminateTransactionMayParticipate) {
  EXPECT_EQ(flaw("s1: [w(x,1)]? s2: [r(x,0)]", kSer, {1, 0}), "");
}

TEST(VerifyHolds, AnIndeterminateTransactionThatWasReadMustParticipate) {
  EXPECT_NE(flaw("s1: [w(x,1)]? s2: [r(x,1)]", kSer, {1}), "");
  EXPECT_EQ(flaw("s1: [w(x,1)]? s2: [r(x,1)]", kSer, {0, 1}), "");
}

TEST(VerifyHolds, ATransactionSeesItsOwnWrites) {
  EXPECT_EQ(flaw("s1: [w(x,1) r(x,1) w(x,2) r(x,2)]", kSer, {0}), "");
  EXPECT_NE(flaw("s1: [w(x,1) r(x,0)]", kSer, {0}), "");
}

TEST(VerifyHolds, OnlyTheLastWriteOfATransactionIsVisible) {
  EXPECT_NE(flaw("s1: [w(x,1) w(x,2)] s2: [r(x,1)]", kSer, {0, 1}), "");
  EXPECT_EQ(flaw("s1: [w(x,1) w(x,2)] s2: [r(x,2)]", kSer, {0, 1}), "");
}

TEST(VerifyHolds, NilAndTheInitialValueBothMatchAnUntouchedKey) {
  EXPECT_EQ(flaw("s1: [r(x,0) r(x,_) w(y,1)]", kSer, {0}), "");
}

TEST(VerifyHolds, TheInitialValueDoesNotMatchAnOverwrittenKey) {
  EXPECT_NE(flaw("s1: [w(x,1)] s2: [r(x,0)]", kSer, {0, 1}), "");
  EXPECT_NE(flaw("s1: [w(x,1)] s2: [r(x,_)]", kSer, {0, 1}), "");
}

TEST(VerifyHolds, ReadsOfAWrittenInitialValueSeeTheWriteOrTheInitialVersion) {
  EXPECT_EQ(flaw("s1: [w(x,0)] s2: [r(x,0)]", kSer, {0, 1}), "");
  EXPECT_EQ(flaw("s1: [w(x,0)] s2: [r(x,0)]", kSer, {1, 0}), "");
  EXPECT_NE(flaw("s1: [w(x,0)] s2: [r(x,0)] s3: [w(x,1)]", kSer, {0, 2, 1}), "");
}

TEST(VerifyHolds, AWriteOfAnUnknownValueWroteOneValue) {
  const History history = parse_history("s1: [w(x,?)] s2: [r(x,17)] s3: [r(x,18)]");
  const auto flaw_of = [&](std::vector<std::pair<OperationId, OperationId>> taken) {
    const Holds claim{.proven = kSer,
                      .commit_order = {TransactionId{0}, TransactionId{1}},
                      .snapshot = {},
                      .taken_writes = std::move(taken)};
    return verify_witness(parse_history("s1: [w(x,?)] s2: [r(x,17)]"), kSer, claim).value_or("");
  };
  EXPECT_EQ(flaw_of({{OperationId{0}, OperationId{1}}}), "");
  EXPECT_NE(flaw_of({}), "");
  EXPECT_NE(flaw_of({{OperationId{1}, OperationId{0}}}), "");
  EXPECT_NE(flaw_of({{OperationId{0}, OperationId{1}}, {OperationId{0}, OperationId{1}}}), "");
  EXPECT_NE(verify_witness(history, kSer,
                           Holds{.proven = kSer,
                                 .commit_order = {TransactionId{0}, TransactionId{1}, TransactionId{2}},
                                 .snapshot = {},
                                 .taken_writes = {{OperationId{0}, OperationId{1}}}}),
            std::nullopt);
}

TEST(VerifyHolds, ReadsWithUnknownAnswersAreSkipped) {
  EXPECT_EQ(flaw("s1: [w(x,1)] s2: [r(x,?)]", kSer, {0, 1}), "");
}

TEST(VerifyHolds, ReplaysCompareAndSetAsReadThenWrite) {
  EXPECT_EQ(flaw("s1: [cas(x,0,1)] s2: [cas(x,1,2)] s3: [cas(x,7,2)!]", kSer, {0, 1, 2}), "");
  EXPECT_NE(flaw("s1: [cas(x,0,1)] s2: [cas(x,0,2)]", kSer, {0, 1}), "");
}

TEST(VerifyHolds, ReplaysInsertAsReadOfNothingThenWrite) {
  EXPECT_EQ(flaw("s1: [i(x,1)] s2: [i(x,1)!]", kSer, {0, 1}), "");
  EXPECT_NE(flaw("s1: [i(x,1)] s2: [i(x,2)]", kSer, {0, 1}), "");
}

TEST(VerifyHolds, ADeletedKeyHoldsNilAndCanBeInsertedAgain) {
  EXPECT_EQ(flaw("s1: [i(x,1)] [d(x)] [r(x,_)] [i(x,2)]", kSession, {0, 1, 2, 3}), "");
  EXPECT_NE(flaw("s1: [i(x,1)] [d(x)] [r(x,0)]", kSession, {0, 1, 2}), "");
}

TEST(VerifyHolds, ReplaysListsElementByElement) {
  const char* const text = "s1: [l(x,_) a(x,1) a(x,2) l(x,[1 2])] s2: [l(x,[1 2]) a(x,3)] s3: [l(x,[1 2 3])]";
  EXPECT_EQ(flaw(text, kSer, {0, 1, 2}), "");
  EXPECT_EQ(flaw(text, kSer, {0, 2, 1}), "l(x,[1 2 3]) of T3 does not match the replay: x holds [1 2] there");
}

TEST(VerifyHolds, AnEmptyListMatchesAnUntouchedKey) { EXPECT_EQ(flaw("s1: [l(x,[])]", kSer, {0}), ""); }

// A predicate over all rows, when there is one row.
TEST(VerifyHolds, ReplaysPredicates) {
  const auto history_of = [](bool tells_row) {
    HistoryBuilder builder;
    const SessionId session = builder.session(Value::integer(1));
    const KeyId key = builder.key(Value::integer(7));
    const TransactionId writer = builder.begin_transaction(session, Value::integer(1));
    builder.add(writer, OperationKind::Write, key, Value::integer(5));
    const TransactionId reader = builder.begin_transaction(session, Value::integer(2));
    Operation read{.kind = OperationKind::PredicateRead, .predicate = builder.predicate({})};
    if (tells_row) read.rows.push_back({key, Value::integer(5)});
    builder.add(reader, read);
    return std::move(builder).freeze();
  };
  const History right = history_of(true), wrong = history_of(false);
  EXPECT_EQ(verify_witness(right, kSer, holds_by(kSer, {0, 1})), std::nullopt);
  EXPECT_NE(verify_witness(right, kSer, holds_by(kSer, {1, 0})), std::nullopt);
  EXPECT_NE(verify_witness(wrong, kSer, holds_by(kSer, {0, 1})), std::nullopt);
  EXPECT_EQ(verify_witness(right, kSi, holds_by(kSi, {0, 1}, {0, 1})), std::nullopt);
  EXPECT_NE(verify_witness(right, kSi, holds_by(kSi, {0, 1}, {0, 0})), std::nullopt);
  EXPECT_EQ(verify_witness(wrong, kSi, holds_by(kSi, {0, 1}, {0, 0})), std::nullopt);
}

// The order {1, 0} puts the question before the only write.
TEST(VerifyHolds, APredicateFindsTheInitialRowsOfKeysThatAreNotInserted) {
  HistoryBuilder builder;
  builder.set_initial_value(Value::integer(0));
  const SessionId session = builder.session(Value::integer(1));
  const TransactionId writer = builder.begin_transaction(session, Value::integer(1));
  builder.add(writer, OperationKind::Write, builder.key(Value::integer(7)), Value::integer(1));
  const TransactionId reader = builder.begin_transaction(session, Value::integer(2));
  builder.add(reader, {.kind = OperationKind::PredicateRead, .predicate = builder.predicate({})});
  const History history = std::move(builder).freeze();
  EXPECT_THAT(flaw(history, kSer, holds_by(kSer, {1, 0})), HasSubstr("7 also matches there"));
}

TEST(VerifyHolds, ARowThatAPredicateDeletesExistedBeforeItIsInserted) {
  HistoryBuilder builder;
  builder.set_initial_value(Value::integer(0));
  const KeyId key = builder.key(Value::integer(7));
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
  builder.add(t, {.kind = OperationKind::PredicateDelete,
                  .predicate = builder.predicate({}),
                  .rows = {{key, Value::nil()}}});
  builder.add(t, OperationKind::Insert, key, Value::integer(1));
  EXPECT_EQ(flaw(std::move(builder).freeze(), kSer, holds_by(kSer, {0})), "");
}

// A history of one operation over all rows, after a write of 5 to the only key.
History history_of(OperationKind kind, Value row) {
  HistoryBuilder builder;
  const SessionId session = builder.session(Value::integer(1));
  const KeyId key = builder.key(Value::integer(7));
  builder.add(builder.begin_transaction(session, Value::integer(1)), OperationKind::Write, key,
              Value::integer(5));
  builder.add(builder.begin_transaction(session, Value::integer(2)),
              {.kind = kind, .predicate = builder.predicate({}), .rows = {{key, row}}});
  return std::move(builder).freeze();
}

TEST(VerifyHolds, AnUpdateToAnUnknownRowIsNotReplayed) {
  const auto flaw_of = [](OperationKind kind, Value row) {
    return flaw(history_of(kind, row), kSer, holds_by(kSer, {0, 1}));
  };
  EXPECT_THAT(flaw_of(OperationKind::PredicateUpdate, Value::unknown()),
              HasSubstr("the value that it wrote to 7 is unknown"));
  EXPECT_EQ(flaw_of(OperationKind::PredicateUpdate, Value::integer(6)), "");
  EXPECT_EQ(flaw_of(OperationKind::PredicateRead, Value::unknown()), "");
}

TEST(VerifyHolds, AnOrderAloneDoesNotExplainPredicates) {
  const History history = history_of(OperationKind::PredicateRead, Value::integer(5));
  EXPECT_THAT(flaw(history, Level::Causal, holds_by(Level::Causal, {0, 1})),
              HasSubstr("it is not certain that p{7=5} of T2 saw a committed version"));
}

TEST(VerifyHolds, PlainSerializableIgnoresSessions) {
  EXPECT_EQ(flaw("s1: [w(x,1)] [r(x,0)]", kSer, {1, 0}), "");
}

TEST(VerifyHolds, StrongSessionKeepsSessionOrder) {
  EXPECT_EQ(flaw("s1: [w(x,1)] [r(x,0)]", kSession, {1, 0}),
            "T2 does not see T1, which precedes it in session s1");
}

TEST(VerifyHolds, StrictKeepsRealTime) {
  EXPECT_EQ(flaw("s1: [w(x,1)]@0..5 s2: [r(x,0)]@6..9", kStrict, {1, 0}),
            "T2 does not see T1, which ended before it began");
}

TEST(VerifyHolds, EqualTimesOrderNothing) {
  EXPECT_EQ(flaw("s1: [w(x,1)]@0..5 s2: [r(x,0)]@5..9", kStrict, {1, 0}), "");
}

TEST(VerifyHolds, UnknownTimesOrderNothing) {
  EXPECT_EQ(flaw("s1: [w(x,1)]@0.. s2: [r(x,0)]@6..9 s3: [r(x,0)]@..1", kStrict, {2, 1, 0}), "");
}

TEST(VerifyHolds, AnIndeterminateTransactionHasNoEnd) {
  EXPECT_EQ(flaw("s1: [w(x,1)]?@0..5 s2: [r(x,0)]@6..9 s3: [r(x,1)]@6..9", kStrict, {1, 0, 2}), "");
}

TEST(VerifyHolds, AnIndeterminateTransactionStillBegins) {
  EXPECT_NE(flaw("s1: [w(x,1)]?@6..9 s2: [r(x,1)]@0..5", kStrict, {0, 1}), "");
}

TEST(VerifyHolds, StrictKeepsSessionOrderEvenWithoutTimes) {
  EXPECT_NE(flaw("s1: [w(x,1)] [r(x,0)]", kStrict, {1, 0}), "");
}

TEST(VerifyHolds, ASerialExecutionHasNoSnapshots) {
  EXPECT_EQ(flaw(kChain, kSer, {0, 1, 2}, {0, 1, 2}), "a serial execution has no snapshot positions");
}

TEST(VerifyHolds, AcceptsWriteSkewWithTwoEqualSnapshots) {
  EXPECT_EQ(flaw(kWriteSkew, kSi, {0, 1}, {0, 0}), "");
}

TEST(VerifyHolds, RejectsAWrongSnapshot) {
  EXPECT_EQ(flaw(kWriteSkew, kSi, {0, 1}, {0, 1}), "r(x,0) of T2 does not match the replay: x holds 1 there");
}

TEST(VerifyHolds, RejectsASnapshotAfterTheCommit) {
  EXPECT_EQ(flaw(kWriteSkew, kSi, {0, 1}, {1, 0}), "the snapshot of T1 is later than its commit");
}

TEST(VerifyHolds, RejectsMissingSnapshots) {
  EXPECT_EQ(flaw(kWriteSkew, kSi, {0, 1}, {0}), "2 transactions but 1 snapshot positions");
}

TEST(VerifyHolds, RejectsWriteConflicts) {
  EXPECT_EQ(flaw("s1: [r(x,0) w(x,1)] s2: [r(x,0) w(x,2)]", kSi, {0, 1}, {0, 0}),
            "T1 and T2 both write x and neither sees the other");
}

TEST(VerifyHolds, WritersMayOverwriteWhatTheySee) {
  EXPECT_EQ(flaw("s1: [w(x,1)] s2: [w(x,2) w(x,3)] s3: [r(x,3)]", kSi, {0, 1, 2}, {0, 1, 2}), "");
}

TEST(VerifyHolds, ReadingASnapshotDoesNotChangeTheState) {
  EXPECT_EQ(flaw("s1: [r(x,0) w(x,1) w(y,1) r(x,1)] s2: [r(x,0) r(y,0)] s3: [r(x,1) r(y,1)]", kSi, {0, 1, 2},
                 {0, 0, 1}),
            "");
}

TEST(VerifyHolds, ListsGrowFromSnapshots) {
  const char* const text = "s1: [a(x,1)] s2: [l(x,[1]) a(x,2) l(x,[1 2])] s3: [l(x,[1])] s4: [l(x,[1 2])]";
  EXPECT_EQ(flaw(text, kSi, {0, 1, 2, 3}, {0, 1, 1, 2}), "");
  EXPECT_NE(flaw(text, kSi, {0, 1, 2, 3}, {0, 1, 1, 1}), "");
}

TEST(VerifyHolds, StrongSessionSnapshotsSeeTheirSession) {
  const char* const text = "s1: [r(x,0) w(x,1)] [r(x,0)]";
  EXPECT_EQ(flaw(text, kSi, {0, 1}, {0, 0}), "");
  EXPECT_EQ(flaw(text, kSessionSi, {0, 1}, {0, 0}), "T2 does not see T1, which precedes it in session s1");
}

TEST(VerifyHolds, StrongSnapshotsSeeTransactionsThatEndedBefore) {
  const char* const text = "s1: [r(x,0) w(x,1)]@0..5 s2: [r(x,0)]@6..9";
  EXPECT_EQ(flaw(text, kSessionSi, {0, 1}, {0, 0}), "");
  EXPECT_EQ(flaw(text, kStrongSi, {0, 1}, {0, 0}), "T2 does not see T1, which ended before it began");
}

// T4 ended before T1 began. T2 and T3, which come between them, overlap both.
TEST(VerifyHolds, RealTimeCountsAcrossTransactionsInBetween) {
  EXPECT_EQ(flaw("s1: [w(x,1)]@10..20 s2: [w(y,1)]@1..21 s3: [w(z,1)]@1..22 s4: [w(u,1)]@0..5", kStrict,
                 {0, 1, 2, 3}),
            "T1 does not see T4, which ended before it began");
}

TEST(VerifyHolds, RealTimeCountsWithLongerTransactionsAtTheEnd) {
  EXPECT_EQ(flaw("s1: [w(x,1)]@10..20 s2: [w(y,1)]@1..22 s3: [w(z,1)]@0..5", kStrict, {0, 2, 1}),
            "T1 does not see T3, which ended before it began");
}

TEST(VerifyHolds, OfTwoThatEndedTogetherTheLaterInTheOrderIsNamed) {
  EXPECT_EQ(flaw("s1: [w(x,1)]@10..20 s2: [w(y,1)]@0..5 s3: [w(z,1)]@0..5", kStrict, {0, 1, 2}),
            "T1 does not see T3, which ended before it began");
}

TEST(VerifyHolds, AnInvertedIntervalDoesNotPrecedeItself) {
  EXPECT_EQ(flaw("s1: [r(x,0)]@9..2", kStrongSi, {0}, {0}), "");
  EXPECT_EQ(flaw("s1: [r(x,0)]@9..2", kStrict, {0}), "");
}

TEST(VerifyHolds, AStrongerLevelProvesAWeakerOne) {
  EXPECT_EQ(flaw(kChain, kSer, holds_by(kSession, {0, 1, 2})), "");
}

TEST(VerifyHolds, AWeakerLevelDoesNotProveAStrongerOne) {
  EXPECT_NE(flaw(kChain, kSession, holds_by(kSer, {0, 1, 2})), "");
}

TEST(VerifyHolds, TheProvenLevelIsVerified) {
  EXPECT_NE(flaw("s1: [w(x,1)] [r(x,0)]", kSer, holds_by(kSession, {1, 0})), "");
}

TEST(VerifyHolds, ACommitOrderProvesNothingAboutSessionGuarantees) {
  EXPECT_EQ(flaw(kChain, Level::Causal, {0, 1, 2}), "");
  EXPECT_NE(flaw(kChain, Level::MonotonicReads, {0, 1, 2}), "");
}

TEST(VerifyHolds, LinearizableIsRealTimeOfSingleOperations) {
  const Level level = Level::Linearizable;
  EXPECT_EQ(flaw("s1: [w(x,1)]@0..5 s2: [r(x,1)]@6..9", level, {0, 1}), "");
  EXPECT_NE(flaw("s1: [w(x,1)]@0..5 s2: [r(x,0)]@6..9", level, {1, 0}), "");
  EXPECT_EQ(flaw("s1: [w(x,1)] [r(x,0)]", level, {1, 0}), "");
  EXPECT_NE(flaw("s1: [w(x,1) r(x,1)]", level, {0}), "");
}

TEST(VerifyHolds, TransactionsThatWereReadMustParticipate) {
  const char* const history = "s1: [w(x,1)]? s2: [r(x,1)]";
  EXPECT_EQ(flaw(history, Level::ReadUncommitted, {0, 1}), "");
  EXPECT_NE(flaw(history, Level::ReadUncommitted, {1}), "");
}

TEST(VerifyHolds, AtMonotonicViewAReadMissesNothingOfAWriterSeenBefore) {
  const char* const text = "s1: [w(x,1) w(y,1)] s2: [r(y,1) r(x,0)]";
  EXPECT_EQ(flaw(text, Level::MonotonicView, {0, 1}), "r(x,0) of T2 misses T1, which leads to T1");
  EXPECT_EQ(flaw(text, Level::CursorStability, {0, 1}), "");
}

TEST(VerifyHolds, AtCursorStabilityAKeyIsAListOrARegister) {
  EXPECT_EQ(flaw("s1: [w(x,[1])] s2: [l(x,[1])]", Level::CursorStability, {0, 1}),
            "x is both a list and a register");
}

TEST(VerifyHolds, AtCursorStabilityTheWritesOfAKeyTellWhetherAReadShowsAList) {
  EXPECT_EQ(flaw("s1: [a(x,1)] s2: [r(x,[1])]", Level::CursorStability, {0, 1}), "");
  EXPECT_EQ(flaw("s1: [w(x,[1])] s2: [r(x,[1])]", Level::CursorStability, {0, 1}), "");
}

TEST(VerifyHolds, AnEmptyHistoryHolds) { EXPECT_EQ(flaw("", kSi, {}), ""); }

TEST(VerifyWitness, UndecidedMakesNoClaim) {
  EXPECT_EQ(flaw(kChain, kSer, Undecided{Undecided::Cause::NoEngine, "", {}}), "");
}

}  // namespace
}  // namespace serval
