#include "serval/inference/real_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "serval/history/history_builder.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

RC_GTEST_PROP(RealTimeOrder, CountsExactlyTheTransactionsThatEndedBefore, ()) {
  HistoryBuilder builder;
  const auto time = rc::gen::inRange<Time>(0, 12);
  const auto intervals = *rc::gen::container<std::vector<std::pair<Time, Time>>>(rc::gen::pair(time, time));
  for (const auto& [begin, length] : intervals) {
    const auto number = static_cast<std::int64_t>(builder.transaction_count());
    const TransactionId t =
        builder.begin_transaction(builder.session(Value::integer(number)), Value::integer(number));
    builder.set_interval(t, {begin, begin + length});
    if (length == 11) builder.set_outcome(t, Outcome::Indeterminate);
  }
  const History history = std::move(builder).freeze();
  Budget budget = Budget::unlimited();
  const RealTimeOrder order =
      real_time_order(history, std::vector<bool>(history.transaction_count(), true), budget);
  for (const TransactionId t : history.transactions()) {
    std::uint32_t before = 0;
    for (const TransactionId other : history.transactions()) {
      const bool ends = history.outcome(other) == Outcome::Committed && history.has_times();
      if (ends && history.interval(other).end < history.interval(t).begin) ++before;
    }
    RC_ASSERT(order.predecessors[t.index] == before);
    for (std::uint32_t i = 0; i < before; ++i)
      RC_ASSERT(history.interval(order.by_end[i]).end < history.interval(t).begin);
  }
}

TEST(Clock, ATransactionThatEndsBeforeItBeginsIsAContradiction) {
  EXPECT_TRUE(find_clock_contradiction(parse_history("a: [r(x,0)]@5..4")).has_value());
  EXPECT_FALSE(find_clock_contradiction(parse_history("a: [r(x,0)]@5..5")).has_value());
}

TEST(Clock, ASessionThatRunsBackwardsIsAContradiction) {
  EXPECT_TRUE(find_clock_contradiction(parse_history("a: [r(x,0)]@5..6 [r(x,0)] [r(x,0)]@1..2")).has_value());
  EXPECT_FALSE(find_clock_contradiction(parse_history("a: [r(x,0)]@5..6 [r(x,0)]@5..6")).has_value());
}

TEST(Clock, AHistoryWithoutTimesHasNoContradiction) {
  EXPECT_FALSE(find_clock_contradiction(parse_history("a: [r(x,0)] [r(x,0)]")).has_value());
}

}  // namespace
}  // namespace serval
