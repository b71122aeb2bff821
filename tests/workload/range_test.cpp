// predicates, check-then-insert and phantoms.

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "workload/played_run.h"

namespace serval {
namespace {

using Kind = Request::Kind;

TEST(Predicates, UsesEveryKindOfRequestOnRowsAndRanges) {
  std::set<Kind> kinds;
  for (const PlayedTransaction& transaction : play_run("predicates").transactions) {
    EXPECT_LE(transaction.steps.size(), 4u);
    for (const auto& step : transaction.steps) kinds.insert(step.asked.kind);
  }
  EXPECT_EQ(kinds, (std::set<Kind>{Kind::Update, Kind::Insert, Kind::Delete, Kind::Scan, Kind::UpdateRange,
                                   Kind::DeleteRange}));
}

TEST(Predicates, ReadsEmptyAndNonEmptyRanges) {
  double empty = 0, scans = 0;
  for (const PlayedTransaction& transaction : play_run("predicates", {.transactions = 5000}).transactions)
    for (const auto& step : transaction.steps) {
      if (step.asked.kind != Kind::Scan) continue;
      EXPECT_LT(step.asked.high - step.asked.low, 10);
      scans += 1;
      empty += step.answer.rows.empty() ? 1 : 0;
    }
  EXPECT_GT(empty / scans, 0.1);
  EXPECT_LT(empty / scans, 0.7);
}

TEST(Predicates, MovesRowsFromOneRangeToAnother) {
  std::size_t moved = 0, touched = 0;
  for (const PlayedTransaction& transaction : play_run("predicates", {.transactions = 3000}).transactions)
    for (const auto& step : transaction.steps)
      if (step.asked.kind == Kind::UpdateRange)
        (step.asked.columns.empty() ? touched : moved) += step.answer.rows.size();
  EXPECT_GT(moved, 100u);
  EXPECT_GT(touched, 100u);
}

TEST(Predicates, RequestsAggregatesOnlyIfConfigured) {
  std::set<Request::Function> functions;
  for (const char* workload : {"predicates", "predicates:aggregates=0.5"}) {
    for (const PlayedTransaction& transaction : play_run(workload).transactions)
      for (const auto& step : transaction.steps)
        if (step.asked.kind == Kind::Scan) functions.insert(step.asked.function);
    const bool told = std::string_view(workload) != "predicates";
    EXPECT_EQ(functions.size(), told ? 5u : 1u) << workload;
  }
}

TEST(Phantoms, InsertsOnlyWhereTheOtherGroupIsEmpty) {
  std::size_t inserts = 0, refusals = 0, twice = 0;
  for (const PlayedTransaction& transaction : play_run("phantoms").transactions) {
    if (transaction.steps[0].asked.kind != Kind::Scan) continue;
    if (transaction.steps.size() == 3) {
      const auto rows = static_cast<std::int64_t>(transaction.steps[0].answer.rows.size());
      EXPECT_EQ(transaction.steps[1].answer.result, rows);
      EXPECT_EQ(transaction.steps[2].asked.low, transaction.steps[0].asked.low);
      ++twice;
      continue;
    }
    const bool empty = transaction.steps[0].answer.rows.empty();
    EXPECT_EQ(transaction.count(Kind::Insert), empty ? 1u : 0u);
    if (empty) {
      EXPECT_EQ(transaction.steps[1].asked.columns[0] ^ 1, transaction.steps[0].asked.low);
    }
    ++(empty ? inserts : refusals);
  }
  EXPECT_GT(inserts, 100u);
  EXPECT_GT(refusals, 20u);
  EXPECT_GT(twice, 100u);
}

TEST(Phantoms, FillBothGroupsWithoutIsolation) {
  EXPECT_FALSE(broken_without_isolation("phantoms").empty());
  EXPECT_EQ(broken_without_isolation("phantoms", {.sessions = 1}), std::vector<std::string>{});
}

TEST(CheckThenInsert, InsertsExactlyWhereTheRangeWasEmpty) {
  std::size_t inserts = 0, refusals = 0;
  for (const PlayedTransaction& transaction : play_run("check-then-insert").transactions) {
    if (transaction.steps[0].asked.kind == Kind::DeleteRange) continue;
    ASSERT_EQ(transaction.steps[0].asked.kind, Kind::Scan);
    const bool empty = transaction.steps[0].answer.rows.empty();
    EXPECT_EQ(transaction.count(Kind::Insert), empty ? 1u : 0u);
    if (empty) {
      EXPECT_TRUE(transaction.steps[1].answer.applied);
    }
    ++(empty ? inserts : refusals);
  }
  EXPECT_GT(inserts, 100u);
  EXPECT_GT(refusals, 100u);
}

TEST(CheckThenInsert, ReadsByKeyAndByColumn) {
  std::map<bool, int> by_key;
  for (const PlayedTransaction& transaction : play_run("check-then-insert").transactions)
    if (transaction.steps[0].asked.kind == Kind::Scan)
      ++by_key[transaction.steps[0].asked.column == Request::kKey];
  EXPECT_NEAR(by_key[true], by_key[false], 100);
}

TEST(CheckThenInsert, ReadsWholeTablesOnRequest) {
  const PlayedRun run = play_run("check-then-insert:unbounded=1", {.transactions = 500});
  for (const PlayedTransaction& transaction : run.transactions)
    EXPECT_TRUE(transaction.steps[0].asked.kind != Kind::Scan || is_unbounded(transaction.steps[0].asked));
  EXPECT_EQ(run.broken_invariants, std::vector<std::string>{});
  EXPECT_FALSE(broken_without_isolation("check-then-insert:unbounded=1").empty());
}

TEST(CheckThenInsert, MovesOnToFreshTables) {
  std::set<std::uint32_t> tables;
  const PlayedRun run = play_run("check-then-insert:tables=7,stay=10", {.transactions = 70});
  for (std::size_t i = 0; i < run.transactions.size(); ++i)
    EXPECT_EQ(run.transactions[i].steps[0].asked.table, i / 10);
}

TEST(CheckThenInsert, TakesSlotsTwiceWithoutIsolation) {
  EXPECT_FALSE(broken_without_isolation("check-then-insert").empty());
  EXPECT_EQ(broken_without_isolation("check-then-insert", {.sessions = 1}), std::vector<std::string>{});
}

TEST(CheckThenInsert, DetectsASlotThatIsTakenTwice) {
  const Workload workload = make_workload("check-then-insert", KeyRequest{});
  FinalState state([](const Request& request) {
    Answer answer;
    if (request.table == 3) answer.rows = {{.key = 1, .columns = {2}}, {.key = 5, .columns = {2}}};
    return answer;
  });
  EXPECT_EQ(workload.generator->broken_invariants(state),
            std::vector<std::string>{"slot 2 of table 3 is taken 2 times"});
}

}  // namespace
}  // namespace serval
