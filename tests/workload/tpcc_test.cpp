// TPC-C, judged by its requests to each table.

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "serval/workload/tpcc/rows.h"
#include "workload/played_run.h"

namespace serval::tpcc {
namespace {

using Kind = Request::Kind;

const PlayedRun& long_run() {
  static const PlayedRun run = play_run("tpcc:warehouses=2,customers=30,items=100", {.transactions = 20'000});
  return run;
}

std::string_view name_of(const PlayedTransaction& transaction) {
  const Request& first = transaction.steps.front().asked;
  if (first.table == kNewOrder) return "delivery";
  if (first.table == kCustomer) return "order-status";
  if (first.table == kDistrict) return "stock-level";
  return transaction.count(Kind::Write, kWarehouse) > 0 ? "payment" : "new-order";
}

std::vector<const PlayedTransaction*> all_of(std::string_view name) {
  std::vector<const PlayedTransaction*> found;
  for (const PlayedTransaction& transaction : long_run().transactions)
    if (name_of(transaction) == name) found.push_back(&transaction);
  return found;
}

TEST(Tpcc, MixesItsFiveTransactions) {
  std::map<std::string_view, double> counts;
  for (const PlayedTransaction& transaction : long_run().transactions) counts[name_of(transaction)] += 1;
  EXPECT_NEAR(counts["new-order"] / 20'000, 0.45, 0.015);
  EXPECT_NEAR(counts["payment"] / 20'000, 0.43, 0.015);
  EXPECT_NEAR(counts["order-status"] / 20'000, 0.04, 0.006);
  EXPECT_NEAR(counts["delivery"] / 20'000, 0.04, 0.006);
  EXPECT_NEAR(counts["stock-level"] / 20'000, 0.04, 0.006);
}

TEST(Tpcc, HasNineTables) {
  const Schema& schema = long_run().schema;
  ASSERT_EQ(schema.size(), 9u);
  EXPECT_EQ(schema[kCustomer].rows, 2u * 10 * 30);
  EXPECT_EQ(schema[kStock].rows, 200u);
}

TEST(Tpcc, EntersFiveToFifteenLines) {
  std::set<std::size_t> counts;
  for (const PlayedTransaction* order : all_of("new-order")) {
    if (order->aborted_by_script) continue;
    const std::size_t lines = order->count(Kind::Insert, kOrderLine);
    counts.insert(lines);
    EXPECT_EQ(order->count(Kind::Write, kStock), lines);
    EXPECT_EQ(order->count(Kind::Insert, kOrder), 1u);
    EXPECT_EQ(order->count(Kind::Insert, kNewOrder), 1u);
  }
  EXPECT_EQ(counts.size(), 11u);
  EXPECT_EQ(*counts.begin(), 5u);
}

TEST(Tpcc, RollsBackOneOrderInAHundred) {
  double aborted = 0, orders = 0;
  for (const PlayedTransaction* order : all_of("new-order")) {
    orders += 1;
    if (!order->aborted_by_script) continue;
    aborted += 1;
    EXPECT_EQ(order->steps.back().asked.table, kItem);
    EXPECT_TRUE(order->steps.back().answer.rows.empty());
  }
  EXPECT_NEAR(aborted / orders, 0.01, 0.004);
  for (const std::string_view other : {"payment", "order-status", "delivery", "stock-level"})
    for (const PlayedTransaction* transaction : all_of(other)) EXPECT_FALSE(transaction->aborted_by_script);
}

TEST(Tpcc, FindsThreeInFiveCustomersByName) {
  double by_name = 0, payments = 0;
  for (const PlayedTransaction* paid : all_of("payment")) {
    payments += 1;
    if (paid->count(Kind::Scan, kCustomer) == 0) continue;
    by_name += 1;
    EXPECT_EQ(paid->steps.at(4).answer.rows.size(), 3u);
    EXPECT_EQ(paid->steps.at(5).asked.key, paid->steps.at(4).answer.rows.at(1).key);
  }
  EXPECT_NEAR(by_name / payments, 0.6, 0.02);
}

TEST(Tpcc, DeliversTheOldestOrderOfEveryDistrict) {
  std::size_t delivered = 0;
  std::map<std::uint64_t, std::uint64_t> last;
  for (const PlayedTransaction* transaction : all_of("delivery"))
    for (const auto& step : transaction->steps) {
      if (step.asked.kind != Kind::Delete) continue;
      const std::uint64_t before = last[district_of_order(step.asked.key)];
      // It may come again if the delivery was rolled back.
      EXPECT_TRUE(order_number(step.asked.key) >= before);
      last[district_of_order(step.asked.key)] = order_number(step.asked.key);
      ++delivered;
    }
  EXPECT_GT(delivered, 5000u);
  EXPECT_EQ(last.size(), 20u);
}

TEST(Tpcc, ReadsTheLinesOfTheLastTwentyOrders) {
  std::size_t scans = 0;
  for (const PlayedTransaction* level : all_of("stock-level"))
    for (const auto& step : level->steps) {
      if (step.asked.kind != Kind::Scan) continue;
      ++scans;
      std::set<std::int64_t> items, orders;
      for (const Answer::Row& row : step.answer.rows) {
        items.insert(row_in<OrderLine>(row).item);
        orders.insert(static_cast<std::int64_t>(row.key >> 4));
      }
      EXPECT_LE(orders.size(), 20u);
      EXPECT_EQ(level->count(Kind::Read, kStock), items.size());
    }
  // A district without orders has no lines to read.
  EXPECT_GT(scans, all_of("stock-level").size() * 9 / 10);
}

TEST(Tpcc, FindsTheLinesOfACustomersLastOrder) {
  std::size_t found = 0;
  for (const PlayedTransaction* status : all_of("order-status")) {
    if (status->count(Kind::Scan, kOrderLine) == 0) continue;
    ++found;
    const auto lines = static_cast<std::size_t>(row_in<Order>(status->steps.at(1).answer.rows.back()).lines);
    EXPECT_EQ(status->steps.at(2).answer.rows.size(), lines);
  }
  EXPECT_GT(found, 500u);
}

TEST(Tpcc, StaysWithinItsPopulation) {
  const Schema& schema = long_run().schema;
  for (const PlayedTransaction& transaction : long_run().transactions)
    for (const auto& step : transaction.steps) {
      const TableInfo& table = schema[step.asked.table];
      if (table.initial == TableInfo::Initial::Absent || is_range(step.asked.kind)) continue;
      const bool unused_item = step.asked.table == kItem && step.asked.key == table.rows;
      EXPECT_TRUE(step.asked.key < table.rows || unused_item);
    }
}

TEST(Tpcc, OccasionallySellsFromOtherWarehouses) {
  std::size_t remote = 0, lines = 0;
  for (const PlayedTransaction* order : all_of("new-order"))
    for (const auto& step : order->steps) {
      if (step.asked.kind != Kind::Insert || step.asked.table != kOrderLine) continue;
      ++lines;
      const auto home = static_cast<std::int64_t>(warehouse_of(district_of_line(step.asked.key)));
      if (step.asked.columns.at(1) != home) ++remote;
    }
  EXPECT_NEAR(static_cast<double>(remote) / static_cast<double>(lines), 0.01, 0.003);
}

TEST(Tpcc, DetectsALostWrite) {
  const std::vector<std::string> broken =
      play_run("tpcc", {.transactions = 2000, .faults = {.lost_write = 501}}).broken_invariants;
  std::set<std::string> conditions;
  for (const std::string& problem : broken) conditions.insert(problem.substr(0, problem.find(':')));
  EXPECT_TRUE(conditions.contains("condition 1"));
  EXPECT_TRUE(conditions.contains("condition 4"));
  EXPECT_TRUE(conditions.contains("condition 8"));
}

// A state of one warehouse without orders, in which one row is different.
std::vector<std::string> broken_when(std::uint32_t table, const Answer::Row& row) {
  const Workload workload = make_workload("tpcc:customers=3,items=20", KeyRequest{});
  MemoryStore store(workload.generator->schema());
  store.perform(ask::write(table, row.key, row.columns));
  FinalState state([&](const Request& request) { return store.perform(request); });
  return workload.generator->broken_invariants(state);
}

bool mentions(const std::vector<std::string>& problems, std::string_view condition) {
  return std::ranges::any_of(problems,
                             [&](const std::string& problem) { return problem.starts_with(condition); });
}

TEST(Tpcc, ChecksEachConditionSeparately) {
  EXPECT_TRUE(mentions(broken_when(kWarehouse, {.key = 0, .columns = {5, 0}}), "condition 1"));
  EXPECT_TRUE(mentions(broken_when(kDistrict, {.key = 4, .columns = {kDistrictYtd, 9, 0}}), "condition 2"));
  EXPECT_TRUE(mentions(broken_when(kNewOrder, {.key = order_key(3, 7)}), "condition 2"));
  EXPECT_TRUE(mentions(broken_when(kNewOrder, {.key = order_key(3, 7)}), "condition 5"));
  EXPECT_TRUE(
      mentions(broken_when(kOrderLine, {.key = line_key(3, 7, 1), .columns = {0, 0, 1, 1}}), "condition 4"));
  EXPECT_TRUE(mentions(broken_when(kHistory, {.key = 0, .columns = {0, 0, 100}}), "condition 8"));
  EXPECT_TRUE(mentions(broken_when(kDistrict, {.key = 4, .columns = {7, 1, 0}}), "condition 9"));
}

TEST(Tpcc, DetectsAGapAmongNewOrders) {
  const Workload workload = make_workload("tpcc:customers=3,items=20", KeyRequest{});
  MemoryStore store(workload.generator->schema());
  for (const std::uint64_t order : {1u, 3u}) store.perform(ask::write(kNewOrder, order_key(0, order)));
  FinalState state([&](const Request& request) { return store.perform(request); });
  EXPECT_TRUE(mentions(workload.generator->broken_invariants(state), "condition 3"));
}

}  // namespace
}  // namespace serval::tpcc
