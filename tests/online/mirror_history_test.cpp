#include "serval/online/mirror_history.h"

#include <gtest/gtest.h>

#include "serval/history/history_builder.h"

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

}  // namespace
}  // namespace serval::online
