#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serval/history/history_builder.h"
#include "verify/evidence.h"

// Anomalies: verify_witness accepts what the raw operations show and names what they do not.

namespace serval {
namespace {

using namespace evidence;
using enum AnomalyKind;
using testing::HasSubstr;

constexpr auto kSer = Level::Serializable;
constexpr auto kStrict = Level::StrictSerializable;
constexpr auto kSi = Level::SnapshotIsolation;
constexpr auto kLinearizable = Level::Linearizable;

bool bad_read_stands(const std::string& text, AnomalyKind kind, Place read, Place source) {
  const History history = parse_history(text);
  return stands(history, kSer, bad_read(history, kind, read, source));
}
bool bad_read_stands(const std::string& text, AnomalyKind kind, Place read) {
  const History history = parse_history(text);
  return stands(history, kSer, bad_read(history, kind, read));
}

TEST(VerifyBadRead, ThinAirMeansThatNobodyWroteTheValue) {
  EXPECT_TRUE(bad_read_stands("s1: [r(x,7)]", ThinAirRead, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,7)] s2: [w(x,7)]", ThinAirRead, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,7)] s2: [w(x,7)]!", ThinAirRead, {0, 0}));
}

TEST(VerifyBadRead, AnotherKeysValueIsThinAir) {
  EXPECT_TRUE(bad_read_stands("s1: [r(x,7)] s2: [w(y,7)]", ThinAirRead, {0, 0}));
}

TEST(VerifyBadRead, TheInitialValueIsNeverThinAir) {
  EXPECT_FALSE(bad_read_stands("s1: [r(x,0)]", ThinAirRead, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,_)]", ThinAirRead, {0, 0}));
}

TEST(VerifyBadRead, AnUnknownAnswerIsNotARead) {
  EXPECT_FALSE(bad_read_stands("s1: [r(x,?)]", ThinAirRead, {0, 0}));
}

TEST(VerifyBadRead, AWriteIsNotARead) { EXPECT_FALSE(bad_read_stands("s1: [w(x,7)]", ThinAirRead, {0, 0})); }

TEST(VerifyBadRead, TheReaderMustParticipate) {
  EXPECT_FALSE(bad_read_stands("s1: [r(x,7)]!", ThinAirRead, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,7)]?", ThinAirRead, {0, 0}));
  EXPECT_TRUE(bad_read_stands("s1: [r(x,7) w(y,1)]? s2: [r(y,1)]", ThinAirRead, {0, 0}));
}

TEST(VerifyBadRead, CitingAnotherTransactionsReadIsCaught) {
  const History history = parse_history("s1: [r(x,7)] s2: [r(x,7)]");
  EXPECT_EQ(flaw(history, kSer, violated_by(ThinAirRead, BadRead{txn(0), op(history, 1, 0)})),
            "anomaly 1 (thin-air-read): cites a read that T1 does not have");
}

TEST(VerifyBadRead, AbortedReadNamesTheAbortedWrite) {
  EXPECT_TRUE(bad_read_stands("s1: [w(x,1)]! s2: [r(x,1)]", AbortedRead, {1, 0}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1)] s2: [r(x,1)]", AbortedRead, {1, 0}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,2)]! s2: [r(x,1)]", AbortedRead, {1, 0}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1)]! s2: [r(x,1)]", AbortedRead, {1, 0}));
}

TEST(VerifyBadRead, AnAbortedValueThatAnotherCommittedIsNotAnAbortedRead) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1)]! s2: [r(x,1)] s3: [w(x,1)]", AbortedRead, {1, 0}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1)]! s2: [r(x,1)] s3: [w(x,1)]?", AbortedRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, AnAbortedWriteOfTheInitialValueProvesNothing) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,0)]! s2: [r(x,0)]", AbortedRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, AWriteOfAnUnknownValueMayHaveWrittenIt) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,?)] s2: [r(x,1)]", ThinAirRead, {1, 0}, {1, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,?)]! s2: [r(x,1)]", ThinAirRead, {1, 0}, {1, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,?) r(x,1)] s2: [r(x,2)]", ThinAirRead, {1, 0}, {1, 0}));
  EXPECT_TRUE(bad_read_stands("s1: [w(x,?)]! s2: [r(x,1)]", AbortedRead, {1, 0}, {0, 0}));
  EXPECT_TRUE(bad_read_stands("s1: [w(x,?) w(x,2)] s2: [r(x,1)]", IntermediateRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, OwnReadsAfterAWriteOfAnUnknownValueAgree) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,?) r(x,1)]", NotMyOwnWrite, {0, 1}, {0, 0}));
  EXPECT_TRUE(bad_read_stands("s1: [w(x,?) r(x,1) r(x,2)]", NotMyOwnWrite, {0, 2}, {0, 0}));
}

TEST(VerifyBadRead, ReadingOwnWritesIsNotAnAbortedRead) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1)]! s2: [w(x,1) r(x,1) w(x,2)]", AbortedRead, {1, 1}, {0, 0}));
}

TEST(VerifyBadRead, IntermediateReadNamesAnOverwrittenWrite) {
  EXPECT_TRUE(bad_read_stands("s1: [w(x,1) w(x,2)] s2: [r(x,1)]", IntermediateRead, {1, 0}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1) w(x,2)] s2: [r(x,2)]", IntermediateRead, {1, 0}, {0, 1}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1) w(x,2) w(x,1)] s2: [r(x,1)]", IntermediateRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, AnIntermediateValueThatAnotherCommittedIsNotAnIntermediateRead) {
  EXPECT_FALSE(
      bad_read_stands("s1: [w(x,1) w(x,2)] s2: [r(x,1)] s3: [w(x,1)]", IntermediateRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, FutureReadNamesALaterOwnWrite) {
  EXPECT_TRUE(bad_read_stands("s1: [r(x,1) w(x,1)]", FutureRead, {0, 0}, {0, 1}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1) r(x,1)]", FutureRead, {0, 1}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,1) w(x,1)] s2: [w(x,1)]", FutureRead, {0, 0}, {0, 1}));
}

TEST(VerifyBadRead, AFutureReadOfAListNamesALaterOwnAppend) {
  EXPECT_TRUE(bad_read_stands("s1: [l(x,[1]) a(x,1)]", FutureRead, {0, 0}, {0, 1}));
  EXPECT_FALSE(bad_read_stands("s1: [a(x,1) l(x,[1])]", FutureRead, {0, 1}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [l(x,[1])] s2: [a(x,1)]", FutureRead, {0, 0}, {1, 0}));
}

TEST(VerifyBadRead, NotMyOwnWriteSeesAnothersValue) {
  EXPECT_TRUE(bad_read_stands("s1: [w(x,1) r(x,2)] s2: [w(x,2)]", NotMyOwnWrite, {0, 1}, {0, 0}));
  EXPECT_TRUE(bad_read_stands("s1: [w(x,1) r(x,0)]", NotMyOwnWrite, {0, 1}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1) r(x,1)]", NotMyOwnWrite, {0, 1}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,2) w(x,1)] s2: [w(x,2)]", NotMyOwnWrite, {0, 0}, {0, 1}));
}

TEST(VerifyBadRead, NotMyLastWriteSeesAnEarlierOwnValue) {
  EXPECT_TRUE(bad_read_stands("s1: [w(x,1) w(x,2) r(x,1)]", NotMyLastWrite, {0, 2}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1) w(x,2) r(x,2)]", NotMyLastWrite, {0, 2}, {0, 1}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1) w(x,2) r(x,1)]", NotMyOwnWrite, {0, 2}, {0, 1}));
}

TEST(VerifyBadRead, NonRepeatableReadsDisagreeWithoutAnOwnWrite) {
  const std::string writers = " s2: [w(x,1)] s3: [w(x,2)]";
  EXPECT_TRUE(bad_read_stands("s1: [r(x,1) r(x,2)]" + writers, NonRepeatableRead, {0, 1}, {0, 0}));
  EXPECT_TRUE(bad_read_stands("s1: [r(x,0) r(x,2)]" + writers, NonRepeatableRead, {0, 1}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,1) r(x,1)]" + writers, NonRepeatableRead, {0, 1}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,1) w(x,3) r(x,3)]" + writers, NonRepeatableRead, {0, 2}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,1) r(y,0)]" + writers, NonRepeatableRead, {0, 1}, {0, 0}));
}

TEST(VerifyBadRead, NilAndTheInitialValueAgree) {
  EXPECT_FALSE(bad_read_stands("s1: [r(x,_) r(x,0)]", NonRepeatableRead, {0, 1}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,_) r(x,0)] s2: [w(x,0)]", NonRepeatableRead, {0, 1}, {0, 0}));
}

TEST(VerifyBadRead, ReadCommittedAllowsNonRepeatableReads) {
  const History history = parse_history("s1: [r(x,1) r(x,0)] s2: [w(x,1)]");
  const Verdict verdict = bad_read(history, NonRepeatableRead, {0, 1}, {0, 0});
  EXPECT_FALSE(stands(history, Level::ReadCommitted, verdict));
  EXPECT_TRUE(stands(history, kSi, verdict));
}

TEST(VerifyBadRead, ListKeysAreNotJudged) {
  EXPECT_FALSE(bad_read_stands("s1: [r(x,7)] s2: [a(x,1)]", ThinAirRead, {0, 0}));
}

// Divergence.

Divergence divergence(const History& history, Place first_read, Place second_read) {
  return {KeyId{0},
          OperationId::none(),
          {txn(first_read.transaction), op(history, first_read.transaction, first_read.position),
           op(history, first_read.transaction, first_read.position + 1)},
          {txn(second_read.transaction), op(history, second_read.transaction, second_read.position),
           op(history, second_read.transaction, second_read.position + 1)}};
}

TEST(VerifyDivergence, TwoUpdatesOfTheInitialVersion) {
  const History history = parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,0) w(x,2)]");
  const Verdict verdict = violated_by(LostUpdate, divergence(history, {0, 0}, {1, 0}));
  EXPECT_EQ(flaw(history, kSi, verdict), "");
  EXPECT_EQ(flaw(history, kSer, verdict), "");
  EXPECT_FALSE(stands(history, Level::ReadCommitted, verdict));
}

TEST(VerifyDivergence, NilAndTheInitialValueAreOneVersion) {
  const History history = parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,_) w(x,2)]");
  EXPECT_TRUE(stands(history, kSi, violated_by(LostUpdate, divergence(history, {0, 0}, {1, 0}))));
}

TEST(VerifyDivergence, TwoUpdatesOfAWrittenVersion) {
  const History history = parse_history("s1: [r(x,5) w(x,1)] s2: [r(x,5) w(x,2)] s3: [w(x,5)]");
  Divergence claim = divergence(history, {0, 0}, {1, 0});
  EXPECT_FALSE(stands(history, kSi, violated_by(LostUpdate, claim)));
  claim.version = op(history, 2, 0);
  EXPECT_TRUE(stands(history, kSi, violated_by(LostUpdate, claim)));
}

TEST(VerifyDivergence, DifferentVersionsDoNotDiverge) {
  const History history = parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,1) w(x,2)]");
  EXPECT_FALSE(stands(history, kSi, violated_by(LostUpdate, divergence(history, {0, 0}, {1, 0}))));
}

TEST(VerifyDivergence, OneTransactionDoesNotDiverge) {
  const History history = parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,0) w(x,2)]");
  EXPECT_FALSE(stands(history, kSi, violated_by(LostUpdate, divergence(history, {0, 0}, {0, 0}))));
}

TEST(VerifyDivergence, BothBranchesMustParticipate) {
  const History history = parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,0) w(x,2)]?");
  EXPECT_FALSE(stands(history, kSi, violated_by(LostUpdate, divergence(history, {0, 0}, {1, 0}))));
}

TEST(VerifyDivergence, BothBranchesMustWrite) {
  const History history = parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,0) r(x,0)]");
  EXPECT_FALSE(stands(history, kSi, violated_by(LostUpdate, divergence(history, {0, 0}, {1, 0}))));
}

// Proofs by cases.

Edge by_case(Edge edge) {
  edge.basis = OrderBasis::Case;
  return edge;
}

// T3 saw x=1 of T1 or of T2, and wrote the y that T1 read.
TEST(VerifyContradiction, AnEdgeOfACaseNeedsItsAnswer) {
  const History history = parse_history("s1: [w(x,1) r(y,1)] s2: [w(x,1)] s3: [r(x,1) w(y,1)]");
  const std::vector<Edge> cycle{by_case(wr(history, {0, 0}, {2, 0})), wr(history, {2, 1}, {0, 1})};
  const Contradiction claim{
      {{.read = op(history, 2, 0), .writes = {op(history, 0, 0), op(history, 1, 0)}, .cases = {1, 2}},
       {.cycle = cycle},
       {.cycle = cycle}}};
  EXPECT_THAT(flaw(history, kSer, violated_by(NoSerialOrder, claim)),
              HasSubstr("a source that the case does not give"));
}

// If x=1 came before x=2, T1 precedes T2, whose y it read. The other case needs another cycle.
TEST(VerifyContradiction, AnOrderOfACaseIsItsAnswer) {
  const History history = parse_history("s1: [w(x,1) r(y,1)] s2: [w(x,2) w(y,1)]");
  const std::vector<Edge> cycle{by_case(data_edge(history, EdgeKind::WriteWrite, {0, 0}, {1, 0})),
                                wr(history, {1, 1}, {0, 1})};
  const Contradiction claim{{{.writes = {op(history, 0, 0), op(history, 1, 0)}, .cases = {1, 2}},
                             {.cycle = cycle},
                             {.cycle = cycle}}};
  EXPECT_THAT(flaw(history, kSer, violated_by(NoSerialOrder, claim)),
              HasSubstr("an order that the case does not give"));
}

TEST(VerifyContradiction, AQuestionIsAboutWritesThatExist) {
  const History history = parse_history("s1: [w(x,1)] s2: [w(x,2)]");
  const auto end = static_cast<std::uint32_t>(history.operation_count());
  const Contradiction claim{{{.writes = {op(history, 0, 0), OperationId{end}}, .cases = {1, 1}}, {}}};
  EXPECT_THAT(flaw(history, kSer, violated_by(NoSerialOrder, claim)),
              HasSubstr("cites a write that does not exist"));
}

// Chains of lightweight transactions.

bool chain_breaks(const std::string& text, ChainBreak::Rule rule, std::uint32_t first,
                  std::optional<std::uint32_t> second = std::nullopt, Level level = kLinearizable) {
  const History history = parse_history(text);
  return stands(history, level,
                violated_by(BrokenChain, ChainBreak{rule, KeyId{0}, op(history, first, 0),
                                                    second ? op(history, *second, 0) : OperationId::none()}));
}

using Rule = ChainBreak::Rule;

TEST(VerifyChain, TwoInsertsOfOneKeyCannotBothSucceed) {
  EXPECT_TRUE(chain_breaks("s1: [i(x,1)] s2: [i(x,2)]", Rule::TwoInserts, 0, 1));
  EXPECT_FALSE(chain_breaks("s1: [i(x,1)] s2: [i(x,1)!]", Rule::TwoInserts, 0, 1));
  EXPECT_FALSE(chain_breaks("s1: [i(x,1)] s2: [i(x,2)]", Rule::TwoInserts, 0, 0));
  EXPECT_FALSE(chain_breaks("s1: [i(x,1)] s2: [i(x,2)]?", Rule::TwoInserts, 0, 1));
}

TEST(VerifyChain, ADeleteBetweenTwoInsertsExplainsThem) {
  EXPECT_FALSE(chain_breaks("s1: [i(x,1)] s2: [i(x,2)] s3: [d(x)]", Rule::TwoInserts, 0, 1));
}

TEST(VerifyChain, AnInsertOfNilLeavesNoRow) {
  EXPECT_FALSE(chain_breaks("s1: [i(x,_)] s2: [i(x,1)]", Rule::TwoInserts, 0, 1));
  EXPECT_FALSE(chain_breaks("s1: [i(x,1)] s2: [i(x,_)]", Rule::TwoInserts, 0, 1));
}

TEST(VerifyChain, InsertsOfDifferentKeysAreFine) {
  EXPECT_FALSE(chain_breaks("s1: [i(x,1)] s2: [i(y,2)]", Rule::TwoInserts, 0, 1));
}

TEST(VerifyChain, TwoOperationsCannotReplaceOneValue) {
  EXPECT_TRUE(chain_breaks("s1: [cas(x,1,2)] s2: [cas(x,1,3)] s3: [i(x,1)]", Rule::TwoSuccessors, 0, 1));
  EXPECT_FALSE(chain_breaks("s1: [cas(x,1,2)] s2: [cas(x,2,3)] s3: [i(x,1)]", Rule::TwoSuccessors, 0, 1));
  EXPECT_FALSE(chain_breaks("s1: [cas(x,1,2)] s2: [r(x,1)] s3: [i(x,1)]", Rule::TwoSuccessors, 0, 1));
  EXPECT_FALSE(
      chain_breaks("s1: [cas(x,1,2)] s2: [cas(x,1,3)] s3: [i(x,1)] s4: [w(x,1)]", Rule::TwoSuccessors, 0, 1));
}

TEST(VerifyChain, AValueThatNobodyWroteCannotBeSeen) {
  EXPECT_TRUE(chain_breaks("s1: [cas(x,7,8)] s2: [i(x,1)]", Rule::NeverWritten, 0));
  EXPECT_TRUE(chain_breaks("s1: [i(x,7)!] s2: [i(x,7)]!", Rule::NeverWritten, 0));
  EXPECT_FALSE(chain_breaks("s1: [cas(x,1,8)] s2: [i(x,1)]", Rule::NeverWritten, 0));
  EXPECT_FALSE(chain_breaks("s1: [cas(x,0,8)] s2: [i(x,1)]", Rule::NeverWritten, 0));
}

TEST(VerifyChain, ACyclicChainIsUnreachable) {
  EXPECT_TRUE(chain_breaks("s1: [cas(x,1,2)] s2: [cas(x,2,1)]", Rule::Unreachable, 0));
  EXPECT_TRUE(chain_breaks("s1: [cas(x,1,2)] s2: [cas(x,7,1)]", Rule::Unreachable, 0));
  EXPECT_FALSE(chain_breaks("s1: [cas(x,1,2)] s2: [i(x,1)]", Rule::Unreachable, 0));
  EXPECT_FALSE(chain_breaks("s1: [cas(x,1,2)] s2: [cas(x,0,1)]", Rule::Unreachable, 0));
}

TEST(VerifyChain, AnOperationCannotBeginAfterItsSuccessorEnded) {
  EXPECT_TRUE(chain_breaks("s1: [i(x,1)]@6..9 s2: [cas(x,1,2)]@0..5", Rule::RealTime, 0, 1));
  EXPECT_TRUE(chain_breaks("s1: [i(x,1)]@6..9 s2: [cas(x,1,2)]@0..5", Rule::RealTime, 1, 0));
  EXPECT_FALSE(chain_breaks("s1: [i(x,1)]@5..9 s2: [cas(x,1,2)]@0..5", Rule::RealTime, 0, 1));
  EXPECT_FALSE(chain_breaks("s1: [i(x,1)]@0..5 s2: [cas(x,1,2)]@6..9", Rule::RealTime, 0, 1));
}

TEST(VerifyChain, RealTimeAppliesAlongTheChain) {
  EXPECT_TRUE(chain_breaks("s1: [i(x,1)]@6..9 s2: [cas(x,1,2)] s3: [cas(x,2,3)] s4: [r(x,3)]@0..5",
                           Rule::RealTime, 0, 3));
}

TEST(VerifyChain, AStaleReadBreaksRealTime) {
  EXPECT_TRUE(chain_breaks("s1: [r(x,1)]@8..9 s2: [cas(x,1,2)]@0..5 s3: [i(x,1)]", Rule::RealTime, 0, 1));
  EXPECT_TRUE(chain_breaks("s1: [r(x,0)]@8..9 s2: [cas(x,1,2)]@0..5 s3: [i(x,1)]", Rule::RealTime, 0, 1));
  EXPECT_FALSE(chain_breaks("s1: [r(x,2)]@8..9 s2: [cas(x,1,2)]@0..5 s3: [i(x,1)]", Rule::RealTime, 0, 1));
}

TEST(VerifyChain, RealTimeDoesNotCountAtSerializable) {
  EXPECT_FALSE(chain_breaks("s1: [i(x,1)]@6..9 s2: [cas(x,1,2)]@0..5", Rule::RealTime, 0, 1, kSer));
  EXPECT_TRUE(chain_breaks("s1: [i(x,1)]@6..9 s2: [cas(x,1,2)]@0..5", Rule::RealTime, 0, 1, kStrict));
}

TEST(VerifyChain, OnlySingleOperationsFormChains) {
  EXPECT_FALSE(chain_breaks("s1: [i(x,1) r(x,1)] s2: [i(x,2)]", Rule::TwoInserts, 0, 1));
}

// The claim as a whole.

TEST(VerifyViolation, NeedsAnAnomaly) {
  EXPECT_EQ(flaw(parse_history(kWriteSkew), kSer, Violated{}), "a violation without an anomaly");
}

TEST(VerifyViolation, EveryAnomalyIsVerified) {
  const History history = parse_history(kWriteSkew);
  Violated claim = std::get<Violated>(write_skew(history));
  claim.anomalies.push_back({ThinAirRead, BadRead{txn(0), op(history, 0, 0)}});
  claim.counts[ThinAirRead] = 1;
  EXPECT_FALSE(stands(history, kSer, claim));
}

TEST(VerifyViolation, CountsMustCoverTheAnomaliesShown) {
  const History history = parse_history(kWriteSkew);
  Violated claim = std::get<Violated>(write_skew(history));
  claim.counts.clear();
  EXPECT_FALSE(stands(history, kSer, claim));
}

TEST(VerifyViolation, PredicateUpdatesHideWriters) {
  HistoryBuilder builder;
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
  const KeyId key = builder.key(Value::integer(1));
  builder.add(t, OperationKind::Read, key, Value::integer(7));
  builder.add(t, {.kind = OperationKind::PredicateUpdate,
                  .predicate = builder.predicate({}),
                  .rows = {{key, Value::integer(7)}}});
  const History history = std::move(builder).freeze();
  EXPECT_FALSE(stands(history, kSer, bad_read(history, ThinAirRead, {0, 0})));
}

}  // namespace
}  // namespace serval
