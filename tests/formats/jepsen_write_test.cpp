// Writing Jepsen files: what is written, in which order, and what is reported as lost.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/arbitrary_history.h"
#include "formats/jepsen_text.h"
#include "history_equality.h"
#include "sample.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

constexpr Format kJepsenFormats[] = {Format::JepsenEdn, Format::JepsenJson, Format::JepsenJsonl};

std::vector<std::string> losses_of(const History& history) {
  WriteReport report;
  write_to_string(history, Format::JepsenEdn, &report);
  return report.lossy_steps;
}

// A transaction of session `session` that writes its number to key 1.
void add_timed(HistoryBuilder& builder, int session, int label, Interval time,
               Outcome outcome = Outcome::Committed) {
  const TransactionId t =
      builder.begin_transaction(builder.session(Value::integer(session)), Value::integer(label));
  builder.add(t, OperationKind::Write, builder.key(Value::integer(1)), Value::integer(label));
  builder.set_interval(t, time);
  builder.set_outcome(t, outcome);
}

TEST(JepsenWrite, EdnHasOneMapPerLine) {
  const History history = read_edn(
      "{:index 0 :type :invoke :process 0 :time 5 :value [[:append :x 1] [:r \"a b\" nil]]}"
      "{:index 4 :type :ok :process 0 :time 7 :value [[:append :x 1] [:r \"a b\" [2 \"q\"]]] :node \"n1\"}");
  EXPECT_EQ(
      write_to_string(history, Format::JepsenEdn),
      "{:index 0, :time 5, :type :invoke, :process 0, :f :txn, :value [[:append :x 1] [:r \"a b\" nil]]}\n"
      "{:index 4, :time 7, :type :ok, :process 0, :f :txn, :value [[:append :x 1] [:r \"a b\" [2 \"q\"]]], "
      ":node \"n1\"}\n");
}

TEST(JepsenWrite, JsonIsOneArray) {
  const History history = read_edn(
      "{:type :fail :process 0 :f :cas :value [k [1 nil]] :error \"a\\\"\\n\\u0001\"}"
      "{:type :ok :process 1 :value [[:r :x true]]}");
  EXPECT_EQ(
      write_to_string(history, Format::JepsenJson),
      "[{\"index\":0,\"type\":\"fail\",\"process\":0,\"f\":\"cas\",\"value\":[\"k\",[1,null]],\"error\":"
      "\"a\\\"\\n\\u0001\"},\n{\"index\":1,\"type\":\"ok\",\"process\":1,\"f\":\"txn\",\"value\":[[\"r\","
      "\"x\","
      "true]]}]\n");
}

TEST(JepsenWrite, EmptyHistoryIsAFileWithoutOperations) {
  for (const Format format : kJepsenFormats) {
    const std::string text = write_to_string(History(), format);
    EXPECT_EQ(difference(History(), read_jepsen(format, text)), "") << info(format).name;
  }
}

TEST(JepsenWrite, EqualTimesStayConcurrent) {
  HistoryBuilder builder;
  add_timed(builder, 0, 1, {0, 5});
  add_timed(builder, 1, 2, {5, 9});
  const History written = std::move(builder).freeze();
  const History history = read_edn(write_to_string(written, Format::JepsenEdn));
  ASSERT_EQ(history.transaction_count(), 2u);
  EXPECT_LT(history.interval(TransactionId{1}).begin, history.interval(TransactionId{0}).end);
  EXPECT_EQ(losses_of(written).back(),
            "equal times become places in the file; what they order stays the same");
}

TEST(JepsenWrite, ASessionThatContinuesWithinATickOrdersNoOther) {
  HistoryBuilder builder;
  add_timed(builder, 0, 10, {0, 5});
  add_timed(builder, 0, 20, {5, 9});
  add_timed(builder, 1, 30, {5, 6});
  add_timed(builder, 2, 40, {1, 5});
  const History history = read_edn(write_to_string(std::move(builder).freeze(), Format::JepsenEdn));
  ASSERT_EQ(history.transaction_count(), 4u);
  std::vector<Interval> of(5);
  for (const TransactionId t : history.transactions()) {
    const std::int64_t number = history.value(history.operations(t)[0]).as_integer();
    of[static_cast<std::size_t>(number / 10)] = history.interval(t);
  }
  EXPECT_LT(of[1].end, of[2].begin);
  EXPECT_LT(of[3].begin, of[1].end);
  EXPECT_LT(of[2].begin, of[4].end);
  EXPECT_LT(of[3].begin, of[4].end);
}

TEST(JepsenWrite, TimesThatNoOrderOfEventsExpressesAreDropped) {
  const std::string dropped =
      "dropped all times: some are unknown, negative, or make transactions of one session overlap";
  HistoryBuilder overlapping;
  add_timed(overlapping, 0, 1, {0, 5});
  add_timed(overlapping, 0, 2, {3, 9});
  HistoryBuilder unknown;
  add_timed(unknown, 0, 1, {0, kUnknownEnd});
  HistoryBuilder two_sessions_in_one_tick;
  for (const int session : {0, 1}) {
    add_timed(two_sessions_in_one_tick, session, 1 + session, {0, 5});
    add_timed(two_sessions_in_one_tick, session, 3 + session, {5, 9});
  }
  for (HistoryBuilder* builder : {&overlapping, &unknown, &two_sessions_in_one_tick}) {
    const History history = std::move(*builder).freeze();
    const std::vector<std::string> losses = losses_of(history);
    EXPECT_TRUE(std::ranges::find(losses, dropped) != losses.end());
    EXPECT_FALSE(read_edn(write_to_string(history, Format::JepsenEdn)).has_times());
  }
}

TEST(JepsenWrite, IndeterminateTransactionsKeepTheirLabelsAndSessions) {
  HistoryBuilder builder;
  // Becomes an :info; its session continues.
  add_timed(builder, 0, 3, {0, kUnknownEnd}, Outcome::Indeterminate);
  add_timed(builder, 0, 5, {4, 6});
  add_timed(builder, 1, 7, {2, kUnknownEnd}, Outcome::Indeterminate);
  const History history = std::move(builder).freeze();
  EXPECT_EQ(losses_of(history), std::vector<std::string>{});
  for (const Format format : kJepsenFormats)
    EXPECT_EQ(difference(history, read_jepsen(format, write_to_string(history, format))), "");
}

TEST(JepsenWrite, InitialValueBecomesNilUnlessItIsWritten) {
  HistoryBuilder builder;
  builder.set_initial_value(Value::integer(0));
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(0)), Value::integer(0));
  const KeyId x = builder.key(Value::integer(1)), y = builder.key(Value::integer(2));
  builder.add(t, OperationKind::Read, x, Value::integer(0));
  builder.add(t, OperationKind::Read, y, Value::integer(0));
  builder.add(t, OperationKind::Write, y, Value::integer(0));
  const History history = read_edn(write_to_string(std::move(builder).freeze(), Format::JepsenEdn));
  EXPECT_EQ(format_transaction(history, 0), "committed read(1,_) read(2,0) write(2,0)");
}

TEST(JepsenWrite, InexpressibleMembersAreReportedOnce) {
  HistoryBuilder builder;
  const TransactionId t =
      builder.begin_transaction(builder.session(builder.values().text("a")), Value::integer(0));
  const KeyId x = builder.key(Value::integer(1));
  for (int i = 0; i < 2; ++i) {
    builder.add(t, {.kind = OperationKind::CompareAndSet,
                    .key = x,
                    .value = Value::integer(2),
                    .expected = Value::integer(1)});
    builder.add(t, {.kind = OperationKind::Insert, .key = x, .value = Value::integer(3)});
    builder.add(t, {.kind = OperationKind::Delete, .key = x});
    builder.add(t, {.kind = OperationKind::PredicateRead, .predicate = builder.predicate({})});
    builder.add(t, {.kind = OperationKind::Read, .key = x, .value = Value::unknown()});
  }
  const History history = std::move(builder).freeze();
  EXPECT_EQ(losses_of(history),
            (std::vector<std::string>{
                "numbered the sessions: a :process is an integer", "left out 2 predicate operations",
                "wrote 2 inserts as a read of nil and a write", "wrote 2 deletes as writes of nil",
                "wrote 2 compare-and-sets inside larger transactions as a read and a write",
                "left out 2 reads of committed transactions whose answer is unknown"}));
  EXPECT_EQ(format_transaction(read_edn(write_to_string(history, Format::JepsenEdn)), 0),
            "committed read(1,1) write(1,2) read(1,_) write(1,3) write(1,_) read(1,1) write(1,2) read(1,_) "
            "write(1,3) write(1,_)");
}

// Both become nil, so a reader of one may have read the other.
TEST(JepsenWrite, WritesOfNilWithAnotherInitialValueAreALoss) {
  HistoryBuilder builder;
  builder.set_initial_value(Value::integer(0));
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(0)), Value::integer(0));
  builder.add(t, OperationKind::Read, builder.key(Value::integer(1)), Value::integer(0));
  builder.add(t, OperationKind::Write, builder.key(Value::integer(1)), Value::nil());
  EXPECT_EQ(
      losses_of(std::move(builder).freeze()),
      (std::vector<std::string>{"wrote 1 writes of nil, which reads of the initial value may be taken for"}));
}

TEST(JepsenWrite, RegisterHistoriesSurviveCompletely) {
  for (const std::uint64_t seed : fresh_seeds(60)) {
    const History history = arbitrary_history(seed, {.transactions = static_cast<int>(seed % 20),
                                                     .kinds = {OperationKind::Read, OperationKind::Write},
                                                     .values = ArbitraryOptions::Values::Integers,
                                                     .extras = ArbitraryOptions::Extras::None});
    EXPECT_EQ(losses_of(history), std::vector<std::string>{}) << seed;
    for (const Format format : kJepsenFormats)
      EXPECT_EQ(difference(history, read_jepsen(format, write_to_string(history, format))), "") << seed;
  }
}

TEST(JepsenWrite, WhateverIsWrittenCanBeRead) {
  for (const std::uint64_t seed : fresh_seeds(300)) {
    const History history = arbitrary_history(seed, {.transactions = static_cast<int>(seed % 25)});
    for (const Format format : kJepsenFormats) {
      const History read = read_jepsen(format, write_to_string(history, format));
      EXPECT_EQ(read.transaction_count(), history.transaction_count()) << seed;
    }
  }
}

}  // namespace
}  // namespace serval
