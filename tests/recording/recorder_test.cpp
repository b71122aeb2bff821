#include "serval/recording/recorder.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serval/base/clock.h"
#include "serval/base/error.h"
#include "serval/formats/format.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

using Kind = Request::Kind;

class Recording : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "serval-recorder-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "run.jsonl").string(); }
  History history() const { return read_history(path(), {}); }
  Schema schema() const {
    return {{.name = "registers"}, {.name = "rows", .columns = {{.name = "balance"}}}};
  }

  std::filesystem::path folder_;
};

void record(SessionLog& log, const Request& request, const Answer& answer, Time at) {
  log.invoke(request, at);
  log.complete(request, answer, at + 1);
}

Answer row(std::int64_t tag) { return {.rows = {{.tag = tag}}}; }

TEST_F(Recording, WritesWhatClientsObserved) {
  Recorder recorder(path(), {.initial = 0, .facts = {{"database", "none \"1\""}}}, schema());
  SessionLog& log = recorder.open_session();
  log.begin(10);
  record(log, {.kind = Kind::Read, .key = 7}, row(0), 11);
  record(log, {.kind = Kind::Write, .key = 7, .tag = 1}, {}, 13);
  record(log, {.kind = Kind::Update, .key = 8, .tag = 2}, row(0), 15);
  record(log, {.kind = Kind::Read, .table = 1, .key = 3}, {}, 17);
  log.end(Outcome::Committed, 20, {.node = "n1"});
  log.begin(30);
  record(log, {.kind = Kind::Insert, .key = 9, .tag = 3}, {}, 31);
  record(log, {.kind = Kind::Insert, .key = 7, .tag = 4}, {.rows = {{.tag = 1}}, .applied = false}, 33);
  record(log, {.kind = Kind::CompareAndSet, .key = 7, .tag = 5, .expected = 1}, {}, 35);
  record(log, {.kind = Kind::Delete, .key = 9}, {}, 37);
  log.end(Outcome::Aborted, 40, {.error = "40001"});
  recorder.finish();
  const History read = history();
  EXPECT_EQ(print_history(read),
            "1: [r(7,0) w(7,1) r(8,0) w(8,2) r(rows/3,_)]@10..20 [i(9,3) i(7,1)! cas(7,1,5) d(9)]!@30..40\n");
  EXPECT_EQ(read.facts().at("database"), "none \"1\"");
  EXPECT_EQ(read.facts().at("table"), schema().front().name);
  EXPECT_EQ(read.hints(TransactionId{0})->node, "n1");
}

TEST_F(Recording, ListsAndRanges) {
  Recorder recorder(path(), {}, schema());
  SessionLog& log = recorder.open_session();
  log.begin(1);
  record(log, {.kind = Kind::Append, .key = 1, .tag = 5}, {}, 2);
  record(log, {.kind = Kind::ReadList, .key = 1}, {.list = {4, 5}}, 4);
  Request scan{.kind = Kind::Scan, .table = 1};
  scan.column = 0;
  scan.low = 10;
  scan.high = 20;
  record(log, scan, {.rows = {{.key = 3, .tag = 9}}}, 6);
  log.end(Outcome::Committed, 9, {});
  recorder.finish();
  const History read = history();
  ASSERT_EQ(read.operation_count(), 3u);
  EXPECT_EQ(read.kind(OperationId{1}), OperationKind::ReadList);
  EXPECT_EQ(read.kind(OperationId{2}), OperationKind::PredicateRead);
  EXPECT_EQ(read.operation(OperationId{2}).rows.size(), 1u);
}

Schema searched_by_place() {
  return {{.name = "pieces",
           .initial = TableInfo::Initial::Absent,
           .columns = {{.name = "weight", .initial = 4}, {.name = "place", .indexed = true}}},
          {.name = "parts", .initial = TableInfo::Initial::Absent}};
}

Request range(Kind kind, std::uint32_t column, std::int64_t low, std::int64_t high) {
  Request request{.kind = kind};
  request.column = column;
  request.low = low;
  request.high = high;
  return request;
}

TEST_F(Recording, HasWholeRowsOfATableThatIsSearchedByAColumn) {
  Recorder recorder(path(), {}, searched_by_place());
  SessionLog& log = recorder.open_session();
  log.begin(1);
  record(log, {.kind = Kind::Insert, .key = 1, .tag = 5}, {}, 2);
  record(log, {.kind = Kind::Insert, .key = 2, .tag = 6, .columns = {7, 8}}, {}, 4);
  record(log, {.kind = Kind::Update, .key = 2, .tag = 7, .columns = {7, 9}},
         {.rows = {{.key = 2, .tag = 6, .columns = {7, 8}}}}, 6);
  record(log, {.kind = Kind::Read, .key = 3}, {}, 8);
  record(log, {.kind = Kind::Insert, .table = 1, .key = 3, .tag = 9}, {}, 10);
  log.end(Outcome::Committed, 20, {});
  recorder.finish();
  EXPECT_EQ(
      print_history(history()),
      R"(1: [i(1,{"place":0,"tag":5,"weight":4}) i(2,{"place":8,"tag":6,"weight":7}) )"
      R"(r(2,{"place":8,"tag":6,"weight":7}) w(2,{"place":9,"tag":7,"weight":7}) r(3,_) i(parts/3,9)]@1..20)"
      "\n");
}

TEST_F(Recording, APointReadThatFindsTwoRowsIsARangeReadOfItsKey) {
  Recorder recorder(path(), {}, searched_by_place());
  SessionLog& log = recorder.open_session();
  const std::vector<Answer::Row> rows{{.key = 3, .tag = 5, .columns = {1, 2}},
                                      {.key = 3, .tag = 6, .columns = {3, 4}}};
  log.begin(1);
  record(log, {.kind = Kind::Read, .key = 3}, {.rows = rows}, 2);
  record(log, {.kind = Kind::Insert, .key = 3, .tag = 7}, {.rows = rows, .applied = false}, 4);
  log.end(Outcome::Committed, 9, {});
  recorder.finish();
  const History read = history();
  for (const OperationId op : {OperationId{0}, OperationId{1}}) {
    EXPECT_EQ(read.kind(op), OperationKind::PredicateRead);
    ASSERT_EQ(read.rows(op).size(), 2u);
    EXPECT_EQ(read.rows(op)[0].key, read.rows(op)[1].key);
    EXPECT_NE(read.rows(op)[0].value, read.rows(op)[1].value);
  }
}

TEST_F(Recording, RecordsRangesAndTheirAnswers) {
  Recorder recorder(path(), {}, searched_by_place());
  SessionLog& log = recorder.open_session();
  log.begin(1);
  Request update = range(Kind::UpdateRange, 1, 3, 5);
  update.tag = 9;
  update.columns = {1, 2};
  record(log, update,
         {.rows = {{.key = 1, .tag = 9, .columns = {1, 2}}}, .matched = 2, .changed = 1, .snapshot = "7:9:8"},
         2);
  Request sum = range(Kind::Scan, Request::kKey, 0, 8);
  sum.function = Request::Function::Sum;
  sum.argument = 1;
  record(log, sum, {.result = 2, .timestamp = 41}, 4);
  Request count = range(Kind::Scan, Request::kKey, 0, 8);
  count.function = Request::Function::Count;
  record(log, count, {.result = 0, .saw_the_end = true}, 6);
  sum.function = Request::Function::Min;
  record(log, sum, {.saw_the_end = true}, 8);
  log.end(Outcome::Committed, 20, {}, 43);
  recorder.finish();

  const History read = history();
  const Operation updated = read.operation(OperationId{0});
  EXPECT_EQ(updated.rows_matched, 2);
  EXPECT_EQ(updated.rows_changed, 1);
  ASSERT_EQ(updated.rows.size(), 1u);
  EXPECT_EQ(read.format(updated.rows[0].value), R"({"place":2,"tag":9,"weight":1})");
  using Node = Predicate::Node;
  const Predicate& tree = read.predicate(updated.predicate);
  EXPECT_EQ(tree.node, Node::Update);
  ASSERT_EQ(tree.children.size(), 4u);
  EXPECT_EQ(tree.children[0].node, Node::Between);
  EXPECT_EQ(tree.children[1].name, "tag");
  EXPECT_EQ(tree.children[3].name, "place");
  EXPECT_EQ(std::get<TransactionSnapshot>(read.certificate().version_set(OperationId{0})->seen).format(),
            "7:9:8");

  EXPECT_EQ(read.predicate(read.predicate_id(OperationId{1})).name, "sum");
  EXPECT_EQ(read.value(OperationId{1}), Value::integer(2));
  EXPECT_EQ(std::get<std::int64_t>(read.certificate().version_set(OperationId{1})->seen), 41);
  EXPECT_EQ(read.value(OperationId{2}), Value::integer(0));
  EXPECT_EQ(std::get<std::int64_t>(read.certificate().version_set(OperationId{2})->seen), 43);
  EXPECT_TRUE(read.value(OperationId{3}).is_nil());
  EXPECT_EQ(std::get<std::int64_t>(read.certificate().version_set(OperationId{3})->seen), 43);
}

TEST_F(Recording, KeepsALedgerWhenACertificateIsRequested) {
  Recorder recorder(path(), {.ledger = SessionLog::Ledger::Kept}, searched_by_place());
  SessionLog& log = recorder.open_session();
  log.begin(1);
  record(log, {.kind = Kind::Insert, .key = 1, .tag = 5}, {}, 2);
  log.end(Outcome::Committed, 3, {.server_transaction = "70"});
  log.begin(4);
  record(log, {.kind = Kind::Delete, .key = 9}, {.applied = false}, 5);
  log.invoke({.kind = Kind::Insert, .key = 2, .tag = 6}, 6);
  log.lose({.kind = Kind::Insert, .key = 2, .tag = 6});
  log.end(Outcome::Indeterminate, 7, {});
  log.begin(8);
  log.end(Outcome::Aborted, 9, {.server_transaction = "72"});
  const std::vector<LedgerEntry> ledger = recorder.ledger();
  recorder.finish(
      "{\"event\":\"settled\",\"s\":1,\"t\":2,\"outcome\":\"committed\",\"server_txn\":\"71\"}\n");
  ASSERT_EQ(ledger.size(), 2u);
  EXPECT_EQ(ledger[0].server_transaction, "70");
  EXPECT_EQ(ledger[1].outcome, Outcome::Indeterminate);
  EXPECT_EQ(ledger[1].tags.back(), 6);
  EXPECT_FALSE(ledger[1].surely_wrote);
  const History read = history();
  EXPECT_EQ(read.outcome(TransactionId{1}), Outcome::Committed);
  EXPECT_EQ(read.hints(TransactionId{1})->server_transaction, "71");
}

TEST_F(Recording, NeverOverwrites) {
  std::ofstream(path()) << "precious";
  EXPECT_THROW(Recorder(path(), {}, schema()), OutputError);
}

// Sessions that pass values to each other through atomics, as a database would, in a process that is
// killed after the recorder has written a few times. After every `kRun` transactions, a session leaves
// one open, with its write already visible to others, until the recorder has written. The last session
// never waits.
class Doomed {
 public:
  Doomed(const std::string& path, const Schema& schema, int batches, int ready)
      : recorder_(path, {.initial = 0}, schema), batches_(batches), ready_(ready) {}

  [[noreturn]] void run() {
    std::vector<std::thread> threads;
    for (int s = 0; s < kSessions; ++s) threads.emplace_back([this, s] { run_session(s); });
    for (;;) ::pause();
  }

  static constexpr int kSessions = 4, kRun = 20;

 private:
  void run_session(int s) {
    SessionLog& log = recorder_.open_session();
    for (std::int64_t i = 1;; ++i) {
      log.begin(now());
      const auto other = static_cast<std::uint64_t>((s + i) % kSessions);
      const Request read{.kind = Kind::Read, .key = other};
      log.invoke(read, now());
      log.complete(read, row(state_[other]), now());
      const Request write{
          .kind = Kind::Write, .key = static_cast<std::uint64_t>(s), .tag = i * kSessions + s};
      log.invoke(write, now());
      state_[s] = write.tag;
      if (s == kSessions - 1)
        std::this_thread::yield();
      else if (i % (kRun * (s + 1)) == 0)
        await_batch(s);
      log.complete(write, {}, now());
      log.end(Outcome::Committed, now(), {});
    }
  }
  void await_batch(int s) {
    for (const std::uint64_t bytes = recorder_.bytes(); recorder_.bytes() == bytes;)
      std::this_thread::yield();
    if (s != 0 || --batches_ != 0) return;
    EXPECT_EQ(::write(ready_, "!", 1), 1);
  }

  Recorder recorder_;
  std::atomic<std::int64_t> state_[kSessions] = {};
  int batches_;  // How many more the first session waits for.
  int ready_;    // Where to report that the process may be killed.
};

void kill_after(int batches, const std::string& path, const Schema& schema) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) Doomed(path, schema, batches, ready[1]).run();
  ::close(ready[1]);
  char said = 0;
  EXPECT_EQ(::read(ready[0], &said, 1), 1) << "it died by itself";
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  ::close(ready[0]);
}

TEST_F(Recording, AKilledProcessLeavesNoReadUnexplained) {
  for (const int batches : {2, 3, 6}) {
    kill_after(batches, path(), schema());
    const History read = history();
    std::set<std::pair<KeyId, Value>> written;
    for (std::uint32_t i = 0; i < read.operation_count(); ++i)
      if (read.kind(OperationId{i}) == OperationKind::Write)
        written.emplace(read.key(OperationId{i}), read.value(OperationId{i}));
    std::size_t explained = 0;
    for (std::uint32_t i = 0; i < read.operation_count(); ++i) {
      const OperationId op{i};
      if (read.kind(op) != OperationKind::Read || read.value(op) == read.initial_value()) continue;
      ASSERT_TRUE(written.contains({read.key(op), read.value(op)})) << print_operation(read, op);
      ++explained;
    }
    // Every fourth transaction of a session reads its own key; the last batch may lack some of these
    // reads.
    EXPECT_GE(explained, static_cast<std::size_t>((batches - 1) * Doomed::kRun / 5));
    std::filesystem::remove(path());
  }
}

TEST_F(Recording, AFullDiskIsAnErrorAndLeavesAReadableFile) {
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit tight { 100'000, before.rlim_max };
  ::setrlimit(RLIMIT_FSIZE, &tight);
  bool refused = false;
  {
    Recorder recorder(path(), {.initial = 0}, schema());
    SessionLog& log = recorder.open_session();
    for (std::int64_t i = 1; i < 10'000; ++i) {
      log.begin(i);
      record(log, {.kind = Kind::Write, .key = 1, .tag = i}, {}, i);
      log.end(Outcome::Committed, i, {});
      const std::uint64_t bytes = recorder.bytes();
      while (i % 300 == 0 && recorder.bytes() == bytes && !recorder.failed()) std::this_thread::yield();
    }
    try {
      recorder.finish();
    } catch (const OutputError& error) {
      refused = std::string(error.what()).find("run.jsonl") != std::string::npos;
    }
    EXPECT_TRUE(recorder.failed());
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(refused);
  EXPECT_GT(history().transaction_count(), 100u);
}

}  // namespace
}  // namespace serval
