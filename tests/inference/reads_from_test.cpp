#include "serval/inference/reads_from.h"

#include <gtest/gtest.h>

#include "serval/history/notation.h"

namespace serval {
namespace {

struct Inferred {
  explicit Inferred(const std::string& notation) : history(parse_history(notation)) {
    Budget budget = Budget::unlimited();
    relations = infer_relations(history, budget);
  }
  // The transaction from which t's first access reads, -1 for the initial version, -2 for an unresolved read.
  int source(std::uint32_t t) const {
    const VersionId read = relations.read_write_sets.of(TransactionId{t})[0].read;
    if (read.is_none()) return -2;
    const TransactionId writer = relations.read_write_sets.versions[read.index].writer;
    return writer.is_none() ? -1 : static_cast<int>(writer.index);
  }
  std::vector<ReadFault> faults() const {
    std::vector<ReadFault> kinds;
    for (const FaultyRead& read : relations.faults) kinds.push_back(read.fault);
    return kinds;
  }
  History history;
  Relations relations;
};

TEST(ReadWriteSet, KeepsTheFirstExternalReadAndTheLastWriteOfAKey) {
  const Inferred inferred("a: [r(x,0) w(x,1) r(x,1) w(x,2)]");
  const ReadWriteSets& read_write_sets = inferred.relations.read_write_sets;
  ASSERT_EQ(read_write_sets.of(TransactionId{0}).size(), 1u);
  EXPECT_EQ(read_write_sets.read_operation[0], OperationId{0});
  EXPECT_EQ(read_write_sets.write_operation[read_write_sets.accesses[0].written.index], OperationId{3});
}

TEST(ReadWriteSet, FindsKeysAmongManyInOneTransaction) {
  std::string text = "a: [";
  for (int key = 0; key < 30; ++key) text += "r(" + std::to_string(key) + ",0) ";
  for (int key = 0; key < 30; ++key) text += "w(" + std::to_string(key) + ",1) ";
  const Inferred inferred(text + "]");
  EXPECT_EQ(inferred.relations.read_write_sets.of(TransactionId{0}).size(), 30u);
  EXPECT_TRUE(inferred.faults().empty());
}

TEST(ReadWriteSet, IgnoresReadsWithoutAnAnswer) {
  const Inferred inferred("a: [r(x,?) w(x,1)]? b: [r(x,1)]");
  EXPECT_EQ(inferred.source(1), 0);
  EXPECT_TRUE(inferred.relations.read_write_sets.read_operation[0].is_none());
}

TEST(ReadsFrom, ZeroIsTheInitialVersionUnlessATransactionLeavesIt) {
  EXPECT_EQ(Inferred("a: [r(x,0)] b: [w(y,0)]").source(0), -1);
  EXPECT_EQ(Inferred("a: [r(x,0)] b: [w(x,0)]!").source(0), -1);
  EXPECT_EQ(Inferred("a: [r(x,0)] b: [w(x,0) w(x,1)]").source(0), -1);
  EXPECT_EQ(Inferred("a: [r(x,_)] b: [w(x,0)]").source(0), -1);
  EXPECT_EQ(Inferred("a: [cas(x,0,0)]").source(0), -1);
  EXPECT_EQ(Inferred("a: [r(x,0)] b: [w(x,0)]").relations.ambiguous_reads, std::vector{OperationId{0}});
  EXPECT_EQ(Inferred("a: [r(x,0)] b: [w(x,0)]?").relations.ambiguous_reads, std::vector{OperationId{0}});
}

TEST(ReadsFrom, NilAndZeroAgreeBecauseBothMayBeInitial) {
  EXPECT_TRUE(Inferred("a: [r(x,0) r(x,_)]").faults().empty());
  EXPECT_TRUE(Inferred("a: [r(x,0) r(x,_)] b: [w(x,0)]").faults().empty());
}

TEST(ReadsFrom, OwnReadsShowWhatAWriteOfAnUnknownValueWrote) {
  EXPECT_TRUE(Inferred("a: [w(x,?) r(x,5)]").faults().empty());
  EXPECT_EQ(Inferred("a: [w(x,?) r(x,5) r(x,6)]").faults(), std::vector{ReadFault::NotMyOwnWrite});
}

TEST(ReadsFrom, AnUnknownWriteMayHaveWrittenAnything) {
  EXPECT_EQ(Inferred("a: [w(x,?)]! b: [r(x,7)]").faults(), std::vector{ReadFault::Aborted});
  EXPECT_EQ(Inferred("a: [w(x,?) w(x,1)] b: [r(x,7)]").faults(), std::vector{ReadFault::Intermediate});
}

TEST(ReadsFrom, NamesEveryFault) {
  EXPECT_EQ(Inferred("a: [r(x,7)]").faults(), std::vector{ReadFault::ThinAir});
  EXPECT_EQ(Inferred("a: [w(x,7)]! b: [r(x,7)]").faults(), std::vector{ReadFault::Aborted});
  EXPECT_EQ(Inferred("a: [w(x,7) w(x,8)] b: [r(x,7)]").faults(), std::vector{ReadFault::Intermediate});
  EXPECT_EQ(Inferred("a: [r(x,7) w(x,7)]").faults(), std::vector{ReadFault::Future});
  EXPECT_EQ(Inferred("a: [r(x,7) w(x,7) w(x,8)]").faults(), std::vector{ReadFault::Future});
  EXPECT_EQ(Inferred("a: [w(x,7) w(x,8) r(x,7)]").faults(), std::vector{ReadFault::NotMyLastWrite});
  EXPECT_EQ(Inferred("a: [w(x,7) r(x,8)] b: [w(x,8)]").faults(), std::vector{ReadFault::NotMyOwnWrite});
  EXPECT_EQ(Inferred("a: [r(x,0) r(x,8)] b: [w(x,8)]").faults(), std::vector{ReadFault::NonRepeatable});
}

TEST(ReadsFrom, ACommittedWriterIsPreferredToAnAbortedOne) {
  EXPECT_EQ(Inferred("a: [r(x,7)] b: [w(x,7)]! c: [w(x,7)]").source(0), 2);
}

TEST(ReadsFrom, AValueLeftByTwoTransactionsIsAmbiguousWhenRead) {
  EXPECT_EQ(Inferred("a: [w(x,7)] b: [w(x,7)] c: [r(x,7)]").relations.ambiguous_reads.size(), 1u);
  EXPECT_TRUE(
      Inferred("a: [r(x,0) w(x,7)] b: [r(y,0) w(y,7)] c: [r(x,7)]").relations.ambiguous_reads.empty());
}

TEST(ReadsFrom, IndeterminateTransactionsParticipateIfAParticipantReadThem) {
  const Inferred inferred("a: [w(x,1)]? b: [r(x,1) w(y,1)]? c: [r(y,1)] d: [w(z,1)]? e: [r(z,1)]?");
  EXPECT_EQ(inferred.relations.takes_part, (std::vector{true, true, true, false, false}));
}

TEST(ReadsFrom, FaultsOfTransactionsThatDoNotParticipateDoNotCount) {
  EXPECT_TRUE(Inferred("a: [r(x,7)]?").faults().empty());
  EXPECT_TRUE(Inferred("a: [r(x,7)]!").faults().empty());
}

TEST(VersionOrder, FollowsReadModifyWrites) {
  const Inferred inferred("a: [r(x,0) w(x,1)] b: [r(x,1) w(x,2)]");
  const std::vector<Version>& versions = inferred.relations.read_write_sets.versions;
  EXPECT_EQ(versions[0].overwriter, TransactionId{0});
  EXPECT_EQ(versions[1].overwriter, TransactionId{1});
  EXPECT_TRUE(versions[2].overwriter.is_none());
  EXPECT_TRUE(inferred.relations.order_is_complete());
}

TEST(VersionOrder, TwoOverwritersOfOneVersionDiverge) {
  EXPECT_EQ(Inferred("a: [r(x,0) w(x,1)] b: [r(x,0) w(x,2)]").relations.divergences.size(), 1u);
}

TEST(VersionOrder, ASecondBlindWriteLeavesTheOrderOpen) {
  EXPECT_TRUE(Inferred("a: [w(x,1)] b: [r(x,1) w(x,2)]").relations.order_is_complete());
  EXPECT_EQ(Inferred("a: [w(x,1)] b: [w(x,2)]").relations.open_writes.size(), 1u);
  EXPECT_EQ(Inferred("a: [w(x,1)] b: [r(x,0) w(x,2)]").relations.open_writes.size(), 1u);
}

TEST(VersionOrder, CompareAndSetAndInsertReadAndWrite) {
  const Inferred inferred("a: [i(x,1)] b: [cas(x,1,2)] c: [cas(x,7,2)!] d: [i(x,2)!]");
  EXPECT_EQ(inferred.source(0), -1);
  EXPECT_EQ(inferred.source(1), 0);
  EXPECT_EQ(inferred.source(2), 1);
  EXPECT_EQ(inferred.source(3), 1);
  EXPECT_TRUE(inferred.relations.order_is_complete());
}

TEST(RepeatedReads, AreResolvedIndividuallyOnceTwoDiffer) {
  const Inferred inferred("a: [w(x,1)] b: [r(x,0) r(x,0) r(x,1) r(x,0) w(x,2) r(x,2)]");
  ASSERT_EQ(inferred.relations.repeated_reads.size(), 2u);
  const RepeatedRead& newer = inferred.relations.repeated_reads[0];
  EXPECT_EQ(newer.read, OperationId{3});
  EXPECT_EQ(inferred.relations.read_write_sets.versions[newer.version.index].writer, TransactionId{0});
  EXPECT_EQ(inferred.relations.repeated_reads[1].version, VersionId{newer.key.index});
  EXPECT_EQ(inferred.faults(), std::vector{ReadFault::NonRepeatable});
}

TEST(RepeatedReads, AreJudgedLikeAnyOtherRead) {
  EXPECT_EQ(Inferred("a: [w(x,1)]! b: [r(x,0) r(x,1)]").faults(),
            (std::vector{ReadFault::Aborted, ReadFault::NonRepeatable}));
  EXPECT_EQ(Inferred("a: [r(x,0) r(x,1) w(x,1)]").faults(),
            (std::vector{ReadFault::Future, ReadFault::NonRepeatable}));
}

TEST(RepeatedReads, MakeTheTransactionTheySawParticipate) {
  EXPECT_TRUE(Inferred("a: [w(x,1)]? b: [r(x,0) r(x,1)]").relations.takes_part[0]);
}

}  // namespace
}  // namespace serval
