// bank and smallbank.

#include <map>

#include <gtest/gtest.h>

#include "workload/played_run.h"

namespace serval {
namespace {

using Kind = Request::Kind;

TEST(Bank, ReadsAllAccountsInHalfOfItsTransactions) {
  std::size_t reads = 0;
  for (const PlayedTransaction& transaction : play_run("bank", {.transactions = 10'000}).transactions) {
    if (transaction.count(Kind::Read) == 8) ++reads;
    EXPECT_TRUE(transaction.count(Kind::Read) == 8 || transaction.count(Kind::Read) == 2);
  }
  EXPECT_NEAR(static_cast<double>(reads), 5000, 250);
}

TEST(Bank, SeesTheSameTotalInEveryRead) {
  std::size_t whole = 0;
  for (const PlayedTransaction& transaction : play_run("bank:balance=20,most=30").transactions) {
    if (transaction.count(Kind::Read) != 8) continue;
    ++whole;
    std::int64_t total = 0;
    for (const auto& step : transaction.steps) {
      total += step.answer.rows.at(0).columns.at(0);
      EXPECT_GE(step.answer.rows[0].columns[0], 0);
    }
    EXPECT_EQ(total, 160);
  }
  EXPECT_GT(whole, 100u);
}

TEST(Bank, MovesAmountsOfOneToFive) {
  std::map<std::int64_t, int> amounts;
  for (const PlayedTransaction& transaction : play_run("bank:reads=0").transactions) {
    if (transaction.count(Kind::Write) == 0) continue;
    ASSERT_EQ(transaction.steps.size(), 4u);
    const auto& steps = transaction.steps;
    EXPECT_NE(steps[0].asked.key, steps[1].asked.key);
    EXPECT_LT(steps[2].asked.key, steps[3].asked.key);
    const auto& taken = steps[2].asked.key == steps[0].asked.key ? steps[2] : steps[3];
    ++amounts[steps[0].answer.rows[0].columns[0] - taken.asked.columns[0]];
  }
  ASSERT_EQ(amounts.size(), 5u);
  EXPECT_EQ(amounts.begin()->first, 1);
  EXPECT_EQ(amounts.rbegin()->first, 5);
}

TEST(Bank, DetectsLostMoney) {
  const std::vector<std::string> broken =
      play_run("bank:reads=0", {.faults = {.lost_write = 100}}).broken_invariants;
  ASSERT_FALSE(broken.empty());
  EXPECT_NE(broken.back().find("the balances sum to"), std::string::npos) << broken.back();
}

TEST(Bank, DetectsLostUpdates) {
  const std::vector<std::string> broken = broken_without_isolation("bank");
  ASSERT_FALSE(broken.empty());
  EXPECT_NE(broken.back().find("the balances sum to"), std::string::npos) << broken.back();
  EXPECT_EQ(broken_without_isolation("bank", {.sessions = 1}), std::vector<std::string>{});
}

// The requests of a transaction: "RRWWW" with s and c for the two tables.
std::string format(const PlayedTransaction& transaction) {
  std::string out;
  for (const auto& step : transaction.steps) {
    out += step.asked.kind == Kind::Read ? 'R' : 'W';
    out += step.asked.table == 0 ? 's' : 'c';
  }
  return out;
}

TEST(SmallBank, MixesItsSixTransactions) {
  std::map<std::string, double> shapes;
  for (const PlayedTransaction& transaction : play_run("smallbank", {.transactions = 20'000}).transactions)
    shapes[format(transaction)] += 1;
  EXPECT_EQ(shapes.size(), 8u);
  EXPECT_NEAR(shapes["RsRcRcWsWcWc"], 3000, 250);             // Amalgamate
  EXPECT_NEAR(shapes["RsRc"], 3000, 250);                     // Balance
  EXPECT_NEAR(shapes["RcWc"], 3000, 250);                     // DepositChecking
  EXPECT_NEAR(shapes["RcRcWcWc"] + shapes["Rc"], 5000, 300);  // SendPayment, with money or without
  EXPECT_NEAR(shapes["RsWs"] + shapes["Rs"], 3000, 250);      // TransactSavings, likewise
  EXPECT_NEAR(shapes["RsRcWc"], 3000, 250);                   // WriteCheck
}

TEST(SmallBank, AbortsWithoutSufficientFunds) {
  std::map<bool, int> aborted;
  for (const PlayedTransaction& transaction : play_run("smallbank:balance=50").transactions) {
    EXPECT_EQ(transaction.aborted_by_script, transaction.steps.size() == 1);
    ++aborted[transaction.aborted_by_script];
  }
  EXPECT_GT(aborted[true], 20);
  EXPECT_GT(aborted[false], 20);
}

TEST(SmallBank, PrefersItsHotCustomers) {
  double hot = 0, all = 0;
  for (const PlayedTransaction& transaction : play_run("smallbank", {.transactions = 10'000}).transactions) {
    hot += transaction.steps[0].asked.key < 100 ? 1 : 0;
    all += 1;
  }
  EXPECT_NEAR(hot / all, 0.9, 0.02);
}

}  // namespace
}  // namespace serval
