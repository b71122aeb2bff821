#include "serval/database/simulated/planted_anomaly.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/error.h"
#include "serval/database/simulated/simulate.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

constexpr std::uint64_t kKeys = 30;

SimulationOptions planted_options(std::string_view plant, std::uint64_t seed) {
  return {.sessions = 5, .transactions = 100, .keys = kKeys, .plant = std::string(plant), .seed = seed};
}

// The transactions on fresh keys, in order.
std::vector<TransactionId> planted_transactions(const History& history) {
  std::vector<TransactionId> planted;
  for (const TransactionId t : history.transactions()) {
    const OperationId first = history.operations(t)[0];
    if (history.key_value(history.key(first)) >= Value::integer(kKeys)) planted.push_back(t);
  }
  return planted;
}

TEST(PlantedAnomaly, OccursOnceOnFreshKeys) {
  for (const PlantedAnomaly& anomaly : all_planted_anomalies()) {
    const History notation = parse_history(anomaly.notation);
    const History history = simulate(planted_options(anomaly.name, 1));
    const std::vector<TransactionId> planted = planted_transactions(history);
    EXPECT_EQ(planted.size(), notation.transaction_count()) << anomaly.name;
    EXPECT_EQ(history.transaction_count(), 100 + planted.size()) << anomaly.name;
    EXPECT_EQ(history.facts().at("planted"), anomaly.name);
  }
}

TEST(PlantedAnomaly, KeepsTheShapeOfItsNotation) {
  const History history = simulate(planted_options("write-skew", 2));
  const std::vector<TransactionId> planted = planted_transactions(history);
  ASSERT_EQ(planted.size(), 2u);
  EXPECT_NE(history.session(planted[0]), history.session(planted[1]));
  for (const TransactionId t : planted) {
    const auto ops = history.operations(t);
    ASSERT_EQ(ops.size(), 3u);
    EXPECT_EQ(history.value(ops[0]), Value::integer(0));
    EXPECT_EQ(history.value(ops[1]), Value::integer(0));
    EXPECT_EQ(history.kind(ops[2]), OperationKind::Write);
    EXPECT_GT(history.value(ops[2]), Value::integer(0));
  }
}

TEST(PlantedAnomaly, RunsWithoutConcurrentTransactions) {
  for (const std::uint64_t seed : fresh_seeds(5)) {
    const History history = simulate(planted_options("long-fork", seed));
    const std::vector<TransactionId> planted = planted_transactions(history);
    Interval rest{history.interval(planted[0]).begin, 0};
    for (const TransactionId t : planted) {
      rest.begin = std::min(rest.begin, history.interval(t).begin);
      rest.end = std::max(rest.end, history.interval(t).end);
    }
    for (const TransactionId t : history.transactions()) {
      const bool is_planted = std::ranges::find(planted, t) != planted.end();
      const Interval time = history.interval(t);
      EXPECT_TRUE(is_planted || time.end < rest.begin || time.begin > rest.end);
    }
  }
}

TEST(PlantedAnomaly, MovesWithTheSeed) {
  std::set<std::uint32_t> places;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    places.insert(planted_transactions(simulate(planted_options("lost-update", seed))).front().index);
  EXPECT_GT(places.size(), 5u);
}

TEST(PlantedAnomaly, KeepsWrittenValuesUnique) {
  for (const PlantedAnomaly& anomaly : all_planted_anomalies()) {
    const History history = simulate(planted_options(anomaly.name, 3));
    std::set<Value> written;
    for (const TransactionId t : history.transactions())
      for (const OperationId op : history.operations(t))
        EXPECT_TRUE(history.kind(op) == OperationKind::Read || written.insert(history.value(op)).second);
  }
}

TEST(PlantedAnomaly, WritesOnlyAfterReadingTheKey) {
  for (const PlantedAnomaly& anomaly : all_planted_anomalies()) {
    const History notation = parse_history(anomaly.notation);
    for (const TransactionId t : notation.transactions()) {
      std::set<KeyId> read;
      for (const OperationId op : notation.operations(t)) {
        if (notation.kind(op) == OperationKind::Read) read.insert(notation.key(op));
        EXPECT_TRUE(read.contains(notation.key(op))) << anomaly.name;
      }
    }
  }
}

TEST(PlantedAnomaly, NeedsTimesIfItIsARealTimeAnomaly) {
  SimulationOptions options = planted_options("read-skew-realtime", 1);
  options.times = SimulationOptions::Times::None;
  EXPECT_THROW((void)simulate(options), InputError);
}

}  // namespace
}  // namespace serval
