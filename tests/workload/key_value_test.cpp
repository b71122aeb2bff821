// blindw and ycsb.

#include <set>

#include <gtest/gtest.h>

#include "workload/played_run.h"

namespace serval {
namespace {

using Kind = Request::Kind;

struct Counts {
  double reads = 0, writes = 0, inserts = 0, scans = 0, all = 0;
};

Counts count(std::string_view spec) {
  Counts counts;
  for (const PlayedTransaction& transaction : play_run(spec, {.transactions = 5000}).transactions) {
    counts.reads += static_cast<double>(transaction.count(Kind::Read));
    counts.writes += static_cast<double>(transaction.count(Kind::Write));
    counts.inserts += static_cast<double>(transaction.count(Kind::Insert));
    counts.scans += static_cast<double>(transaction.count(Kind::Scan));
    counts.all += static_cast<double>(transaction.steps.size());
  }
  return counts;
}

TEST(BlindW, WriteOnlyTransactionsWriteEightTimes) {
  for (const PlayedTransaction& transaction : play_run("blindw-w").transactions)
    EXPECT_EQ(transaction.count(Kind::Write), 8u);
}

TEST(BlindW, EitherReadsOrWrites) {
  double reading = 0;
  for (const PlayedTransaction& transaction : play_run("blindw-rw", {.transactions = 5000}).transactions) {
    EXPECT_EQ(transaction.steps.size(), 8u);
    EXPECT_EQ(transaction.count(Kind::Read) % 8, 0u);
    reading += transaction.count(Kind::Read) == 8 ? 1 : 0;
  }
  EXPECT_NEAR(reading, 2500, 150);
}

TEST(BlindW, ReadsTenNeighboursInHalfOfTheReads) {
  const Counts counts = count("blindw-rw+");
  EXPECT_NEAR(counts.writes / counts.all, 0.5, 0.03);
  EXPECT_NEAR(counts.scans / (counts.scans + counts.reads), 0.5, 0.03);
  for (const PlayedTransaction& transaction : play_run("blindw-rw+").transactions)
    for (const auto& step : transaction.steps)
      if (step.asked.kind == Kind::Scan) {
        EXPECT_EQ(step.answer.rows.size(), 10u);
      }
}

TEST(Ycsb, KeepsItsShares) {
  const Counts a = count("ycsb-a"), b = count("ycsb-b"), c = count("ycsb-c"), d = count("ycsb-d"),
               e = count("ycsb-e");
  EXPECT_NEAR(a.writes / a.all, 0.5, 0.02);
  EXPECT_NEAR(b.writes / b.all, 0.05, 0.01);
  EXPECT_EQ(c.reads, c.all);
  EXPECT_NEAR(d.inserts / d.all, 0.05, 0.01);
  EXPECT_NEAR(d.reads / d.all, 0.95, 0.01);
  EXPECT_NEAR(e.inserts / e.all, 0.05, 0.01);
  EXPECT_NEAR(e.scans / e.all, 0.95, 0.01);
}

TEST(Ycsb, UpdatesWhatItRead) {
  double changes = 0, operations = 0;
  for (const PlayedTransaction& transaction : play_run("ycsb-f", {.transactions = 3000}).transactions) {
    operations += 4;
    for (std::size_t i = 0; i < transaction.steps.size(); ++i) {
      if (transaction.steps[i].asked.kind != Kind::Write) continue;
      changes += 1;
      ASSERT_GT(i, 0u);
      const auto& before = transaction.steps[i - 1];
      EXPECT_EQ(before.asked.key, transaction.steps[i].asked.key);
      EXPECT_EQ(before.answer.rows.at(0).columns[0] + 1, transaction.steps[i].asked.columns[0]);
    }
  }
  EXPECT_NEAR(changes / operations, 0.5, 0.02);
}

TEST(Ycsb, WritesWholeRowsOfTenFields) {
  std::size_t writes = 0;
  for (const PlayedTransaction& transaction : play_run("ycsb-a").transactions)
    for (const auto& step : transaction.steps)
      if (step.asked.kind == Kind::Write) {
        EXPECT_EQ(step.asked.columns.size(), 10u);
        ++writes;
      }
  EXPECT_GT(writes, 100u);
}

TEST(Ycsb, ScansAtMostAHundredKeys) {
  std::int64_t longest = 0;
  for (const PlayedTransaction& transaction : play_run("ycsb-e").transactions)
    for (const auto& step : transaction.steps)
      if (step.asked.kind == Kind::Scan) longest = std::max(longest, step.asked.high - step.asked.low + 1);
  EXPECT_GT(longest, 90);
  EXPECT_LE(longest, 100);
}

TEST(Ycsb, InsertsEveryKeyOnceAndReadsTheLatestMost) {
  std::set<std::uint64_t> inserted;
  std::uint64_t fresh_reads = 0, reads = 0;
  for (const PlayedTransaction& transaction : play_run("ycsb-d", {.transactions = 5000}).transactions)
    for (const auto& step : transaction.steps) {
      if (step.asked.kind == Kind::Insert) {
        EXPECT_TRUE(inserted.insert(step.asked.key).second);
      }
      if (step.asked.kind == Kind::Read) ++reads;
      if (step.asked.kind == Kind::Read && step.asked.key >= 1000) ++fresh_reads;
    }
  EXPECT_EQ(*inserted.begin(), 1000u);
  EXPECT_GT(fresh_reads, reads / 2);
}

TEST(Ycsb, PlansMatchItsScripts) {
  const Workload planned = make_workload("ycsb-f", KeyRequest{});
  Random random(3);
  std::size_t writes = 0;
  for (int i = 0; i < 100; ++i)
    for (const PlannedOperation& op : planned.generator->next(random, 0).operations)
      writes += op.kind == PlannedOperation::Kind::Write ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(writes), 200, 50);
}

}  // namespace
}  // namespace serval
