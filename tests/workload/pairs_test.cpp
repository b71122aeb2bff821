// pairs.

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "workload/played_run.h"

namespace serval {
namespace {

using Kind = Request::Kind;

std::string shape_of(const PlayedTransaction& transaction) {
  std::string shape;
  for (const auto& step : transaction.steps)
    shape += step.asked.kind == Kind::Read ? 'r' : step.asked.kind == Kind::Insert ? 'i' : 'u';
  return shape;
}

TEST(Pairs, ReadsBeforeOrAfterTheInsertOrUpdates) {
  std::map<std::string, int> shapes;
  for (const PlayedTransaction& transaction : play_run("pairs", {.transactions = 4000}).transactions)
    ++shapes[shape_of(transaction)];
  EXPECT_NEAR(shapes["u"], 2000, 150);
  EXPECT_NEAR(shapes["ir"], 1000, 150);
  EXPECT_GT(shapes["ri"], 300);
  EXPECT_GT(shapes["r"], 100);  // The other row exists.
  EXPECT_EQ(shapes.size(), 4u);
}

TEST(Pairs, AccessesBothRowsOfOnePair) {
  std::size_t pairs = 0;
  for (const PlayedTransaction& transaction : play_run("pairs").transactions)
    if (transaction.steps.size() == 2) {
      ++pairs;
      EXPECT_EQ(transaction.steps[0].asked.key, transaction.steps[1].asked.key);
      EXPECT_NE(transaction.steps[0].asked.table, transaction.steps[1].asked.table);
    }
  EXPECT_GT(pairs, 100u);
}

TEST(Pairs, RollsBackAnInsertThatIsNotAlone) {
  std::map<bool, int> aborted;
  for (const PlayedTransaction& transaction : play_run("pairs").transactions) {
    EXPECT_EQ(transaction.aborted_by_script,
              shape_of(transaction) == "ir" && !transaction.steps[1].answer.rows.empty());
    ++aborted[transaction.aborted_by_script];
  }
  EXPECT_GT(aborted[true], 20);
  EXPECT_GT(aborted[false], 20);
}

TEST(Pairs, MovesOnToAFreshPair) {
  std::map<std::uint64_t, int> drawn;
  const PlayedRun run = play_run("pairs:stay=5", {.transactions = 1000, .keys = {.keys = 1}});
  for (const PlayedTransaction& transaction : run.transactions) ++drawn[transaction.steps[0].asked.key];
  EXPECT_EQ(drawn.size(), 200u);
  for (const auto& [pair, count] : drawn) EXPECT_EQ(count, 5) << pair;
}

TEST(Pairs, OmitsUpdatesOnRequest) {
  for (const PlayedTransaction& transaction : play_run("pairs:updates=0").transactions)
    EXPECT_EQ(transaction.count(Kind::Update), 0u);
}

}  // namespace
}  // namespace serval
