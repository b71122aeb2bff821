#include "serval/stream/leopard_stream.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "serval/base/error.h"
#include "serval/formats/native/jsonl_record.h"
#include "serval/predicate/parse_sql.h"
#include "serval/predicate/print_predicate.h"
#include "skip_without.h"

namespace serval {
namespace {

using Kind = LeopardOperation::Kind;
using Lines = std::vector<std::string>;

std::string spelled_value(const TraceValue& value) {
  if (value.is_nil()) return "_";
  if (value.is_unknown()) return "?";
  return value.has_text() ? "'" + std::string(value.text()) + "'" : std::to_string(value.integer);
}

std::string spelled_rows(const Record& record) {
  std::string out;
  for (const RecordRow& row : record.cells())
    out += " " + spelled_value(row.key) + (row.column.empty() ? "" : "." + std::string(row.column)) + "=" +
           spelled_value(row.value);
  return out;
}

// "2 pr 't/1'.a=5 [3,4]": transaction, action, rows, times.
std::string spelled_record(const Record& record) {
  const char* const names[] = {"initial", "begin", "", "commit", "abort", "indeterminate", "heartbeat"};
  std::string out = std::to_string(record.transaction) + " " + names[static_cast<std::size_t>(record.kind)];
  if (record.kind == RecordKind::Operation) out += short_name_of(record.operation);
  out += spelled_rows(record);
  if (record.kind == RecordKind::Initial) return out;
  const std::string end = record.time.end == kUnknownEnd ? "?" : std::to_string(record.time.end);
  return out + " [" + std::to_string(record.time.begin) + "," + end + "]";
}

LeopardOperation operation(Kind kind, const std::string& transaction, Interval time,
                           std::vector<LeopardRow> rows = {}) {
  LeopardOperation out;
  out.kind = kind;
  out.thread = "3";
  out.transaction = transaction;
  out.operation = transaction + "." + std::to_string(time.begin);
  out.time = time;
  (kind == Kind::Select ? out.rows_read : out.rows_written) = std::move(rows);
  return out;
}

LeopardRow row(const std::string& key, std::vector<LeopardCell> cells) {
  return {"t", key, std::move(cells)};
}

class Leopard : public testing::Test {
 protected:
  Leopard() { intake_.start_with_unknown(); }

  // The records that result from the trace, in the order in which they leave, without the initial
  // record.
  const std::vector<Record>& records() {
    feed_->flush();
    feed_->close();
    pipeline_.no_more_clients();
    while (pipeline_.dispatch([&](std::span<const Record> run) {
      for (const Record& record : run)
        if (record.kind != RecordKind::Initial) {
          records_.push_back(record);
          lines_.push_back(spelled_record(record));
          if (record.predicate != nullptr)
            predicates_.push_back(print_predicate(record.predicate->tree, *record.predicate->literals));
        }
    }) == Pipeline::Progress::Moved) {
    }
    return records_;
  }
  const Lines& lines() {
    records();
    return lines_;
  }

  Pipeline pipeline_{{}};
  Intake intake_{pipeline_};
  std::shared_ptr<ClientFeed> feed_ = pipeline_.open_client("client");
  LeopardStream::Numbers numbers_{1, 10};
  LeopardStream stream_{intake_, *feed_, numbers_};
  std::vector<Record> records_;
  Lines lines_, predicates_;
};

TEST_F(Leopard, ATransactionIsPassedOnWithItsColumns) {
  stream_.take(operation(Kind::Start, "a", {1, 2}));
  stream_.take(operation(Kind::Select, "a", {3, 4}, {row("1", {{"x", "5"}, {"y", std::nullopt}})}));
  stream_.take(operation(Kind::Update, "a", {5, 6}, {row("1", {{"x", "007"}}), row("2", {})}));
  stream_.take(operation(Kind::Insert, "a", {7, 8}, {row("3", {{"x", "6"}})}));
  stream_.take(operation(Kind::Delete, "a", {9, 10}, {row("1", {})}));
  stream_.take(operation(Kind::Commit, "a", {11, 12}));
  EXPECT_EQ(lines(), (Lines{"1 begin '3'='a' [1,2]", "1 pr 't/1'.x=5 't/1'.y=_ [3,4]",
                            "1 pu 't/1'.x='007' 't/2'=_ [5,6]", "1 i 't/3'.x=6 [7,8]", "1 pd 't/1'=_ [9,10]",
                            "1 commit [11,12]"}));
  EXPECT_EQ(intake_.transactions, 1u);
}

TEST_F(Leopard, NumbersContinueByTheirStep) {
  for (const Time time : {1, 5}) {
    const std::string name = "t" + std::to_string(time);
    stream_.take(operation(Kind::Start, name, {time, time + 1}));
    stream_.take(operation(Kind::Rollback, name, {time + 2, time + 3}));
  }
  EXPECT_EQ(numbers_.first, 21u);
  EXPECT_EQ(lines().size(), 4u);
  EXPECT_EQ(records_[1].transaction, 1u);
  EXPECT_EQ(records_[1].kind, RecordKind::Abort);
  EXPECT_EQ(records_[3].transaction, 11u);
}

TEST_F(Leopard, ATransactionWithoutItsEndIsIndeterminate) {
  stream_.take(operation(Kind::Select, "a", {3, 4}));
  stream_.take(operation(Kind::Update, "a", {5, 6}, {row("1", {{"x", "1"}})}));
  stream_.take(operation(Kind::Select, "b", {7, 8}));  // The next transaction.
  stream_.finish_transaction();
  stream_.finish_transaction();
  EXPECT_EQ(lines(),
            (Lines{"1 begin '3'='a' [3,3]", "1 pr [3,4]", "1 pu 't/1'.x=1 [5,6]", "1 indeterminate [6,?]",
                   "11 begin '3'='b' [7,7]", "11 pr [7,8]", "11 indeterminate [8,?]"}));
}

TEST_F(Leopard, OtherStatementsAreLeftOut) {
  stream_.take(operation(Kind::Other, "a", {1, 2}));
  stream_.finish_transaction();
  EXPECT_EQ(lines(), Lines{});
  EXPECT_EQ(intake_.transactions, 0u);
}

TEST_F(Leopard, ACommitAloneIsATransaction) {
  stream_.take(operation(Kind::Commit, "a", {5, 6}));
  EXPECT_EQ(lines(), (Lines{"1 begin '3'='a' [5,5]", "1 commit [5,6]"}));
}

TEST_F(Leopard, ACommitToASavepointUndoesWhatFollowsIt) {
  stream_.take(operation(Kind::Start, "a", {1, 2}));
  stream_.take(operation(Kind::Update, "a", {3, 4}, {row("1", {{"x", "1"}})}));
  stream_.take(operation(Kind::Update, "a", {5, 6}, {row("1", {{"x", "2"}})}));
  LeopardOperation commit = operation(Kind::Commit, "a", {7, 8});
  commit.savepoint = "a.3";
  stream_.take(commit);
  stream_.take(operation(Kind::Update, "b", {13, 14}, {row("1", {{"x", "3"}})}));
  commit = operation(Kind::Commit, "b", {15, 16});
  commit.savepoint = "nowhere";
  stream_.take(commit);
  EXPECT_EQ(lines(), (Lines{"1 begin '3'='a' [1,2]", "1 pu 't/1'.x=1 [3,4]", "1 commit [7,8]",
                            "11 begin '3'='b' [13,13]", "11 pu 't/1'.x=3 [13,14]", "11 commit [15,16]"}));
}

TEST_F(Leopard, TheStartSaysLevelSnapshotAndWhetherItOnlyReads) {
  const auto start = [&](const std::string& name, const std::string& level, LeopardOperation::Lock lock,
                         ReadMode read, Kind kind = Kind::Start) {
    LeopardOperation first = operation(kind, name, {2 * name[0], 2 * name[0] + 1});
    first.level = level;
    first.lock = lock;
    first.read = read;
    stream_.take(first);
    stream_.finish_transaction();
  };
  using Lock = LeopardOperation::Lock;
  using Read = ReadMode;
  start("a", "READ_UNCOMMITTED", Lock::None, Read::Consistent);
  start("b", "READ_COMMITTED", Lock::Unstated, Read::Unstated);
  start("c", "REPEATABLE_READ", Lock::Exclusive, Read::Locking);
  start("d", "SERIALIZABLE", Lock::None, Read::Consistent, Kind::Select);  // Not a start.
  start("e", "SNAPSHOT", Lock::None, Read::Unstated);
  std::vector<Record> begins;
  for (const Record& record : records())
    if (record.kind == RecordKind::Begin) begins.push_back(record);
  ASSERT_EQ(begins.size(), 5u);
  const StatedLevel levels[] = {StatedLevel::ReadUncommitted, StatedLevel::ReadCommitted,
                                StatedLevel::RepeatableRead, StatedLevel::Serializable,
                                StatedLevel::Unstated};
  const bool read_only[] = {true, false, false, false, true}, snapshot[] = {true, false, false, false, false};
  for (std::size_t i = 0; i < begins.size(); ++i) {
    EXPECT_EQ(begins[i].isolation, levels[i]) << i;
    EXPECT_EQ(begins[i].read_only, read_only[i]) << i;
    EXPECT_EQ(begins[i].consistent_snapshot, snapshot[i]) << i;
  }
}

TEST_F(Leopard, ReadsKeepTheirLockAndMode) {
  using Lock = LeopardOperation::Lock;
  using Read = ReadMode;
  Time time = 1;
  for (const auto& [lock, read] : {std::pair{Lock::Unstated, Read::Unstated},
                                   {Lock::None, Read::Consistent},
                                   {Lock::Shared, Read::Locking},
                                   {Lock::Exclusive, Read::Uncommitted}}) {
    LeopardOperation select = operation(Kind::Select, "a", {time, time + 1});
    select.lock = lock;
    select.read = read;
    stream_.take(select);
    time += 2;
  }
  stream_.finish_transaction();
  ASSERT_EQ(records().size(), 6u);
  const LockMode locks[] = {LockMode::None, LockMode::None, LockMode::Shared, LockMode::Exclusive};
  const ReadMode modes[] = {ReadMode::Unstated, ReadMode::Consistent, ReadMode::Locking,
                            ReadMode::Uncommitted};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(records_[i + 1].lock, locks[i]) << i;
    EXPECT_EQ(records_[i + 1].read_mode, modes[i]) << i;
  }
}

TEST_F(Leopard, RowsWithoutAKeyAreTheWholeTableAndProveNothing) {
  stream_.take(operation(Kind::Select, "a", {1, 2}, {row("", {{"x", "1"}}), row("2", {{"x", "3"}})}));
  stream_.finish_transaction();
  EXPECT_EQ(lines()[1], "1 pr 't/2'.x=3 [1,2]");
}

TEST_F(Leopard, ConditionsBecomePredicatesOfTheirTable) {
  if (!reads_sql_statements()) SKIP_WITHOUT("libpg_query", "built without libpg_query");
  const auto statement = [&](Kind kind, Time time, const std::string& sql) {
    LeopardOperation out = operation(kind, "a", {time, time + 1});
    out.sql = sql;
    stream_.take(out);
  };
  statement(Kind::Select, 1, "SELECT `x` FROM `t` WHERE `x` < 5 AND u.y = 1");
  statement(Kind::Update, 3, "UPDATE t SET x = 2 WHERE x = 1");
  statement(Kind::Insert, 5, "INSERT INTO t VALUES (1)");
  // Not supported by the predicate language.
  statement(Kind::Select, 7, "SELECT x FROM t WHERE lower(x) = 'a'");
  statement(Kind::Delete, 9, "");
  stream_.finish_transaction();
  ASSERT_EQ(records().size(), 7u);
  EXPECT_EQ(predicates_, (Lines{"t.x < 5 AND u.y = 1", "SET t.x = 2 WHERE t.x = 1"}));
  for (const std::size_t i : {3u, 4u, 5u}) EXPECT_EQ(records_[i].predicate, nullptr) << i;
}

Lines all_of(Pipeline& pipeline) {
  Lines lines;
  while (pipeline.dispatch([&](std::span<const Record> run) {
    for (const Record& record : run) lines.push_back(spelled_record(record));
  }) == Pipeline::Progress::Moved) {
  }
  return lines;
}

TEST(LeopardTables, RowsOfTheTablesExistAtTheStart) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("serval-leopard-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string name = (folder / "t.csv").string();
  std::ofstream(name) << "\"id\",\"x\",\"y\"\n'1','5','hello'\n'2','-6','7'\n";
  Pipeline pipeline{{}};
  Intake intake{pipeline};
  Budget budget = Budget::unlimited();
  start_with_tables(intake, {name}, budget);
  pipeline.no_more_clients();
  const Lines lines = all_of(pipeline);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(lines, (Lines{"0 initial 't/1'.x=5 't/1'.y='hello'", "0 initial 't/2'.x=-6 't/2'.y=7"}));
  EXPECT_EQ(intake.facts().at("recorder"), "leopard");
}

TEST(LeopardTables, WithoutTablesTheInitialRowsAreUnknown) {
  Pipeline pipeline{{}};
  Intake intake{pipeline};
  Budget budget = Budget::unlimited();
  start_with_tables(intake, {}, budget);
  pipeline.no_more_clients();
  const Lines lines = all_of(pipeline);
  EXPECT_EQ(lines, Lines{"0 initial _=?"});
}

}  // namespace
}  // namespace serval
