#include "serval/online/mirror_history.h"

#include <gtest/gtest.h>

#include "serval/history/history_builder.h"
#include "serval/history/notation.h"

namespace serval::online {
namespace {

// The numbers of the transactions in the records of a history with these labels.
std::vector<std::uint64_t> numbers(const std::vector<Value>& labels) {
  HistoryBuilder builder;
  const SessionId session = builder.session(Value::integer(1));
  Time now = 0;
  for (const Value& label : labels) {
    builder.set_interval(builder.begin_transaction(session, label), {now, now + 1});
    now += 2;
  }
  const History history = std::move(builder).freeze();
  std::vector<std::uint64_t> out;
  for (const Record& record : records_of(history).records)
    if (record.kind == RecordKind::Begin) out.push_back(record.transaction);
  return out;
}

TEST(MirrorHistory, NumbersTransactionsByTheirLabels) {
  EXPECT_EQ(numbers({Value::integer(7), Value::integer(3)}), (std::vector<std::uint64_t>{7, 3}));
}

TEST(MirrorHistory, CountsTransactionsWhoseLabelsAreNotDistinctPositiveNumbers) {
  for (const std::vector<Value>& labels :
       {std::vector{Value::integer(7), Value::integer(0)}, std::vector{Value::integer(7), Value::nil()},
        std::vector{Value::integer(7), Value::integer(7)}})
    EXPECT_EQ(numbers(labels), (std::vector<std::uint64_t>{1, 2}));
}

std::vector<Interval> times(const History& history, Time clock_error) {
  std::vector<Interval> out;
  for (const Record& record : records_of(history, nullptr, clock_error).records)
    if (record.kind != RecordKind::Initial) out.push_back(record.time);
  return out;
}

// A commit takes place after the last operation, but a clock error moves both in any direction.
TEST(MirrorHistory, AClockErrorWidensEveryRecord) {
  HistoryBuilder builder;
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
  builder.set_interval(t, {10, 40});
  builder.add(t, {.kind = OperationKind::Write,
                  .key = builder.key(Value::integer(5)),
                  .value = Value::integer(1),
                  .time = {20, 30}});
  const History history = std::move(builder).freeze();
  EXPECT_EQ(times(history, 0), (std::vector<Interval>{{10, 20}, {20, 30}, {30, 40}}));
  EXPECT_EQ(times(history, 7), (std::vector<Interval>{{3, 27}, {13, 37}, {23, 47}}));
}

TEST(MirrorHistory, ALaterRecordOfASessionBeganLaterWhateverItsClockSays) {
  const History history = parse_history("a: [r(x,0)]@20..21 [r(x,0)]@15..16");
  const std::vector<Interval> all = times(history, 5);
  EXPECT_EQ(all, (std::vector<Interval>{{15, 26}, {15, 26}, {15, 26}, {15, 21}, {15, 21}, {15, 21}}));
}

TEST(MirrorHistory, ReadsCloserThanTheClockErrorAreNotStale) {
  const History history = parse_history("a: [r(x,0) w(x,1)]@0..10 b: [r(x,0)]@20..30");
  const Profile& profile = *find_profile("generic:strict-serializable");
  EXPECT_TRUE(mirror_history(history, profile).violated());
  EXPECT_TRUE(mirror_history(history, profile, {}, nullptr, 4).violated());
  EXPECT_FALSE(mirror_history(history, profile, {}, nullptr, 5).violated());
}

}  // namespace
}  // namespace serval::online
