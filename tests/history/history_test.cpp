#include "serval/history/history.h"

#include <gtest/gtest.h>

#include "serval/history/changed_history.h"
#include "serval/history/history_builder.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

TEST(Value, EqualExactlyWhenSpelledAlike) {
  ValuePool pool;
  EXPECT_EQ(pool.text("abc"), pool.text("abc"));
  EXPECT_NE(pool.text("1"), pool.number("1"));
  EXPECT_NE(pool.text("1.5"), pool.number("1.5"));
  EXPECT_EQ(pool.number("0012"), Value::integer(12));
  EXPECT_EQ(pool.number("-0"), Value::integer(0));
  EXPECT_EQ(pool.number("18446744073709551615"), pool.number("+18446744073709551615"));
  EXPECT_EQ(pool.list({Value::integer(1), Value::integer(2)}),
            pool.list({Value::integer(1), Value::integer(2)}));
  EXPECT_NE(pool.list({Value::integer(1)}), pool.list({Value::integer(2)}));
  EXPECT_EQ(pool.list({}), pool.list({}));
}

TEST(Value, HoldsTheWholeRangeOf64BitIntegers) {
  ValuePool pool;
  for (const std::int64_t number : {std::numeric_limits<std::int64_t>::min(), Value::kMinInline - 1,
                                    Value::kMinInline, std::int64_t{-1}, std::int64_t{0}, Value::kMaxInline,
                                    Value::kMaxInline + 1, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(pool.format(pool.integer(number)), std::to_string(number));
    EXPECT_EQ(pool.number(std::to_string(number)), pool.integer(number));
  }
}

TEST(HistoryBuilder, GroupsInterleavedOperationsByTransaction) {
  HistoryBuilder builder;
  const SessionId session = builder.session(Value::integer(1));
  const KeyId x = builder.key(Value::integer(5));
  const TransactionId first = builder.begin_transaction(session, Value::integer(10));
  const TransactionId second = builder.begin_transaction(session, Value::integer(11));
  builder.add(second, {.kind = OperationKind::Write, .key = x, .value = Value::integer(1), .version = 7});
  builder.add(first, OperationKind::Write, x, Value::integer(2));
  builder.add(second, {.kind = OperationKind::CompareAndSet,
                       .key = x,
                       .value = Value::integer(3),
                       .expected = Value::integer(1),
                       .time = {4, 5}});
  const History history = std::move(builder).freeze();
  EXPECT_EQ(print_history(history), "1: [w(5,2)] [w(5,1) cas(5,1,3)]\n");
  EXPECT_EQ(history.operation(OperationId{1}).version, 7);
  EXPECT_EQ(history.operation(OperationId{2}).time, (Interval{4, 5}));
  EXPECT_EQ(history.transaction_of(OperationId{0}), first);
  EXPECT_EQ(history.transaction_of(OperationId{2}), second);
}

TEST(HistoryBuilder, KeepsEmptyTransactionsAndHints) {
  HistoryBuilder builder;
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
  builder.set_hints(t, {.commit_timestamp = 9, .node = "n1"});
  const TransactionId u = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(2));
  builder.set_interval(u, {3, 4});
  const History history = std::move(builder).freeze();
  EXPECT_TRUE(history.operations(t).empty());
  EXPECT_EQ(history.hints(t)->node, "n1");
  EXPECT_EQ(history.hints(u), nullptr);
  EXPECT_EQ(history.interval(t), Interval{});
  EXPECT_EQ(history.interval(u), (Interval{3, 4}));
}

TEST(ClockError, WidensEveryIntervalAtBothEnds) {
  const History history = parse_history("a: [r(x,0) w(x,1)]@10..15 [w(y,2)] b: [r(x,1)]?@20..30");
  EXPECT_EQ(print_history(with_clock_error(history, 3)),
            print_history(parse_history("a: [r(x,0) w(x,1)]@7..18 [w(y,2)] b: [r(x,1)]?@17..33")));
  EXPECT_EQ(print_history(with_clock_error(history, 0)), print_history(history));
}

TEST(ClockError, WidensTheIntervalsOfOperations) {
  HistoryBuilder builder;
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
  builder.set_interval(t, {2, 9});
  builder.add(t, {.key = builder.key(Value::integer(5)), .value = Value::integer(1), .time = {4, 5}});
  builder.add(t,
              {.key = builder.key(Value::integer(5)), .value = Value::integer(1), .time = {6, kUnknownEnd}});
  const History history = with_clock_error(std::move(builder).freeze(), 100);
  EXPECT_EQ(history.interval(t), (Interval{-98, 109}));
  EXPECT_EQ(history.operation(OperationId{0}).time, (Interval{-96, 105}));
  EXPECT_EQ(history.operation(OperationId{1}).time, (Interval{-94, kUnknownEnd}));
}

TEST(ClockError, TimesThatBecomeTooGreatAreUnknown) {
  HistoryBuilder builder;
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
  builder.set_interval(t, {kUnknownBegin + 5, kUnknownEnd - 5});
  const History history = std::move(builder).freeze();
  EXPECT_EQ(with_clock_error(history, 4).interval(t), (Interval{kUnknownBegin + 1, kUnknownEnd - 1}));
  EXPECT_EQ(with_clock_error(history, 6).interval(t), Interval{});
}

}  // namespace
}  // namespace serval
