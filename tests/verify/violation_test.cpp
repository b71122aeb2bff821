#include <gtest/gtest.h>

#include "serval/history/history_builder.h"
#include "serval/verify/verify_witness.h"
#include "verify/evidence.h"

// Anomalies: verify_witness accepts what the raw operations show and names what they do not.

namespace serval {
namespace {

using namespace evidence;
using enum AnomalyKind;

constexpr auto kSer = Level::Serializable;
constexpr auto kSession = Level::StrongSessionSerializable;
constexpr auto kStrict = Level::StrictSerializable;
constexpr auto kSi = Level::SnapshotIsolation;
constexpr auto kSessionSi = Level::StrongSessionSnapshotIsolation;
constexpr auto kLinearizable = Level::Linearizable;

// Empty when the evidence stands.
std::string flaw(const History& history, Level level, const Verdict& verdict) {
  return verify_witness(history, level, verdict).value_or("");
}

bool stands(const History& history, Level level, const Verdict& verdict) {
  return !verify_witness(history, level, verdict).has_value();
}

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

TEST(VerifyBadRead, AnUnknownAnswerIsNoRead) {
  EXPECT_FALSE(bad_read_stands("s1: [r(x,?)]", ThinAirRead, {0, 0}));
}

TEST(VerifyBadRead, AWriteIsNoRead) { EXPECT_FALSE(bad_read_stands("s1: [w(x,7)]", ThinAirRead, {0, 0})); }

TEST(VerifyBadRead, TheReaderMustTakePart) {
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

TEST(VerifyBadRead, AnAbortedValueThatSomeoneElseCommittedIsNoAbortedRead) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1)]! s2: [r(x,1)] s3: [w(x,1)]", AbortedRead, {1, 0}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1)]! s2: [r(x,1)] s3: [w(x,1)]?", AbortedRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, AnAbortedWriteOfTheInitialValueDoesNotTaintIt) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,0)]! s2: [r(x,0)]", AbortedRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, AWriteOfUnknownValueMayHaveWrittenIt) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,?)] s2: [r(x,1)]", ThinAirRead, {1, 0}, {1, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,?)]! s2: [r(x,1)]", ThinAirRead, {1, 0}, {1, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,?) r(x,1)] s2: [r(x,2)]", ThinAirRead, {1, 0}, {1, 0}));
  EXPECT_TRUE(bad_read_stands("s1: [w(x,?)]! s2: [r(x,1)]", AbortedRead, {1, 0}, {0, 0}));
  EXPECT_TRUE(bad_read_stands("s1: [w(x,?) w(x,2)] s2: [r(x,1)]", IntermediateRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, OwnReadsAfterAWriteOfUnknownValueAgree) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,?) r(x,1)]", NotMyOwnWrite, {0, 1}, {0, 0}));
  EXPECT_TRUE(bad_read_stands("s1: [w(x,?) r(x,1) r(x,2)]", NotMyOwnWrite, {0, 2}, {0, 0}));
}

TEST(VerifyBadRead, ReadingOnesOwnWriteIsNoAbortedRead) {
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1)]! s2: [w(x,1) r(x,1) w(x,2)]", AbortedRead, {1, 1}, {0, 0}));
}

TEST(VerifyBadRead, IntermediateReadNamesAnOverwrittenWrite) {
  EXPECT_TRUE(bad_read_stands("s1: [w(x,1) w(x,2)] s2: [r(x,1)]", IntermediateRead, {1, 0}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1) w(x,2)] s2: [r(x,2)]", IntermediateRead, {1, 0}, {0, 1}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1) w(x,2) w(x,1)] s2: [r(x,1)]", IntermediateRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, AnIntermediateValueThatSomeoneElseLeftBehindIsNone) {
  EXPECT_FALSE(
      bad_read_stands("s1: [w(x,1) w(x,2)] s2: [r(x,1)] s3: [w(x,1)]", IntermediateRead, {1, 0}, {0, 0}));
}

TEST(VerifyBadRead, FutureReadNamesALaterOwnWrite) {
  EXPECT_TRUE(bad_read_stands("s1: [r(x,1) w(x,1)]", FutureRead, {0, 0}, {0, 1}));
  EXPECT_FALSE(bad_read_stands("s1: [w(x,1) r(x,1)]", FutureRead, {0, 1}, {0, 0}));
  EXPECT_FALSE(bad_read_stands("s1: [r(x,1) w(x,1)] s2: [w(x,1)]", FutureRead, {0, 0}, {0, 1}));
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

// Cycles.

const char* const kWriteSkew = "s1: [r(x,0) r(y,0) w(x,1)] s2: [r(x,0) r(y,0) w(y,1)]";

Verdict write_skew(const History& history) {
  return violated_by_cycle(WriteSkew, {rw(history, {0, 1}, {1, 2}, 1), rw(history, {1, 0}, {0, 2}, 0)});
}

TEST(VerifyCycle, WriteSkewViolatesSerializable) {
  const History history = parse_history(kWriteSkew);
  EXPECT_EQ(flaw(history, kSer, write_skew(history)), "");
}

TEST(VerifyCycle, WriteSkewIsAllowedAtSnapshotIsolation) {
  const History history = parse_history(kWriteSkew);
  EXPECT_EQ(flaw(history, kSi, write_skew(history)),
            "anomaly 1 (write-skew): two anti-dependencies in a row are allowed at snapshot-isolation");
}

TEST(VerifyCycle, TheInitialVersionPrecedesEveryWrite) {
  const History history = parse_history("s1: [r(x,0) w(y,1)] s2: [r(y,0) w(x,1)]");
  EXPECT_EQ(flaw(history, kSer,
                 violated_by_cycle(AntiDependencyCycle, {rw_initial(history, {0, 0}, {1, 1}),
                                                         rw_initial(history, {1, 0}, {0, 1})})),
            "");
}

TEST(VerifyCycle, MustClose) {
  const History history = parse_history(kWriteSkew);
  EXPECT_EQ(flaw(history, kSer, violated_by_cycle(WriteSkew, {rw(history, {0, 1}, {1, 2}, 1)})),
            "anomaly 1 (write-skew): does not close: edge 1 ends at T2, the next begins at T1");
}

TEST(VerifyCycle, MustHaveEdges) {
  EXPECT_FALSE(stands(parse_history(kWriteSkew), kSer, violated_by_cycle(WriteSkew, {})));
}

TEST(VerifyCycle, MustNotLoopOnOneTransaction) {
  const History history = parse_history(kWriteSkew);
  EXPECT_FALSE(stands(history, kSer, violated_by_cycle(WriteSkew, {rw(history, {0, 0}, {0, 2}, 0)})));
}

const char* const kInformationFlow = "s1: [w(x,1) r(y,1)] s2: [r(x,1) w(y,1)]";

TEST(VerifyCycle, AcceptsAFlowOfInformationInACircle) {
  const History history = parse_history(kInformationFlow);
  const Verdict verdict =
      violated_by_cycle(CyclicInformationFlow, {wr(history, {0, 0}, {1, 0}), wr(history, {1, 1}, {0, 1})});
  EXPECT_EQ(flaw(history, kSer, verdict), "");
  EXPECT_EQ(flaw(history, kSi, verdict), "");
  EXPECT_EQ(flaw(history, Level::ReadCommitted, verdict), "");
}

TEST(VerifyCycle, AnEdgeNeedsTheReadThatSawTheWrite) {
  const History history = parse_history("s1: [w(x,1) r(y,1)] s2: [r(x,0) w(y,1)]");
  EXPECT_EQ(flaw(history, kSer,
                 violated_by_cycle(CyclicInformationFlow,
                                   {wr(history, {0, 0}, {1, 0}), wr(history, {1, 1}, {0, 1})})),
            "anomaly 1 (cyclic-information-flow): edge 1: T2 does not certainly read what T1 wrote on x "
            "(r(x,0) and w(x,1))");
}

TEST(VerifyCycle, AnEdgeWithTheWrongOperationIsCaught) {
  const History history = parse_history(kInformationFlow);
  EXPECT_EQ(flaw(history, kSer,
                 violated_by_cycle(CyclicInformationFlow,
                                   {wr(history, {0, 0}, {1, 1}), wr(history, {1, 1}, {0, 1})})),
            "anomaly 1 (cyclic-information-flow): edge 1: w(y,1) of T2 is not about x");
}

TEST(VerifyCycle, AnEdgeWithTheWrongKeyIsCaught) {
  const History history = parse_history(kInformationFlow);
  Edge edge = wr(history, {0, 0}, {1, 0});
  edge.key = KeyId{1};
  EXPECT_FALSE(
      stands(history, kSer, violated_by_cycle(CyclicInformationFlow, {edge, wr(history, {1, 1}, {0, 1})})));
}

TEST(VerifyCycle, AnEdgeWithIdsFromNowhereIsCaught) {
  const History history = parse_history(kInformationFlow);
  const Edge good = wr(history, {1, 1}, {0, 1});
  for (Edge edge : {wr(history, {0, 0}, {1, 0})}) {
    edge.from_op = OperationId{99};
    EXPECT_FALSE(stands(history, kSer, violated_by_cycle(CyclicInformationFlow, {edge, good})));
    edge.from = TransactionId{99};
    EXPECT_FALSE(stands(history, kSer, violated_by_cycle(CyclicInformationFlow, {edge, good})));
    edge = wr(history, {0, 0}, {1, 0});
    edge.key = KeyId::none();
    EXPECT_FALSE(stands(history, kSer, violated_by_cycle(CyclicInformationFlow, {edge, good})));
  }
}

TEST(VerifyCycle, AReadWithTwoPossibleWritersProvesNothing) {
  const History history = parse_history("s1: [w(x,1) r(y,1)] s2: [r(x,1) w(y,1)] s3: [w(x,1)]");
  EXPECT_FALSE(stands(
      history, kSer,
      violated_by_cycle(CyclicInformationFlow, {wr(history, {0, 0}, {1, 0}), wr(history, {1, 1}, {0, 1})})));
}

TEST(VerifyCycle, AnIndeterminateSecondWriterIsPossible) {
  const History history = parse_history("s1: [w(x,1) r(y,1)] s2: [r(x,1) w(y,1)] s3: [w(x,1)]?");
  EXPECT_FALSE(stands(
      history, kSer,
      violated_by_cycle(CyclicInformationFlow, {wr(history, {0, 0}, {1, 0}), wr(history, {1, 1}, {0, 1})})));
}

TEST(VerifyCycle, AnAbortedSecondWriterIsNot) {
  const History history = parse_history("s1: [w(x,1) r(y,1)] s2: [r(x,1) w(y,1)] s3: [w(x,1)]!");
  EXPECT_TRUE(stands(
      history, kSer,
      violated_by_cycle(CyclicInformationFlow, {wr(history, {0, 0}, {1, 0}), wr(history, {1, 1}, {0, 1})})));
}

TEST(VerifyCycle, ReadsOfOnesOwnWritesProveNothing) {
  const History history = parse_history("s1: [w(x,1) r(y,1)] s2: [w(x,2) r(x,1) w(y,1)]");
  EXPECT_FALSE(stands(
      history, kSer,
      violated_by_cycle(CyclicInformationFlow, {wr(history, {0, 0}, {1, 1}), wr(history, {1, 2}, {0, 1})})));
}

TEST(VerifyCycle, IntermediateWritesAreNoVersions) {
  const History history = parse_history("s1: [w(x,1) w(x,2) r(y,1)] s2: [r(x,1) w(y,1)]");
  EXPECT_FALSE(stands(
      history, kSer,
      violated_by_cycle(CyclicInformationFlow, {wr(history, {0, 0}, {1, 0}), wr(history, {1, 1}, {0, 2})})));
}

TEST(VerifyCycle, TransactionsMustTakePart) {
  for (const char* mark : {"!", "?"}) {
    const History history = parse_history(std::string("s1: [r(x,0) w(y,1)] s2: [r(y,0) w(x,1)]") + mark);
    EXPECT_FALSE(stands(history, kSer,
                        violated_by_cycle(AntiDependencyCycle, {rw_initial(history, {0, 0}, {1, 1}),
                                                                rw_initial(history, {1, 0}, {0, 1})})))
        << mark;
  }
}

TEST(VerifyCycle, AnIndeterminateTransactionThatWasSeenTakesPart) {
  const History history =
      parse_history("s1: [r(x,0) w(y,1)] s2: [r(y,0) w(x,1)]? s3: [r(x,1) w(z,1)]? s4: [r(z,1)]");
  EXPECT_EQ(flaw(history, kSer,
                 violated_by_cycle(AntiDependencyCycle, {rw_initial(history, {0, 0}, {1, 1}),
                                                         rw_initial(history, {1, 0}, {0, 1})})),
            "");
}

TEST(VerifyCycle, AWrittenInitialValueIsNotCertainlyTheInitialVersion) {
  const History history = parse_history("s1: [r(x,0) w(y,1)] s2: [r(y,0) w(x,1)] s3: [w(x,0)]");
  EXPECT_FALSE(stands(history, kSer,
                      violated_by_cycle(AntiDependencyCycle, {rw_initial(history, {0, 0}, {1, 1}),
                                                              rw_initial(history, {1, 0}, {0, 1})})));
}

TEST(VerifyCycle, NilIsNotCertainlyInitialWhereTheKeyIsDeleted) {
  const History history = parse_history("s1: [r(x,_) w(y,1)] s2: [r(y,_) w(x,1)] s3: [d(x)]");
  EXPECT_FALSE(stands(history, kSer,
                      violated_by_cycle(AntiDependencyCycle, {rw_initial(history, {0, 0}, {1, 1}),
                                                              rw_initial(history, {1, 0}, {0, 1})})));
}

TEST(VerifyCycle, AnAntiDependencyNeedsOneSharedVersion) {
  const History history =
      parse_history("s1: [r(x,1) w(y,1)] s2: [r(y,0) r(x,2) w(x,3)] s3: [w(x,1)] s4: [r(x,1) w(x,2)]");
  EXPECT_FALSE(stands(history, kSer,
                      violated_by_cycle(AntiDependencyCycle, {rw(history, {0, 0}, {1, 2}, 1),
                                                              rw_initial(history, {1, 0}, {0, 1})})));
  EXPECT_FALSE(stands(history, kSer,
                      violated_by_cycle(AntiDependencyCycle, {rw_initial(history, {0, 0}, {1, 2}),
                                                              rw_initial(history, {1, 0}, {0, 1})})));
}

TEST(VerifyCycle, AcceptsWriteDependencies) {
  const History history = parse_history("s1: [r(x,2) w(x,1)] s2: [r(x,1) w(x,2)]");
  EXPECT_EQ(
      flaw(history, kSi,
           violated_by_cycle(DirtyWrite, {ww(history, {0, 1}, {1, 1}, 0), ww(history, {1, 1}, {0, 1}, 0)})),
      "");
}

TEST(VerifyCycle, AWriteDependencyNeedsTheReadInBetween) {
  const History history = parse_history("s1: [w(x,1)] s2: [r(x,1) w(x,2)] s3: [r(x,2) w(x,3)]");
  EXPECT_FALSE(
      stands(history, kSer, violated_by_cycle(DirtyWrite, {ww(history, {0, 0}, {2, 1}, 0), so(2, 0)})));
}

const char* const kStaleSession = "s1: [r(x,0) w(x,1)] [r(x,0)]";

TEST(VerifyCycle, SessionOrderCountsAtStrongSessionLevels) {
  const History history = parse_history(kStaleSession);
  const Verdict verdict =
      violated_by_cycle(ReadYourWritesViolation, {so(0, 1), rw(history, {1, 0}, {0, 1}, 0)});
  EXPECT_EQ(flaw(history, kSession, verdict), "");
  EXPECT_EQ(flaw(history, kSessionSi, verdict), "");
  EXPECT_EQ(flaw(history, kSer, verdict),
            "anomaly 1 (read-your-writes-violation): serializable does not use session order");
}

TEST(VerifyCycle, SessionOrderHasADirection) {
  const History history = parse_history("s1: [r(x,0)] [r(x,0) w(x,1)] s2: [r(x,0)]");
  EXPECT_FALSE(
      stands(history, kSession,
             violated_by_cycle(ReadYourWritesViolation, {so(1, 0), rw(history, {0, 0}, {1, 1}, 0)})));
  EXPECT_FALSE(
      stands(history, kSession,
             violated_by_cycle(ReadYourWritesViolation, {so(1, 2), rw(history, {2, 0}, {1, 1}, 0)})));
}

TEST(VerifyCycle, RealTimeCountsAtStrictLevels) {
  const History history = parse_history("s1: [r(x,0) w(x,1)]@0..5 s2: [r(x,0)]@6..9");
  const Verdict verdict = violated_by_cycle(ReadSkewRealTime, {rt(0, 1), rw(history, {1, 0}, {0, 1}, 0)});
  EXPECT_EQ(flaw(history, kStrict, verdict), "");
  EXPECT_EQ(flaw(history, Level::StrongSnapshotIsolation, verdict), "");
  EXPECT_FALSE(stands(history, kSession, verdict));
}

TEST(VerifyCycle, EqualTimesAndUnknownEndsOrderNothing) {
  for (const char* text :
       {"s1: [r(x,0) w(x,1)]@0..6 s2: [r(x,0)]@6..9", "s1: [r(x,0) w(x,1)]@0.. s2: [r(x,0)]@6..9",
        "s1: [r(x,0) w(x,1)]?@0..5 s2: [r(x,0)]@6..9 s3: [r(x,1)]"}) {
    const History history = parse_history(text);
    EXPECT_FALSE(stands(history, kStrict,
                        violated_by_cycle(ReadSkewRealTime, {rt(0, 1), rw(history, {1, 0}, {0, 1}, 0)})))
        << text;
  }
}

TEST(VerifyCycle, OneAntiDependencyViolatesSnapshotIsolation) {
  const History history = parse_history("s1: [r(x,0) r(y,0) w(x,1) w(y,1)] s2: [r(x,1) r(y,0)]");
  EXPECT_EQ(
      flaw(history, kSi,
           violated_by_cycle(FracturedRead, {wr(history, {0, 2}, {1, 0}), rw(history, {1, 1}, {0, 3}, 1)})),
      "");
}

TEST(VerifyCycle, TheLastAndTheFirstEdgeAreInARow) {
  const History history =
      parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,1) r(y,0) w(z,2)] s3: [r(y,0) w(y,1) r(x,0)]");
  // rw T3->T1 is last and rw T2->T3 precedes it: adjacent; wr T1->T2 does not separate them.
  EXPECT_FALSE(stands(
      history, kSi,
      violated_by_cycle(AntiDependencyCycle, {rw(history, {2, 2}, {0, 1}, 0), wr(history, {0, 1}, {1, 0}),
                                              rw(history, {1, 1}, {2, 1}, 0)})));
}

TEST(VerifyCycle, AClassThatDoesNotFitIsCaught) {
  const History history = parse_history(kWriteSkew);
  EXPECT_FALSE(
      stands(history, kSer,
             violated_by_cycle(ReadSkew, {rw(history, {0, 1}, {1, 2}, 1), rw(history, {1, 0}, {0, 2}, 0)})));
  EXPECT_FALSE(stands(
      history, kSer,
      violated_by_cycle(ThinAirRead, {rw(history, {0, 1}, {1, 2}, 1), rw(history, {1, 0}, {0, 2}, 0)})));
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

TEST(VerifyDivergence, BothBranchesTakePart) {
  const History history = parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,0) w(x,2)]?");
  EXPECT_FALSE(stands(history, kSi, violated_by(LostUpdate, divergence(history, {0, 0}, {1, 0}))));
}

TEST(VerifyDivergence, BothBranchesWrite) {
  const History history = parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,0) r(x,0)]");
  EXPECT_FALSE(stands(history, kSi, violated_by(LostUpdate, divergence(history, {0, 0}, {1, 0}))));
}

// Lightweight transactions.

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

TEST(VerifyChain, AChainThatBitesItsTailIsUnreachable) {
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

TEST(VerifyChain, RealTimeReachesAlongTheChain) {
  EXPECT_TRUE(chain_breaks("s1: [i(x,1)]@6..9 s2: [cas(x,1,2)] s3: [cas(x,2,3)] s4: [r(x,3)]@0..5",
                           Rule::RealTime, 0, 3));
}

TEST(VerifyChain, AStaleReadBreaksRealTime) {
  EXPECT_TRUE(chain_breaks("s1: [r(x,1)]@8..9 s2: [cas(x,1,2)]@0..5 s3: [i(x,1)]", Rule::RealTime, 0, 1));
  EXPECT_TRUE(chain_breaks("s1: [r(x,0)]@8..9 s2: [cas(x,1,2)]@0..5 s3: [i(x,1)]", Rule::RealTime, 0, 1));
  EXPECT_FALSE(chain_breaks("s1: [r(x,2)]@8..9 s2: [cas(x,1,2)]@0..5 s3: [i(x,1)]", Rule::RealTime, 0, 1));
}

TEST(VerifyChain, RealTimeSaysNothingAtSerializable) {
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

TEST(VerifyViolation, CountsCoverWhatIsShown) {
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
