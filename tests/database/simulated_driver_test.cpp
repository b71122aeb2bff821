// The simulated database as a driver: sessions in threads, the promise of each level, each bug caught,
// and what a truncated recording shows.

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "database/driver_checks.h"
#include "serval/base/error.h"
#include "serval/check/check.h"
#include "serval/database/campaign.h"
#include "serval/database/simulated/simulated_bug.h"
#include "serval/database/simulated/simulated_level.h"
#include "serval/formats/format.h"
#include "serval/verify/verify_witness.h"
#include "serval/workload/workload.h"

namespace serval {
namespace {

class SimulatedDriverTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "serval-simulated-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "run.jsonl").string(); }

  // A run of eight sessions, as `serval run` does it.
  History run(const std::string& address, std::string_view isolation, const char* workload,
              std::uint64_t seed = 7) {
    const std::unique_ptr<Database> database = open_database(address, {.isolation = std::string(isolation)});
    const Workload chosen = make_workload(workload, KeyRequest{.keys = 20});
    const Schema schema = chosen.generator->schema();
    database->create(schema);
    std::filesystem::remove(path());
    RunHeader header;
    if (schema.front().initial == TableInfo::Initial::Zero &&
        schema.front().holds == TableInfo::Holds::Registers)
      header.initial = 0;
    Recorder recorder(path(), header, schema);
    Campaign campaign(*database, *chosen.generator, recorder,
                      {.sessions = 8, .transactions = 1000, .seed = seed});
    campaign.run();
    recorder.finish();
    return read_history(path());
  }

  static Verdict proved(const History& history, Level level) {
    CheckResult result = check(history, level);
    const auto flaw = verify_witness(history, level, result.verdict);
    EXPECT_FALSE(flaw) << *flaw;
    return result.verdict;
  }

  std::filesystem::path folder_;
};

TEST_F(SimulatedDriverTest, AnswersEveryRequestAtEveryLevel) {
  for (const SimulatedLevelInfo& level : all_simulated_levels()) {
    if (level.snapshots == SimulatedLevelInfo::Snapshots::Any) continue;  // It may miss its own past.
    const auto database = open_database("simulated:", {.isolation = std::string(level.name)});
    check_requests(*database);
  }
}

TEST_F(SimulatedDriverTest, ARowThatWasInsertedAndDeletedInvalidatesARange) {
  const auto database = open_database("simulated:?latency=0", {.isolation = "strict-serializable"});
  database->create(make_workload("phantoms", KeyRequest{}).generator->schema());
  const std::unique_ptr<Client> reader = database->connect(0), writer = database->connect(1);
  reader->begin();
  EXPECT_TRUE(
      reader->perform({.kind = Request::Kind::Scan, .column = 0, .low = 15, .high = 15}).rows.empty());
  writer->begin();
  writer->perform({.kind = Request::Kind::Insert, .key = 1, .tag = 1, .columns = {15}});
  EXPECT_EQ(writer->commit(), Outcome::Committed);
  writer->begin();
  writer->perform({.kind = Request::Kind::Delete, .key = 1});
  EXPECT_EQ(writer->commit(), Outcome::Committed);
  reader->perform({.kind = Request::Kind::Insert, .key = 2, .tag = 2, .columns = {14}});
  EXPECT_THROW(reader->commit(), TransactionFailure);
}

TEST_F(SimulatedDriverTest, EveryLevelKeepsItsPromise) {
  for (const SimulatedLevelInfo& level : all_simulated_levels())
    for (const char* workload : {"mini", "list-append"}) {
      const History history = run("simulated:", level.name, workload);
      EXPECT_TRUE(holds(proved(history, *find_level(level.name)))) << level.name << " " << workload;
    }
}

TEST_F(SimulatedDriverTest, NoLevelIsViolatedUnderOtherWorkloads) {
  for (const SimulatedLevelInfo& level : all_simulated_levels())
    for (const char* workload : {"registers", "lightweight", "bank", "predicates"}) {
      const History history = run("simulated:", level.name, workload);
      EXPECT_FALSE(violated(proved(history, *find_level(level.name)))) << level.name << " " << workload;
    }
}

TEST_F(SimulatedDriverTest, WeakLevelsAreCaughtAtStrongerOnes) {
  const auto caught = [&](const char* isolation, Level level) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      if (violated(proved(run("simulated:", isolation, "list-append", seed), level))) return true;
    return false;
  };
  EXPECT_TRUE(caught("read-uncommitted", Level::ReadCommitted));
  EXPECT_TRUE(caught("read-committed", Level::SnapshotIsolation));
  EXPECT_TRUE(caught("strong-snapshot-isolation", Level::Serializable));
  EXPECT_TRUE(caught("serializable", Level::StrictSerializable));
}

TEST_F(SimulatedDriverTest, EveryBugIsCaught) {
  for (const SimulatedBugInfo& bug : all_simulated_bugs()) {
    const std::string address = "simulated:?bug=" + std::string(bug.name) + ":probability=0.5";
    bool caught = false;
    for (std::uint64_t seed = 1; seed <= 10 && !caught; ++seed)
      caught = violated(
          proved(run(address, "strict-serializable", "list-append", seed), Level::StrictSerializable));
    EXPECT_TRUE(caught) << bug.name;
  }
}

// What a check sees if it reads the file while it grows.
TEST_F(SimulatedDriverTest, ARecordingCutAtAnySyncShowsNoFalseViolation) {
  for (const char* workload : {"mini", "list-append", "lightweight", "bank"}) {
    run("simulated:", "strict-serializable", workload);
    std::ifstream file(path());
    std::stringstream whole;
    whole << file.rdbuf();
    const std::string text = whole.str();
    std::size_t cuts = 0;
    for (std::size_t at = 0; (at = text.find("\"sync\"", at)) != std::string::npos; ++at, ++cuts) {
      const std::string cut = (folder_ / "cut.jsonl").string();
      std::ofstream(cut) << text.substr(0, at + 60);  // Includes part of the next line.
      EXPECT_FALSE(violated(check(read_history(cut), Level::StrictSerializable).verdict))
          << workload << " " << at;
    }
    EXPECT_GE(cuts, 2u) << workload;
  }
}

TEST_F(SimulatedDriverTest, ConflictsAbortTheSecondTransaction) {
  const auto strict = open_database("simulated:", {});
  strict->create(checked_schema());
  EXPECT_EQ(failure_of([&] { try_write_skew(connect_pair(*strict)); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
  EXPECT_EQ(failure_of([&] { try_lost_update(connect_pair(*strict)); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
  const auto snapshots = open_database("simulated:", {.isolation = "strong-snapshot-isolation"});
  snapshots->create(checked_schema());
  EXPECT_EQ(try_write_skew(connect_pair(*snapshots)), Outcome::Committed);
  EXPECT_EQ(failure_of([&] { try_lost_update(connect_pair(*snapshots)); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
}

TEST_F(SimulatedDriverTest, ALockingReadIsCheckedLikeAWrite) {
  const auto database = open_database("simulated:", {.isolation = "strong-snapshot-isolation"});
  database->create(checked_schema());
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  clients.first->perform({.kind = Request::Kind::Read, .key = 0, .locks = true});
  perform_alone(*clients.second, {.kind = Request::Kind::Write, .key = 0, .tag = 5});
  write(*clients.first, 1, 6);
  EXPECT_EQ(failure_of([&] { clients.first->commit(); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
}

TEST_F(SimulatedDriverTest, PhantomsAreRefusedWhereReadsAreChecked) {
  const auto database = open_database("simulated:", {});
  database->create(checked_schema());
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  clients.first->perform({.kind = Request::Kind::Scan, .table = 2, .column = 0, .low = 7, .high = 7});
  perform_alone(*clients.second, {.kind = Request::Kind::Insert, .table = 2, .key = 3, .tag = 5});
  write(*clients.first, 1, 6);
  EXPECT_EQ(failure_of([&] { clients.first->commit(); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
}

TEST_F(SimulatedDriverTest, ReportsTheNumbersOfSnapshotAndCommit) {
  const auto database = open_database("simulated:", {});
  database->create(checked_schema());
  const auto client = database->connect(0);
  perform_alone(*client, {.kind = Request::Kind::Write, .key = 0, .tag = 5});
  perform_alone(*client, {.kind = Request::Kind::Write, .key = 0, .tag = 6});
  EXPECT_EQ(client->hints().start_timestamp, 1);
  EXPECT_EQ(client->hints().commit_timestamp, 2);
}

// A row identifies its version by its tag. A missing row, and rows that a range did not return, identify
// none.
TEST_F(SimulatedDriverTest, AnAnswerWithoutARowReportsItsSnapshot) {
  for (const char* level :
       {"read-committed", "snapshot-isolation", "strict-serializable", "read-uncommitted"}) {
    SCOPED_TRACE(level);
    const auto database = open_database("simulated:", {.isolation = level, .certificate = true});
    database->create(checked_schema());
    const auto writer = database->connect(0), reader = database->connect(1);
    perform_alone(*writer, {.kind = Request::Kind::Write, .key = 0, .tag = 5});
    reader->begin();
    const bool dirty = std::string_view(level) == "read-uncommitted";
    const bool statements = std::string_view(level) == "read-committed";
    const auto first = reader->perform({.kind = Request::Kind::Read, .key = 0});
    EXPECT_EQ(first.rows.size(), first.timestamp ? 0u : 1u);  // A lagging snapshot does not have the row.
    const std::optional<std::int64_t> before =
        reader->perform({.kind = Request::Kind::Read, .key = 9}).timestamp;
    EXPECT_EQ(before.has_value(), !dirty);
    perform_alone(*writer, {.kind = Request::Kind::Write, .key = 0, .tag = 6});
    const Answer later = reader->perform({.kind = Request::Kind::Scan, .low = 8, .high = 9});
    EXPECT_EQ(later.timestamp.has_value(), !dirty);
    EXPECT_EQ(later.timestamp.value_or(0), before.value_or(0) + (statements ? 1 : 0));
    reader->roll_back();
  }
}

TEST_F(SimulatedDriverTest, WrongAddressesAreAnsweredWithTheRightOnes) {
  for (const char* address :
       {"simulated:?bug=lost-updat", "simulated:?bugs=lost-update", "simulated:/tmp", "simulated:?seed=x",
        "simulated:?latency=-1", "simulated:?bug=lost-update:probability=2"})
    EXPECT_THROW((void)open_database(address, {}), InputError) << address;
  EXPECT_EQ(open_database("simulated:?bug=lost-update+long-fork:limit=1", {})->facts()["bugs"],
            "lost-update:probability=0.01+long-fork:probability=0.01,limit=1");
}

}  // namespace
}  // namespace serval
