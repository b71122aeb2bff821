#include <gtest/gtest.h>

#include "serval/verify/verify_witness.h"
#include "verify/evidence.h"

// Cycles: each edge is proven from the raw operations, and the level forbids the cycle.

namespace serval {
namespace {

using namespace evidence;
using enum AnomalyKind;

constexpr auto kSer = Level::Serializable;
constexpr auto kSession = Level::StrongSessionSerializable;
constexpr auto kStrict = Level::StrictSerializable;
constexpr auto kSi = Level::SnapshotIsolation;
constexpr auto kSessionSi = Level::StrongSessionSnapshotIsolation;

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

TEST(VerifyCycle, AcceptsACyclicInformationFlow) {
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

TEST(VerifyCycle, AWrongOperationOfAnEdgeIsCaught) {
  const History history = parse_history(kInformationFlow);
  EXPECT_EQ(flaw(history, kSer,
                 violated_by_cycle(CyclicInformationFlow,
                                   {wr(history, {0, 0}, {1, 1}), wr(history, {1, 1}, {0, 1})})),
            "anomaly 1 (cyclic-information-flow): edge 1: w(y,1) of T2 is not about x");
}

TEST(VerifyCycle, AWrongKeyOfAnEdgeIsCaught) {
  const History history = parse_history(kInformationFlow);
  Edge edge = wr(history, {0, 0}, {1, 0});
  edge.key = KeyId{1};
  EXPECT_FALSE(
      stands(history, kSer, violated_by_cycle(CyclicInformationFlow, {edge, wr(history, {1, 1}, {0, 1})})));
}

TEST(VerifyCycle, InvalidIdsOfAnEdgeAreCaught) {
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

TEST(VerifyCycle, AnAbortedSecondWriterIsImpossible) {
  const History history = parse_history("s1: [w(x,1) r(y,1)] s2: [r(x,1) w(y,1)] s3: [w(x,1)]!");
  EXPECT_TRUE(stands(
      history, kSer,
      violated_by_cycle(CyclicInformationFlow, {wr(history, {0, 0}, {1, 0}), wr(history, {1, 1}, {0, 1})})));
}

TEST(VerifyCycle, ReadsOfOwnWritesProveNothing) {
  const History history = parse_history("s1: [w(x,1) r(y,1)] s2: [w(x,2) r(x,1) w(y,1)]");
  EXPECT_FALSE(stands(
      history, kSer,
      violated_by_cycle(CyclicInformationFlow, {wr(history, {0, 0}, {1, 1}), wr(history, {1, 2}, {0, 1})})));
}

TEST(VerifyCycle, IntermediateWritesAreNotVersions) {
  const History history = parse_history("s1: [w(x,1) w(x,2) r(y,1)] s2: [r(x,1) w(y,1)]");
  EXPECT_FALSE(stands(
      history, kSer,
      violated_by_cycle(CyclicInformationFlow, {wr(history, {0, 0}, {1, 0}), wr(history, {1, 1}, {0, 2})})));
}

TEST(VerifyCycle, TransactionsMustParticipate) {
  for (const char* mark : {"!", "?"}) {
    const History history = parse_history(std::string("s1: [r(x,0) w(y,1)] s2: [r(y,0) w(x,1)]") + mark);
    EXPECT_FALSE(stands(history, kSer,
                        violated_by_cycle(AntiDependencyCycle, {rw_initial(history, {0, 0}, {1, 1}),
                                                                rw_initial(history, {1, 0}, {0, 1})})))
        << mark;
  }
}

TEST(VerifyCycle, AnIndeterminateTransactionThatWasReadParticipates) {
  const History history =
      parse_history("s1: [r(x,0) w(y,1)] s2: [r(y,0) w(x,1)]? s3: [r(x,1) w(z,1)]? s4: [r(z,1)]");
  EXPECT_EQ(flaw(history, kSer,
                 violated_by_cycle(AntiDependencyCycle, {rw_initial(history, {0, 0}, {1, 1}),
                                                         rw_initial(history, {1, 0}, {0, 1})})),
            "");
}

TEST(VerifyCycle, AReadOfARewrittenInitialValueIsAmbiguous) {
  const History history = parse_history("s1: [r(x,0) w(y,1)] s2: [r(y,0) w(x,1)] s3: [w(x,0)]");
  EXPECT_FALSE(stands(history, kSer,
                      violated_by_cycle(AntiDependencyCycle, {rw_initial(history, {0, 0}, {1, 1}),
                                                              rw_initial(history, {1, 0}, {0, 1})})));
}

TEST(VerifyCycle, ANilReadOfADeletedKeyIsAmbiguous) {
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

TEST(VerifyCycle, TheLastAndTheFirstEdgeAreAdjacent) {
  const History history =
      parse_history("s1: [r(x,0) w(x,1)] s2: [r(x,1) r(y,0) w(z,2)] s3: [r(y,0) w(y,1) r(x,0)]");
  // rw T3->T1 is last and rw T2->T3 precedes it, so they are adjacent; wr T1->T2 does not separate them.
  EXPECT_FALSE(stands(
      history, kSi,
      violated_by_cycle(AntiDependencyCycle, {rw(history, {2, 2}, {0, 1}, 0), wr(history, {0, 1}, {1, 0}),
                                              rw(history, {1, 1}, {2, 1}, 0)})));
}

TEST(VerifyCycle, AMismatchedClassIsCaught) {
  const History history = parse_history(kWriteSkew);
  EXPECT_FALSE(
      stands(history, kSer,
             violated_by_cycle(ReadSkew, {rw(history, {0, 1}, {1, 2}, 1), rw(history, {1, 0}, {0, 2}, 0)})));
  EXPECT_FALSE(stands(
      history, kSer,
      violated_by_cycle(ThinAirRead, {rw(history, {0, 1}, {1, 2}, 1), rw(history, {1, 0}, {0, 2}, 0)})));
}

TEST(VerifyCycle, AReadMustShowTheOrderOfTwoAppends) {
  const History history = parse_history("s1: [a(x,1)] s2: [a(x,2)] s3: [l(x,[1 2])]");
  const auto shown = [&](Place from, Place to) { return data_edge(history, EdgeKind::WriteWrite, from, to); };
  EXPECT_EQ(
      flaw(history, kSer, violated_by_cycle(DirtyWrite, {shown({0, 0}, {1, 0}), shown({1, 0}, {0, 0})})),
      "anomaly 1 (dirty-write): edge 2: no read shows that a(x,2) came before a(x,1)");
}

// The second transaction read what the first wrote, and wrote itself. At read-uncommitted that orders
// nothing.
TEST(VerifyCycle, AtReadUncommittedReadsDoNotOrderWrites) {
  const History history = parse_history("s1: [r(x,2) w(x,3)] [r(x,0) w(x,2)]");
  const Verdict claim =
      violated_by_cycle(AnomalyKind::DirtyWriteSession, {ww(history, {1, 1}, {0, 1}, 0), so(0, 1)});
  EXPECT_NE(verify_witness(history, Level::StrongSessionReadUncommitted, claim), std::nullopt);
  EXPECT_EQ(verify_witness(history, Level::StrongSessionReadCommitted, claim), std::nullopt);
}

// T1's last append to x is 2, which comes before 3. The missing 1 does not matter for session
// guarantees.
TEST(VerifyCycle, SessionGuaranteesConcernTheLastAppendOfATransaction) {
  const History history = parse_history("s1: [a(x,1) a(x,2)]\ns2: [a(x,3) l(x,[2 3])]");
  const auto shown = [&](Place from, Place to) { return data_edge(history, EdgeKind::WriteWrite, from, to); };
  const Verdict claim =
      violated_by_cycle(AnomalyKind::DirtyWrite, {shown({0, 1}, {1, 0}), shown({1, 0}, {0, 0})});
  EXPECT_NE(verify_witness(history, Level::MonotonicWrites, claim), std::nullopt);
  EXPECT_EQ(verify_witness(history, Level::ReadCommitted, claim), std::nullopt);
}

}  // namespace
}  // namespace serval
