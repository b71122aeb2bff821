#include "serval/database/probe/probe.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

namespace serval {
namespace {

using Result = ProbeCell::Result;
using std::chrono::milliseconds;

// How the in-memory database treats concurrent clients.
enum class Manners {
  Unprotected,   // Writes are visible immediately and undone by a rollback.
  OneAtATime,    // The transaction that begins second waits.
  FirstCommits,  // Writes become visible at the commit, which is refused after a conflicting one.
  Stuck,         // The transaction that begins second waits until a client disconnects.
  Lossy,         // Connections are lost in the first request.
  WithoutRanges,
};

struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::uint64_t, Answer::Row> rows;
  bool taken = false;
  int commits = 0, disconnected = 0;
};

class FakeClient final : public Client {
 public:
  FakeClient(Shared& shared, Manners manners) : shared_(shared), manners_(manners) {}
  ~FakeClient() override {
    const std::lock_guard lock(shared_.mutex);
    ++shared_.disconnected;
    shared_.changed.notify_all();
  }

  void begin() override {
    std::unique_lock lock(shared_.mutex);
    if (manners_ == Manners::OneAtATime || manners_ == Manners::Stuck) {
      const int before = shared_.disconnected;
      shared_.changed.wait(lock, [&] {
        return manners_ == Manners::Stuck ? !shared_.taken || shared_.disconnected > before : !shared_.taken;
      });
      shared_.taken = true;
    }
    began_at_ = shared_.commits;
    own_ = shared_.rows;
  }

  Answer perform(const Request& request) override {
    if (manners_ == Manners::Lossy)
      throw TransactionFailure(FailureCause::ConnectionLost, Outcome::Aborted, "gone");
    if (manners_ == Manners::WithoutRanges && is_range(request.kind)) throw DatabaseError("no ranges");
    const std::lock_guard lock(shared_.mutex);
    auto& rows = manners_ == Manners::FirstCommits ? own_ : shared_.rows;
    Answer answer;
    if (request.kind == Request::Kind::Read) {
      answer.rows.push_back(rows.at(request.key));
    } else if (request.kind == Request::Kind::Scan) {
      for (const auto& [key, row] : rows)
        if (!row.columns.empty() && row.columns[0] >= request.low && row.columns[0] <= request.high)
          answer.rows.push_back(row);
    } else {
      undo_.emplace(request.key,
                    rows.contains(request.key) ? std::optional(rows[request.key]) : std::nullopt);
      rows[request.key] = {request.key, request.tag, request.columns};
    }
    return answer;
  }

  Outcome commit() override {
    const std::lock_guard lock(shared_.mutex);
    if (manners_ == Manners::FirstCommits) {
      if (shared_.commits > began_at_)
        throw TransactionFailure(FailureCause::Serialization, Outcome::Aborted, "too late");
      shared_.rows = own_;
    }
    ++shared_.commits;
    leave();
    return Outcome::Committed;
  }

  void roll_back() override {
    const std::lock_guard lock(shared_.mutex);
    if (manners_ != Manners::FirstCommits)
      for (const auto& [key, row] : undo_)
        row ? void(shared_.rows[key] = *row) : void(shared_.rows.erase(key));
    leave();
  }

 private:
  void leave() {
    undo_.clear();
    shared_.taken = false;
    shared_.changed.notify_all();
  }

  Shared& shared_;
  Manners manners_;
  int began_at_ = 0;
  std::map<std::uint64_t, Answer::Row> own_;
  std::map<std::uint64_t, std::optional<Answer::Row>> undo_;
};

class FakeDatabase final : public Database {
 public:
  explicit FakeDatabase(Manners manners) : manners_(manners) {}
  std::map<std::string, std::string> facts() override { return {}; }
  void create(const Schema& schema) override {
    shared_.rows.clear();
    shared_.commits = 0;
    shared_.taken = false;
    std::vector<std::int64_t> columns;
    for (const ColumnInfo& column : schema[0].columns) columns.push_back(column.initial);
    for (std::uint64_t key = 0; key < schema[0].rows; ++key) shared_.rows[key] = {key, 0, columns};
  }
  void drop() override {}
  std::unique_ptr<Client> connect(std::uint32_t) override {
    return std::make_unique<FakeClient>(shared_, manners_);
  }

 private:
  Shared shared_;
  Manners manners_;
};

ProbeCell probe(Manners manners, std::string_view name, milliseconds patience = milliseconds(300),
                milliseconds give_up = milliseconds(10'000)) {
  FakeDatabase database(manners);
  const auto anomaly = std::ranges::find(all_probe_anomalies(), name, &ProbeAnomaly::name);
  return probe_anomaly(database, *anomaly, {.patience = patience, .give_up = give_up});
}

TEST(Probe, WithoutProtectionEverythingHappens) {
  for (const ProbeAnomaly& anomaly : all_probe_anomalies()) {
    const ProbeCell cell = probe(Manners::Unprotected, anomaly.name);
    EXPECT_EQ(cell.result, Result::Happens) << anomaly.name;
    EXPECT_FALSE(cell.waited) << anomaly.name;
    EXPECT_EQ(cell.refused, std::nullopt) << anomaly.name;
  }
}

TEST(Probe, OneTransactionAtATimePreventsEverythingByWaiting) {
  for (const ProbeAnomaly& anomaly : all_probe_anomalies()) {
    const ProbeCell cell = probe(Manners::OneAtATime, anomaly.name, milliseconds(30));
    EXPECT_EQ(cell.result, Result::Prevented) << anomaly.name;
    EXPECT_TRUE(cell.waited) << anomaly.name;
    EXPECT_EQ(cell.waited_at, 1u) << anomaly.name << ": the second begin";
    EXPECT_TRUE(cell.finally_current) << anomaly.name;
  }
}

TEST(Probe, AReadAfterwardsThatMissesACommitIsNotCurrent) {
  ProbePlay play{.steps = probe_steps("w1(x) c1")[0], .answers = {}, .committed = {true}, .finally = {}};
  play.answers = {std::nullopt, Answer{}, std::nullopt};
  play.finally = {{kProbeX, 2, {}}, {kProbeY, 0, {}}};
  EXPECT_TRUE(finally_shows_commits(play));
  play.finally[0].tag = 0;
  EXPECT_FALSE(finally_shows_commits(play));
  play.committed = {false};
  EXPECT_TRUE(finally_shows_commits(play));
}

TEST(Probe, RefusedTransactionsCountAsPrevented) {
  for (const ProbeAnomaly& anomaly : all_probe_anomalies()) {
    const ProbeCell cell = probe(Manners::FirstCommits, anomaly.name);
    EXPECT_EQ(cell.result, Result::Prevented) << anomaly.name;
    EXPECT_FALSE(cell.waited) << anomaly.name;
    const bool has_two_commits = anomaly.name != "G1a";
    EXPECT_EQ(cell.refused.has_value(), has_two_commits) << anomaly.name;
  }
}

TEST(Probe, AClientThatWaitsUntilTheEndIsBlocked) {
  const ProbeCell cell = probe(Manners::Stuck, "P4", milliseconds(20), milliseconds(50));
  EXPECT_EQ(cell.result, Result::Prevented) << "the first commits, and the second may begin";
  FakeDatabase database(Manners::Stuck);
  const ProbeAnomaly forever{"", "", "r1(x) r2(x) c2", [](const ProbePlay&) { return true; }};
  EXPECT_EQ(
      probe_anomaly(database, forever, {.patience = milliseconds(20), .give_up = milliseconds(50)}).result,
      Result::Blocked);
}

TEST(Probe, ALostConnectionIsNotAResult) { EXPECT_THROW(probe(Manners::Lossy, "G0"), DatabaseError); }

TEST(Probe, UnsupportedRequestsAreNotApplicable) {
  EXPECT_EQ(probe(Manners::WithoutRanges, "PMP").result, Result::NotApplicable);
  EXPECT_EQ(probe(Manners::WithoutRanges, "G2").result, Result::NotApplicable);
  EXPECT_EQ(probe(Manners::WithoutRanges, "G0").result, Result::Happens);
}

TEST(Probe, SchedulesBeginEveryClientAndNumberTheirSteps) {
  const auto schedules = probe_steps("w1(x) r2(y) c1 | s1 c1");
  ASSERT_EQ(schedules.size(), 2u);
  ASSERT_EQ(schedules[0].size(), 5u);
  EXPECT_EQ(schedules[0][1].what, ProbeStep::What::Begin);
  EXPECT_EQ(schedules[0][1].client, 1u);
  EXPECT_EQ(schedules[0][2].request.kind, Request::Kind::Write);
  EXPECT_EQ(schedules[0][2].request.key, kProbeX);
  EXPECT_EQ(schedules[0][2].request.tag, 3);
  EXPECT_EQ(schedules[0][3].request.key, kProbeY);
  EXPECT_EQ(schedules[1].size(), 3u);
}

#if SERVAL_WITH_ROCKSDB
// The anomalies that happen, by isolation.
std::map<std::string, std::set<std::string>> happening(const std::vector<ProbeRow>& rows) {
  std::map<std::string, std::set<std::string>> out;
  for (const ProbeRow& row : rows) {
    out[row.isolation];
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (row.cells[i].result == Result::Happens) out[row.isolation].emplace(all_probe_anomalies()[i].name);
  }
  return out;
}

TEST(Probe, RocksdbKeepsWhatItPromises) {
  const std::map<std::string, std::set<std::string>> expected{
      {"serializable", {}},
      {"snapshot-isolation", {"G2-item"}},
      {"read-committed", {"P4", "G-single", "G2-item"}},
  };
  EXPECT_EQ(happening(probe_database("rocksdb:", {})), expected);
  const std::vector<ProbeRow> optimistic = probe_database("rocksdb:?kind=optimistic", {});
  EXPECT_EQ(happening(optimistic), expected);
  EXPECT_EQ(optimistic[0].facts.at("kind"), "optimistic");
  EXPECT_TRUE(std::ranges::none_of(optimistic[0].cells, &ProbeCell::waited)) << "nobody locks";
}

TEST(Probe, IsolationsCanBeChosen) {
  const std::vector<ProbeRow> rows =
      probe_database("rocksdb:?kind=optimistic", {.isolations = {"Read Committed"}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].isolation, "read-committed");
}
#endif

}  // namespace
}  // namespace serval
