#include "serval/database/campaign.h"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "database/fake_database.h"
#include "serval/check/check.h"
#include "serval/formats/format.h"
#include "serval/workload/workload.h"

namespace serval {
namespace {

class CampaignTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "serval-campaign-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  CampaignCounts run(Database& database, const char* workload, const CampaignOptions& options) {
    const Workload chosen = make_workload(workload, KeyRequest{.keys = 20});
    const Schema schema = chosen.generator->schema();
    const bool registers = schema.front().holds == TableInfo::Holds::Registers;
    RunHeader header;
    if (registers) header.initial = 0;
    Recorder recorder(path(), header, schema);
    Campaign campaign(database, *chosen.generator, recorder, options);
    campaign.run();
    recorder.finish();
    loss_ = campaign.loss();
    return campaign.counts();
  }
  std::string path() const { return (folder_ / "run.jsonl").string(); }
  History history() const { return read_history(path()); }

  std::filesystem::path folder_;
  std::optional<DatabaseError> loss_;
};

TEST_F(CampaignTest, RunsTheRequestedNumberOfTransactions) {
  FakeDatabase database;
  const CampaignCounts counts = run(database, "mini", {.sessions = 4, .transactions = 500, .seed = 7});
  EXPECT_EQ(counts.transactions(), 500u);
  EXPECT_GT(counts.rolled_back, 0u);
  EXPECT_EQ(counts.committed + counts.rolled_back, 500u);
  EXPECT_GT(counts.latency.quantile(0.99), 0u);
  const History read = history();
  EXPECT_EQ(read.transaction_count(), 500u);
  EXPECT_EQ(read.operation_count(), counts.operations);
  EXPECT_EQ(
      database.tags.size(), 0 + [&] {
        std::size_t writes = 0;
        for (const OperationKind kind : read.kind_column()) writes += kind == OperationKind::Write;
        return writes;
      }());
  EXPECT_TRUE(holds(check(read, Level::StrictSerializable).verdict));
}

TEST_F(CampaignTest, ReadsEveryListAtTheEnd) {
  FakeDatabase database;
  const CampaignCounts counts = run(database, "list-append", {.sessions = 3, .transactions = 300, .seed = 7});
  EXPECT_EQ(counts.reconnections, 0u);
  const History read = history();
  EXPECT_GT(read.transaction_count(), 300u);
  const CheckResult result = check(read, Level::StrictSerializable);
  EXPECT_TRUE(holds(result.verdict));
}

TEST_F(CampaignTest, CountsRefusedTransactions) {
  FakeDatabase database({.abort_every = 5});
  const CampaignCounts counts = run(database, "mini", {.sessions = 2, .transactions = 200, .abort_share = 0});
  EXPECT_EQ(counts.aborted.at(FailureCause::Serialization), 40u);
  EXPECT_EQ(counts.committed, 160u);
  EXPECT_TRUE(holds(check(history(), Level::StrictSerializable).verdict));
}

TEST_F(CampaignTest, ALostConnectionContinuesAsANewSession) {
  FakeDatabase database({.lose_every = 50});
  const CampaignCounts counts = run(database, "mini", {.sessions = 2, .transactions = 400, .abort_share = 0});
  EXPECT_EQ(counts.indeterminate, 8u);
  EXPECT_GE(counts.reconnections, 6u);
  const History read = history();
  // A session that reconnects at the very end stays empty.
  EXPECT_GE(read.session_count(), counts.reconnections);
  EXPECT_TRUE(holds(check(read, Level::StrictSerializable).verdict));
}

TEST_F(CampaignTest, WaitsForAServerThatComesBack) {
  FakeDatabase database({.lose_every = 10, .refuse_connections = 3, .first_connections = 1});
  const CampaignCounts counts = run(database, "mini", {.sessions = 1, .transactions = 30, .abort_share = 0});
  EXPECT_GE(counts.reconnections, 2u);
  EXPECT_EQ(counts.transactions(), 30u);
}

TEST_F(CampaignTest, ALostSessionContinuesAtAnotherNode) {
  FakeDatabase database({.lose_every = 20, .nodes = 3, .dead_node = 1});
  const CampaignCounts counts = run(database, "mini", {.sessions = 3, .transactions = 300, .abort_share = 0});
  EXPECT_EQ(counts.transactions(), 300u);
  EXPECT_FALSE(loss_);
  EXPECT_TRUE(holds(check(history(), Level::StrictSerializable).verdict));
}

TEST_F(CampaignTest, KeepsTheRecordingWhenTheDatabaseIsLostForGood) {
  FakeDatabase database({.lose_every = 50, .refuse_connections = 100'000, .first_connections = 2});
  const CampaignCounts counts =
      run(database, "mini", {.sessions = 2, .time = std::chrono::seconds(1), .abort_share = 0});
  ASSERT_TRUE(loss_);
  EXPECT_NE(std::string(loss_->what()).find("the server does not answer"), std::string::npos);
  EXPECT_EQ(counts.indeterminate, 2u);
  EXPECT_GT(history().transaction_count(), 50u);
  EXPECT_TRUE(holds(check(history(), Level::StrictSerializable).verdict));
}

TEST_F(CampaignTest, InterruptsWhatIsStillWaitingAtTheEnd) {
  FakeDatabase database({.hang_at = 30});
  const CampaignCounts counts = run(database, "mini",
                                    {.sessions = 1,
                                     .time = std::chrono::milliseconds(200),
                                     .abort_share = 0,
                                     .grace = std::chrono::milliseconds(10)});
  EXPECT_EQ(counts.aborted.at(FailureCause::ConnectionLost), 1u);
  EXPECT_TRUE(holds(check(history(), Level::StrictSerializable).verdict));
}

TEST_F(CampaignTest, SaysWhenNoSessionCanBeOpened) {
  FakeDatabase database({.refuse_connections = 1000, .first_connections = 0});
  EXPECT_THROW(run(database, "mini", {.sessions = 2, .transactions = 10}), DatabaseError);
}

TEST_F(CampaignTest, StopsWhenTheTimeIsUpAndKeepsTheRate) {
  FakeDatabase database;
  const CampaignCounts counts =
      run(database, "mini", {.sessions = 2, .time = std::chrono::milliseconds(300), .rate = 100});
  EXPECT_GT(counts.transactions(), 5u);
  EXPECT_LT(counts.transactions(), 100u);
}

TEST_F(CampaignTest, StopsWhenAsked) {
  FakeDatabase database;
  const Workload chosen = make_workload("mini", KeyRequest{.keys = 20});
  Recorder recorder(path(), {.initial = 0}, chosen.generator->schema());
  Campaign campaign(database, *chosen.generator, recorder, {.sessions = 2});
  std::thread other([&] {
    while (campaign.counts().committed < 100) std::this_thread::yield();
    campaign.stop();
  });
  campaign.run();
  other.join();
  EXPECT_GE(campaign.counts().committed, 100u);
}

TEST(Latency, QuantilesAreCloseEnough) {
  Latency latency;
  for (std::uint64_t i = 1; i <= 1000; ++i) latency.add(i * 1000);
  EXPECT_NEAR(static_cast<double>(latency.quantile(0.5)), 500'000, 70'000);
  EXPECT_NEAR(static_cast<double>(latency.quantile(0.99)), 990'000, 130'000);
  Latency more;
  more.add(latency);
  EXPECT_EQ(more.quantile(0.5), latency.quantile(0.5));
  EXPECT_EQ(Latency().quantile(0.99), 0u);
}

}  // namespace
}  // namespace serval
