#include "serval/inference/lint.h"

#include <gtest/gtest.h>

#include "serval/history/notation.h"

namespace serval {
namespace {

Lint lint_of(std::string_view text) { return lint(parse_history(text)); }

TEST(Lint, ReadModifyWritesWithUniqueValuesFitTheMiniTransactionEngine) {
  EXPECT_TRUE(fits_mini_transactions(lint_of("s1: [r(x,0) w(x,1)] [r(x,1) w(x,2)]  s2: [r(x,1)]")));
}

TEST(Lint, AWriteWithoutAReadIsBlind) {
  const Lint facts = lint_of("s1: [w(x,1)] [r(x,1) w(x,2)] [w(y,3) w(y,4)]");
  EXPECT_EQ(facts.blind_writes.count, 2u);
  EXPECT_EQ(facts.blindly_written_keys, 2u);
}

TEST(Lint, OneBlindWritePerKeyIsItsFirstVersionAndTwoHaveNoOrder) {
  EXPECT_TRUE(fits_mini_transactions(lint_of("s1: [w(x,1) w(y,1)] [r(x,1) w(x,2)]")));
  EXPECT_FALSE(fits_mini_transactions(lint_of("s1: [w(x,1)] [w(x,2)]")));
}

TEST(Lint, RepeatedValuesMatterOnlyWhereTheyAreRead) {
  EXPECT_TRUE(fits_mini_transactions(lint_of("s1: [r(x,0) w(x,1)] [r(x,1) w(x,2)]  s2: [r(x,2) w(x,1)]!")));
  EXPECT_FALSE(fits_mini_transactions(lint_of("s1: [r(x,0) w(x,1)] [r(x,1) w(x,2)] [r(x,2) w(x,1)]")));
}

TEST(Lint, AReadByAnotherTransactionDoesNotMakeAWriteNonBlind) {
  EXPECT_EQ(lint_of("s1: [r(x,0)] [w(x,1)]").blind_writes.count, 1u);
}

TEST(Lint, AbortedBlindWritesDoNotMatter) { EXPECT_EQ(lint_of("s1: [w(x,1)]!").blind_writes.count, 0u); }

TEST(Lint, OneValueWrittenTwiceToOneKeyIsADuplicate) {
  const Lint facts = lint_of("s1: [r(x,0) w(x,1)]  s2: [r(x,0) w(x,1)]  s3: [r(y,0) w(y,1)]");
  ASSERT_EQ(facts.duplicate_writes.count, 1u);
  EXPECT_EQ(facts.duplicate_writes.examples[0], (std::pair{OperationId{1}, OperationId{3}}));
}

TEST(Lint, ExamplesAreFewAndCountsAreExact) {
  const Lint facts = lint_of("s1: [w(a,1)] [w(b,1)] [w(c,1)] [w(d,1)] [w(e,1)]");
  EXPECT_EQ(facts.blind_writes.count, 5u);
  EXPECT_EQ(facts.blind_writes.examples.size(), Tally<OperationId>::kExamples);
}

TEST(Lint, ReadOfAValueNobodyWroteIsCounted) {
  EXPECT_EQ(lint_of("s1: [r(x,7) r(y,0) r(z,_) r(u,?)]").unwritten_reads.count, 1u);
  EXPECT_EQ(lint_of("s1: [a(x,1)]  s2: [l(x,[1 2])]").unwritten_reads.count, 1u);
}

TEST(Lint, SameRequestsAfterAnAbortLookLikeARetry) {
  const Lint facts = lint_of("s1: [r(x,0) w(x,1)]! [r(x,5) w(x,1)]");
  EXPECT_EQ(facts.retries.count, 1u);
  EXPECT_EQ(facts.repeated_attempts.count, 1u);
  EXPECT_EQ(lint_of("s1: [r(x,0) w(x,1)]! [r(x,0) w(x,2)]").retries.count, 0u);
}

TEST(Lint, RepeatedReadsAfterAnAbortAreNotARetry) {
  EXPECT_EQ(lint_of("s1: [r(x,0)]! [r(x,0)]").retries.count, 0u);
}

TEST(Lint, ClockFaultsAreCounted) {
  const Lint facts = lint_of("s1: [r(x,0)]@9..5  s2: [r(x,0)]@0..5 [r(x,0)]@5..8 [r(x,0)]@7..9 [r(x,0)]");
  EXPECT_EQ(facts.ends_before_begin.count, 1u);
  EXPECT_EQ(facts.equal_times.count, 1u);
  EXPECT_EQ(facts.overlaps.count, 1u);
  EXPECT_EQ(facts.timed, 4u);
}

TEST(Lint, VersionOrderIsTotalIfEveryWriteShowsItsPredecessor) {
  const Lint facts = lint_of("s1: [r(x,0) w(x,1)] [r(x,1) w(x,2)]  s2: [w(y,1)]  s3: [w(z,1)] [w(z,2)]");
  EXPECT_EQ(facts.keys_total_order, 2u);
  EXPECT_EQ(facts.keys_partial_order, 0u);
  EXPECT_EQ(facts.keys_no_order, 1u);
}

TEST(Lint, TwoWritesOverOneVersionLeaveTheOrderPartial) {
  EXPECT_EQ(lint_of("s1: [r(x,0) w(x,1)]  s2: [r(x,0) w(x,2)]").keys_partial_order, 1u);
}

TEST(Lint, ListsOrderTheirKeyAsFarAsTheyWereRead) {
  EXPECT_EQ(lint_of("s1: [a(x,1)] [a(x,2)]  s2: [l(x,[1 2])]").keys_total_order, 1u);
  EXPECT_EQ(lint_of("s1: [a(x,1)] [a(x,2)]  s2: [l(x,[1])]").keys_partial_order, 1u);
  EXPECT_EQ(lint_of("s1: [a(x,1)] [a(x,2)]").keys_no_order, 1u);
}

TEST(Lint, SingleConditionalOperationsFitTheLightweightEngine) {
  const History chain = parse_history("s1: [i(x,1)] [cas(x,1,2)]  s2: [i(x,2)!]");
  EXPECT_TRUE(fits_lightweight_transactions(lint(chain), chain));
  const History pair = parse_history("s1: [i(x,1) cas(x,1,2)]");
  EXPECT_FALSE(fits_lightweight_transactions(lint(pair), pair));
}

TEST(Lint, EmptyHistoryHasNothingToReport) {
  const Lint facts = lint(History{});
  EXPECT_EQ(facts.duplicate_writes.count + facts.blind_writes.count + facts.keys_total_order, 0u);
}

}  // namespace
}  // namespace serval
