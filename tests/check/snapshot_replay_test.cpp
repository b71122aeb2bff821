// Snapshots and commits by the database's timestamps: what the replay proves, an oracle that runs every
// transaction on its snapshot confirms, and what a store with snapshots did, the replay proves.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/forged_evidence.h"
#include "oracle/executions.h"
#include "sample.h"
#include "serval/check/check.h"
#include "serval/check/replay/replay.h"
#include "serval/database/simulated/simulate.h"
#include "serval/formats/format.h"
#include "serval/formats/native/native_jsonl.h"
#include "serval/history/history_builder.h"
#include "serval/inference/expected_snapshots.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

History with_timestamps(const std::string& lines) {
  ByteStream stream = ByteStream::from_memory("test.jsonl", R"({"serval":"history","version":1})"
                                                            "\n" +
                                                                lines);
  return read_history(stream);
}

CheckResult judged_by_timestamps(const History& history, Level level = Level::SnapshotIsolation) {
  CheckOptions options{.use_certificate = false};
  options.expected_order.role = ExpectedOrderChoice::Role::Required;
  CheckResult result = check(history, level, options);
  EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  return result;
}

std::string verdict_of(const CheckResult& result) {
  if (holds(result.verdict)) return "holds";
  if (undecided(result.verdict)) return "undecided";
  return std::string(name_of(std::get<Violated>(result.verdict).anomalies.front().kind));
}

const std::string kFirstCommit = R"({"s":1,"t":1,"ops":[["w","x",1]],"start_ts":1,"commit_ts":2}
)";

TEST(SnapshotReplay, ReadsTheStateAtTheStartTimestamp) {
  const auto reader = [](int start, const char* seen) {
    return with_timestamps(kFirstCommit + R"({"s":2,"t":2,"ops":[["r","x",)" + seen +
                           R"(],["w","y",1]],"start_ts":)" + std::to_string(start) + R"(,"commit_ts":9})");
  };
  EXPECT_EQ(verdict_of(judged_by_timestamps(reader(1, "null"))), "holds");
  EXPECT_EQ(verdict_of(judged_by_timestamps(reader(3, "1"))), "holds");
  EXPECT_EQ(verdict_of(judged_by_timestamps(reader(1, "1"))), "broken-snapshots");
  EXPECT_EQ(verdict_of(judged_by_timestamps(reader(3, "null"))), "broken-snapshots");
}

TEST(SnapshotReplay, ACommitAtTheStartIsVisibleOrNot) {
  for (const char* seen : {"1", "null"})
    EXPECT_NE(verdict_of(judged_by_timestamps(with_timestamps(
                  kFirstCommit + R"({"s":2,"t":2,"ops":[["r","x",)" + seen + R"(]],"start_ts":2})"))),
              "broken-snapshots");
}

TEST(SnapshotReplay, TheFirstCommitterWins) {
  const auto writer = [](int start, const char* key) {
    return with_timestamps(kFirstCommit + R"({"s":2,"t":2,"ops":[["w",")" + key + R"(",2]],"start_ts":)" +
                           std::to_string(start) + R"(,"commit_ts":9})");
  };
  const CheckResult lost = judged_by_timestamps(writer(1, "x"));
  ASSERT_EQ(verdict_of(lost), "broken-snapshots");
  const auto& evidence = std::get<BrokenOrder>(std::get<Violated>(lost.verdict).anomalies.front().evidence);
  EXPECT_EQ(evidence.predecessor, TransactionId{0});
  EXPECT_EQ(evidence.transaction, TransactionId{1});
  EXPECT_EQ(lost.without_expected_order->answer, CheckResult::OtherOrders::Answer::SomeOrderExists);
  EXPECT_EQ(verdict_of(judged_by_timestamps(writer(3, "x"))), "holds");
  EXPECT_EQ(verdict_of(judged_by_timestamps(writer(1, "y"))), "holds");
}

// The new row is a different object.
TEST(SnapshotReplay, AnInsertAfterADeleteDoesNotLose) {
  const History history = with_timestamps(R"({"s":1,"t":1,"ops":[["i","x",1]],"start_ts":1,"commit_ts":2}
{"s":1,"t":2,"ops":[["d","x"]],"start_ts":3,"commit_ts":5}
{"s":2,"t":3,"ops":[["i","x",2]],"start_ts":4,"commit_ts":6})");
  EXPECT_NE(verdict_of(judged_by_timestamps(history)), "broken-snapshots");
}

TEST(SnapshotReplay, SaysNothingAboutSerializability) {
  const History history =
      with_timestamps(kFirstCommit + R"({"s":2,"t":2,"ops":[["r","x",null]],"start_ts":3})");
  CheckOptions options;
  options.expected_order.role = ExpectedOrderChoice::Role::Required;
  options.expected_order.source = ExpectedOrderSource::Given;
  options.expected_order.given = {TransactionId{1}, TransactionId{0}};
  EXPECT_EQ(verdict_of(judged_by_timestamps(history)), "broken-snapshots");
  EXPECT_TRUE(holds(check(history, Level::Serializable, options).verdict));
  EXPECT_FALSE(forbids(Level::Serializable, AnomalyKind::BrokenSnapshots));
}

TEST(SnapshotReplay, SeesPredicatesAndLists) {
  const std::string writes =
      R"({"s":1,"t":1,"ops":[["w","x",1],["a","l",1]],"start_ts":1,"commit_ts":2}
{"s":1,"t":2,"ops":[["w","x",7],["a","l",2]],"start_ts":3,"commit_ts":5}
)";
  const auto reader = [&](const char* rows, const char* list) {
    return with_timestamps(writes + R"({"s":2,"t":3,"ops":[["a","m",1],["pr",["sql","value < 5"],[)" + rows +
                           R"(]],["l","l",)" + list + R"(],["w","z",1]],"start_ts":4,"commit_ts":6})");
  };
  EXPECT_EQ(verdict_of(judged_by_timestamps(reader(R"(["x",1])", "[1]"))), "undecided");  // m is not a row.
  EXPECT_EQ(verdict_of(judged_by_timestamps(reader(R"(["x",1])", "[1,2]"))), "broken-snapshots");
}

TEST(SnapshotReplay, NeedsEveryStartTimestamp) {
  const History history =
      with_timestamps(kFirstCommit + R"({"s":2,"t":2,"ops":[["r","x",null]],"commit_ts":1})");
  EXPECT_EQ(verdict_of(judged_by_timestamps(history)), "holds");  // A serial order.
  EXPECT_THAT(snapshots_by_timestamps(history).order.problem,
              testing::HasSubstr("T2 has no start timestamp"));
}

TEST(SnapshotReplay, OfStrongLevelsShowPredecessors) {
  const History history = with_timestamps(
      R"({"s":1,"t":1,"ops":[["w","x",1]],"start_ts":1,"commit_ts":2,"begin":1,"end":2}
{"s":1,"t":2,"ops":[["r","x",null]],"start_ts":1,"begin":3,"end":4})");
  EXPECT_EQ(verdict_of(judged_by_timestamps(history)), "holds");
  EXPECT_NE(verdict_of(judged_by_timestamps(history, Level::StrongSessionSnapshotIsolation)), "holds");
}

// Simulated tables with true timestamps; no certificate is used.
TEST(SnapshotReplay, ProvesSimulatedSnapshots) {
  std::uint64_t serial = 0;
  const std::uint64_t count = sample_of(200, 10);
  for (const std::uint64_t seed : fresh_seeds(count)) {
    const History history = simulate({.workload = "predicate-mix:places=20,width=6,overlap=4,increments=0.1",
                                      .sessions = 4,
                                      .transactions = 60,
                                      .keys = 12,
                                      .level = parse_row_level("snapshot-isolation"),
                                      .seed = seed});
    const CheckResult result = judged_by_timestamps(history);
    EXPECT_EQ(verdict_of(result), "holds") << seed;
    EXPECT_EQ(result.engine, "replay");
    Budget budget = Budget::unlimited();
    serial += replay_in_order(history, order_by_timestamps(history).transactions, budget).passes() ? 1 : 0;
    // Without being required, the timestamps prove it too.
    EXPECT_TRUE(holds(check(history, Level::SnapshotIsolation, {.use_certificate = false}).verdict));
  }
  EXPECT_LT(serial, count) << "a serial order must not explain all of them";
}

// A store with snapshots whose answers and timestamps are sometimes damaged.
class RandomStore {
 public:
  explicit RandomStore(std::uint64_t seed) : random_(seed), hostile_(random_.chance(0.5)) {
    const auto count = 2 + random_.below(4);
    std::vector<std::int64_t> commits;
    for (std::uint64_t i = 0; i < count; ++i) commits.push_back(2 + 2 * static_cast<std::int64_t>(i));
    for (std::uint64_t i = 0; i < count; ++i) run(static_cast<int>(i), commits[i]);
  }
  History history() && { return std::move(builder_).freeze(); }

 private:
  struct Commit {
    std::int64_t timestamp;
    int key, value;
  };

  int read(int key, std::int64_t start) const {
    int value = 0;
    for (const Commit& commit : commits_)
      if (commit.key == key && commit.timestamp <= start) value = commit.value;
    return value;
  }
  bool conflicts(int key, std::int64_t start) const {
    return std::ranges::any_of(
        commits_, [&](const Commit& commit) { return commit.key == key && commit.timestamp > start; });
  }

  void run(int number, std::int64_t commit) {
    const SessionId session = builder_.session(Value::integer(static_cast<int>(random_.below(3))));
    const TransactionId t = builder_.begin_transaction(session, Value::integer(number));
    std::int64_t start = 1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(commit)));
    std::vector<Commit> writes;
    for (std::uint64_t i = 0; i < 1 + random_.below(3); ++i) {
      const int key = static_cast<int>(random_.below(2));
      const auto own = std::ranges::find(writes, key, &Commit::key);
      if (random_.chance(0.5)) {
        int seen = own != writes.end() ? own->value : read(key, start);
        if (random_.chance(0.05)) seen = static_cast<int>(random_.below(6));
        builder_.add(t, OperationKind::Read, id(key), seen == 0 ? Value::nil() : Value::integer(seen));
      } else if (!conflicts(key, start) || random_.chance(0.05)) {
        const int value = static_cast<int>(1 + random_.below(5));
        if (own != writes.end())
          own->value = value;
        else
          writes.push_back({commit, key, value});
        builder_.add(t, OperationKind::Write, id(key), Value::integer(value));
      }
    }
    commits_.insert(commits_.end(), writes.begin(), writes.end());
    if (hostile_ && random_.chance(0.1)) builder_.set_outcome(t, Outcome::Indeterminate);
    if (hostile_ && random_.chance(0.2)) start += 1;
    if (hostile_ && random_.chance(0.2)) commit += random_.chance(0.5) ? 2 : -1;
    if (writes.empty() && random_.chance(0.7))
      builder_.set_hints(t, {.start_timestamp = start});
    else
      builder_.set_hints(t, {.start_timestamp = std::min(start, commit), .commit_timestamp = commit});
  }
  KeyId id(int key) { return builder_.key(Value::integer(key)); }

  Random random_;
  bool hostile_;
  HistoryBuilder builder_;
  std::vector<Commit> commits_;
};

// Whether some way to read the timestamps explains the answers: equal commits in any order, a commit at the
// start of another transaction visible or not.
class Readings {
 public:
  Readings(const History& history, const ExpectedSnapshots& expected)
      : history_(history), expected_(expected) {}

  bool some_passes() {
    const std::size_t count = expected_.order.transactions.size();
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = i;
    do {
      bool keeps_ranks = true;
      order_.clear();
      for (std::size_t i = 0; i < count; ++i) {
        keeps_ranks = keeps_ranks && expected_.order.rank(places[i]) == expected_.order.rank(i);
        order_.push_back(expected_.order.transactions[places[i]]);
      }
      visible_.assign(count, 0);
      if (keeps_ranks && some_snapshots_pass(0)) return true;
    } while (std::ranges::next_permutation(places).found);
    return false;
  }

 private:
  bool some_snapshots_pass(std::size_t next) {
    if (next == order_.size()) return oracle::is_snapshot_order(history_, order_, visible_);
    const std::int64_t start = *history_.hints(order_[next])->start_timestamp;
    std::uint32_t least = 0, most = 0;
    for (std::size_t i = 0; i < next; ++i) {
      const TransactionHints& hints = *history_.hints(order_[i]);
      const std::int64_t placed = hints.commit_timestamp.value_or(*hints.start_timestamp);
      least += placed < start ? 1 : 0;
      most += placed <= start ? 1 : 0;
    }
    for (std::uint32_t shown = least; shown <= most; ++shown) {
      visible_[next] = shown;
      if (some_snapshots_pass(next + 1)) return true;
    }
    return false;
  }

  const History& history_;
  const ExpectedSnapshots& expected_;
  std::vector<TransactionId> order_;
  std::vector<std::uint32_t> visible_;
};

std::string spelled_out(const History& history) {
  std::string out;
  write_jsonl(
      history, [&](std::string_view text) { out += text; }, [](const std::string&) {});
  return out;
}

TEST(SnapshotReplay, AgreesWithAnOracleOnRandomStores) {
  int held = 0, failed = 0, open = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(50'000, 2'000))) {
    SCOPED_TRACE(seed);
    const History history = RandomStore(seed).history();
    const ExpectedSnapshots expected = snapshots_by_timestamps(history);
    if (!expected.order.problem.empty()) continue;
    const CheckResult result = judged_by_timestamps(history);
    const std::string said = verdict_of(result);
    const bool possible = Readings(history, expected).some_passes();
    const bool has_indeterminate =
        std::ranges::find(history.outcome_column(), Outcome::Indeterminate) != history.outcome_column().end();
    if (said == "holds") {
      ASSERT_TRUE(possible) << spelled_out(history);
      ASSERT_TRUE(oracle::has_execution(history, Level::SnapshotIsolation)) << spelled_out(history);
    }
    if (said == "broken-snapshots" && !has_indeterminate) {
      ASSERT_FALSE(possible) << spelled_out(history);
    }
    ++(said == "holds" ? held : said == "undecided" ? open : failed);
    if (!possible || !violated(result.verdict)) continue;
    ASSERT_NE(said, "broken-snapshots") << spelled_out(history);
  }
  EXPECT_GT(held, 100);
  EXPECT_GT(failed, 100);
  EXPECT_GT(open, 10);
}

TEST(SnapshotReplay, CannotBeForgedAgainstTrueSnapshots) {
  const History failing =
      with_timestamps(kFirstCommit + R"({"s":2,"t":2,"ops":[["r","x",null]],"start_ts":3})");
  const History passing = with_timestamps(kFirstCommit + R"({"s":2,"t":2,"ops":[["r","x",1]],"start_ts":3})");
  const CheckResult result = judged_by_timestamps(failing);
  ASSERT_EQ(verdict_of(result), "broken-snapshots");
  Random random = fresh_random();
  for (int i = 0; i < 500; ++i)
    EXPECT_NE(
        verify_witness(passing, Level::SnapshotIsolation, oracle::forged(result.verdict, passing, random)),
        std::nullopt);
}

}  // namespace
}  // namespace serval
