// Certificates of the embedded databases and of MariaDB, and how they are assembled.
#include <gtest/gtest.h>

#include "database/local_server.h"
#include "database/recover_checks.h"
#include "serval/base/error.h"
#include "serval/database/mariadb/recover_mariadb.h"
#include "serval/database/mariadb/recover_tidb.h"
#include "serval/database/postgres/recover_cockroach.h"
#include "skip_without.h"

namespace serval {
namespace {

Schema two_tables() { return {{.name = "pieces", .initial = TableInfo::Initial::Absent}, {.name = "parts"}}; }

LoggedTransaction logged(std::string id, std::vector<LoggedRow> rows) {
  return {.id = std::move(id), .commit_timestamp = std::nullopt, .rows = std::move(rows)};
}

TEST(CertificateLines, OrderTheWritersOfEveryKey) {
  CertificateLines lines(two_tables(), {{.session = 1, .transaction = 4, .server_transaction = "70"},
                                        {.session = 2, .transaction = 3, .server_transaction = "71"}});
  lines.add(logged("71", {{.key = 5, .tag = 9}, {.key = 5, .tag = 10}, {.table = 1, .key = 6, .tag = 11}}));
  lines.add(logged("70", {{.key = 5}}));
  EXPECT_EQ(lines.finish(), R"({"event":"order","key":5,"versions":[[2,3],[1,4]],"complete":true}
{"event":"order","key":"parts/6","versions":[[2,3]],"complete":true}
)");
  EXPECT_EQ(lines.counts().versions, 3u);
  EXPECT_EQ(lines.counts().foreign_transactions, 0u);
}

TEST(CertificateLines, AForeignVersionLeavesTheOrderIncomplete) {
  CertificateLines lines(two_tables(), {{.session = 1, .transaction = 4, .server_transaction = "70"}});
  lines.add(logged("70", {{.key = 5, .tag = 1}}));
  lines.add(logged("99", {{.key = 5, .tag = 2}}));
  EXPECT_EQ(lines.finish(), "{\"event\":\"order\",\"key\":5,\"versions\":[[1,4]]}\n");
  EXPECT_EQ(lines.counts().foreign_transactions, 1u);
}

TEST(CertificateLines, SettleIndeterminateTransactions) {
  const auto lost = [](std::int64_t transaction, std::int64_t tag, bool surely) {
    return LedgerEntry{.session = 1,
                       .transaction = transaction,
                       .outcome = Outcome::Indeterminate,
                       .tags = {tag},
                       .surely_wrote = surely};
  };
  CertificateLines lines(two_tables(), {lost(1, 10, true), lost(2, 20, true), lost(3, 30, false)});
  lines.add(logged("70", {{.key = 5, .tag = 10}}));
  EXPECT_EQ(lines.finish(), R"({"event":"settled","s":1,"t":1,"outcome":"committed","server_txn":"70"}
{"event":"settled","s":1,"t":2,"outcome":"aborted"}
{"event":"order","key":5,"versions":[[1,1]],"complete":true}
)");
  EXPECT_EQ(lines.counts().committed, 1u);
  EXPECT_EQ(lines.counts().aborted, 1u);
  EXPECT_EQ(lines.counts().unsettled, 1u);
}

// Without a log, its absence says nothing. It may have committed, although the answer was lost.
TEST(CertificateLines, CommitTimestampsDoNotAbortIndeterminateTransactions) {
  CertificateLines lines(two_tables(), {{.session = 1,
                                         .transaction = 2,
                                         .outcome = Outcome::Indeterminate,
                                         .server_transaction = "408",
                                         .tags = {10},
                                         .surely_wrote = true}});
  EXPECT_EQ(lines.finish(Recovery::Order::CommitTimestamps),
            "{\"event\":\"certificate\",\"order\":\"commit_ts\"}\n");
  EXPECT_EQ(lines.counts().aborted, 0u);
  EXPECT_EQ(lines.counts().unsettled, 1u);
}

TEST(CertificateLines, CommitTimestampsAmongWhichOthersWroteOrderNothing) {
  CertificateLines lines(two_tables(), {{.session = 1, .transaction = 2, .server_transaction = "408"}});
  lines.add(logged("500", {{.key = 5, .tag = 9}}));
  EXPECT_EQ(lines.finish(Recovery::Order::CommitTimestamps), "");
}

TEST(SqliteRecovery, EveryLevelHasCompleteOrdersAndConsistentVersionSets) {
  for (const char* address : {"sqlite:", "sqlite:?journal=delete"})
    for (const char* level : {"serializable", "deferred", "read-uncommitted"}) {
      SCOPED_TRACE(std::string(address) + " " + level);
      const bool waits_long = std::string_view(level) == "read-uncommitted";  // For table locks.
      const Recovered run =
          record_and_recover(address, {.isolation = level}, kRanges, waits_long ? 100 : 600, {.keys = 20});
      const CheckedVisibility checked = check_certificate(run.history);
      EXPECT_GT(run.ran.committed, 20u);
      EXPECT_EQ(checked.ranges > 200, !waits_long) << checked.ranges;
    }
}

TEST(SimulatedRecovery, LevelsWithASnapshotHaveCompleteOrdersAndConsistentVersionSets) {
  // At read committed it loses updates, so the versions before them are unknown.
  for (const char* level : {"strict-serializable", "serializable", "snapshot-isolation"}) {
    SCOPED_TRACE(level);
    const Recovered run = record_and_recover("simulated:", {.isolation = level}, kRanges, 1000, {.keys = 20});
    const CheckedVisibility checked = check_certificate(run.history);
    EXPECT_GT(run.ran.committed, 100u);
    EXPECT_GT(checked.ranges, 200u);
  }
}

TEST(RocksdbRecovery, OrdersAreCompleteAtEveryLevel) {
  for (const char* address : {"rocksdb:", "rocksdb:?kind=optimistic"})
    for (const char* level : {"serializable", "snapshot-isolation", "read-committed"}) {
      SCOPED_TRACE(std::string(address) + " " + level);
      const Recovered run =
          record_and_recover(address, {.isolation = level}, "operation-mix", 1500, {.keys = 50});
      EXPECT_EQ(run.counts.foreign_transactions, 0u);
      EXPECT_GT(run.counts.versions, 100u);
      check_certificate(run.history);
    }
}

TEST(RocksdbRecovery, ListsHaveOrdersToo) {
  const Recovered run = record_and_recover("rocksdb:", {}, "list-append", 500);
  EXPECT_GT(run.counts.versions, 50u);
  check_certificate(run.history);
}

TEST(MariadbLog, PositionsGrowWithTheLog) {
  EXPECT_LT(mariadb::log_timestamp("bin.000009", "4000000000"), mariadb::log_timestamp("bin.000010", "4"));
  EXPECT_LT(mariadb::log_timestamp("a.b.000001", "4"), mariadb::log_timestamp("a.b.000001", "5"));
  EXPECT_THROW(mariadb::log_timestamp("", ""), DatabaseError);
}

TEST(MariadbLog, TruncatedRowsAreRefused) {
  const mariadb::LoggedColumns columns{.table = 1, .types = "\x08\x08"};
  std::string bytes(1, '\0');
  bytes += std::string("\x05\0\0\0\0\0\0\0", 8) + std::string("\x11\0\0\0\0\0\0\0", 8);
  std::vector<LoggedRow> rows;
  mariadb::read_logged_rows(bytes, columns, mariadb::RowChange::Inserted, rows);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].key, 5u);
  EXPECT_EQ(rows[0].tag, 17);
  EXPECT_THROW(mariadb::read_logged_rows(bytes.substr(0, 12), columns, mariadb::RowChange::Inserted, rows),
               DatabaseError);
}

TEST(TidbLog, ReportsTheCommitOfItsOwnTransaction) {
  constexpr const char* kInfo = R"({"txn_scope":"global","start_ts":408,"commit_ts":409})";
  EXPECT_EQ(mariadb::commit_timestamp_of(kInfo, 408), 409);
  EXPECT_EQ(mariadb::commit_timestamp_of(kInfo, 407), std::nullopt);
  EXPECT_EQ(mariadb::commit_timestamp_of(R"({"start_ts":408})", 408), std::nullopt);
  EXPECT_EQ(mariadb::commit_timestamp_of("", 408), std::nullopt);
  EXPECT_EQ(mariadb::commit_timestamp_of(R"({"start_ts":408,"commit_ts":0,"error":"conflict"})", 408),
            std::nullopt);
}

TEST(TidbLog, ReportsWhatTheLastStatementReadAsOf) {
  constexpr const char* kInfo = R"({"txn_scope":"global","start_ts":408,"for_update_ts":411})";
  EXPECT_EQ(mariadb::read_timestamp_of(kInfo, 408), 411);
  EXPECT_EQ(mariadb::read_timestamp_of(kInfo, 407), std::nullopt);
  EXPECT_EQ(mariadb::read_timestamp_of(R"({"start_ts":0,"for_update_ts":0})", 0), std::nullopt);
  EXPECT_EQ(mariadb::read_timestamp_of(R"({"start_ts":408,"for_update_ts":11})", 408), std::nullopt);
  EXPECT_EQ(mariadb::read_timestamp_of(R"({"start_ts":408,"for_update_ts":411,"error":"no"})", 408),
            std::nullopt);
}

TEST(TidbLog, TheStoreHasTheCommitsOfARow) {
  std::map<std::int64_t, std::int64_t> commits;
  mariadb::add_commits(R"([{"key":"74","mvcc":{"info":{"writes":[{"commit_ts":512,"start_ts":508},
      {"commit_ts":409,"short_value":"MA==","start_ts":408},{"commit_ts":407,"start_ts":407,"type":3},
      {"commit_ts":201,"start_ts":200}]}}},{"key":"75"}])",
                       300, commits);
  EXPECT_EQ(commits, (std::map<std::int64_t, std::int64_t>{{408, 409}, {508, 512}}));
  EXPECT_THROW(mariadb::add_commits("{", 300, commits), DatabaseError);
}

TEST(CockroachLog, TimestampsGrowWithBothParts) {
  const std::int64_t origin = postgres::origin_of("1700000000000000000.0000000000");
  const auto at = [&](const char* decimal) { return postgres::logical_timestamp(decimal, origin); };
  EXPECT_EQ(at("1700000000000000000.0000000000"), 0);
  EXPECT_LT(at("1700000000000000001.0000000001"), at("1700000000000000001.0000000002"));
  EXPECT_LT(at("1700000000000000001.0000000002"), at("1700000000000000002.0000000000"));
  EXPECT_THROW(at("1600000000000000000.0000000000"), DatabaseError);
  EXPECT_THROW(at("soon"), DatabaseError);
}

TEST(CockroachLog, ChangefeedsReportTheRowsOfEveryCommit) {
  postgres::ChangefeedRows rows(two_tables(), 1000);
  EXPECT_EQ(rows.add("serval_pieces", "[5]", R"({"after":{"k":5,"tag":17},"updated":"1002.0000000000"})"),
            std::nullopt);
  rows.add("serval_parts", "[6]", R"({"after":null,"updated":"1001.0000000000"})");
  rows.add("serval_pieces", "[5]", R"({"after":{"k":5,"tag":17},"updated":"1002.0000000000"})");
  EXPECT_EQ(rows.add("", "", R"({"resolved":"1003.0000000000"})"), 3 << 16);
  ASSERT_EQ(rows.transactions().size(), 2u);
  const LoggedTransaction& first = rows.transactions().begin()->second;
  EXPECT_EQ(first.id, "1001.0000000000");
  EXPECT_EQ(first.rows.at(0).table, 1u);
  EXPECT_EQ(first.rows.at(0).tag, std::nullopt);
  const LoggedTransaction& second = rows.transactions().rbegin()->second;
  ASSERT_EQ(second.rows.size(), 1u);
  EXPECT_EQ(second.rows[0].tag, 17);
  rows.add("serval_pieces", "\\x5b375d",
           "\\x7b226166746572223a6e756c6c2c2275706461746564223a22313030342e30227d");
  EXPECT_EQ(rows.transactions().rbegin()->second.rows.at(0).key, 7u) << "bytes, as the server sends them";
  EXPECT_THROW(rows.add("serval_pieces", "\\x5z", "{}"), DatabaseError);
  EXPECT_THROW(rows.add("serval_pieces", "[5]", "{"), DatabaseError);
  for (const char* message :
       {R"({"updated":"1002.0000000000"})", R"({"after":7,"updated":"1002.0000000000"})"})
    EXPECT_THROW(rows.add("serval_pieces", "[5]", message), DatabaseError) << "not a deletion: " << message;
}

TEST(MariadbRecovery, EveryLevelHasCompleteOrdersAndConsistentVersionSets) {
  const LocalServer server("mariadb");
  if (server.absent()) SKIP_WITHOUT("mariadb", server.problem());
  ASSERT_FALSE(server.addresses().empty()) << server.problem();
  for (const char* level : {"serializable", "repeatable-read", "read-committed"}) {
    SCOPED_TRACE(level);
    const Recovered run =
        record_and_recover(server.addresses().front(), {.isolation = level}, kRanges, 600, {.keys = 20});
    EXPECT_EQ(run.counts.foreign_transactions, 0u);
    EXPECT_GT(run.counts.versions, 50u);
    const CheckedVisibility checked = check_certificate(run.history);
    if (std::string_view(level) != "read-committed") {
      EXPECT_GT(checked.ranges, 100u);
    }
  }
  const Recovered lists = record_and_recover(server.addresses().front(), {}, "list-append", 200);
  EXPECT_GT(lists.counts.versions, 20u);
  check_certificate(lists.history);
}

}  // namespace
}  // namespace serval
