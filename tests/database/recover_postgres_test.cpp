// PostgreSQL's certificates from a real server, and its logical decoding line by line.
#include "serval/database/postgres/recover_postgres.h"

#include <gtest/gtest.h>

#include "database/local_server.h"
#include "database/recover_checks.h"
#include "serval/base/error.h"
#include "serval/history/notation.h"
#include "skip_without.h"

namespace serval {
namespace {

Schema pieces() {
  return {{.name = "pieces",
           .initial = TableInfo::Initial::Absent,
           .columns = {{.name = "place", .indexed = true}}},
          {.name = "parts"}};
}

TEST(DecodedLines, GiveTheRowsOfATransactionThatWroteToTheTables) {
  postgres::DecodedLines lines(pieces(), 700);
  EXPECT_FALSE(lines.add("BEGIN 735"));
  EXPECT_FALSE(lines.add("table public.serval_pieces: INSERT: k[bigint]:5 tag[bigint]:17 place[bigint]:3"));
  EXPECT_FALSE(lines.add("table public.other: INSERT: k[bigint]:5 tag[bigint]:18"));
  EXPECT_FALSE(lines.add("table public.serval_parts: DELETE: k[bigint]:6"));
  ASSERT_TRUE(lines.add("COMMIT 735"));
  const LoggedTransaction& logged = lines.transaction();
  EXPECT_EQ(logged.id, "735");
  ASSERT_EQ(logged.rows.size(), 2u);
  EXPECT_EQ(logged.rows[0].key, 5u);
  EXPECT_EQ(logged.rows[0].tag, 17);
  EXPECT_EQ(logged.rows[1].table, 1u);
  EXPECT_EQ(logged.rows[1].tag, std::nullopt);
}

TEST(DecodedLines, SkipTransactionsThatWroteOtherTables) {
  postgres::DecodedLines lines(pieces(), 700);
  lines.add("BEGIN 735");
  lines.add("table public.other: INSERT: k[bigint]:5 tag[bigint]:18");
  EXPECT_FALSE(lines.add("COMMIT 735"));
}

TEST(DecodedLines, RestoreTheHighBitsOfTransactionIds) {
  constexpr std::uint64_t kEpoch = std::uint64_t{1} << 32;
  postgres::DecodedLines lines(pieces(), 3 * kEpoch - 5);
  lines.add("BEGIN 4294967290");
  EXPECT_EQ(lines.transaction().id, std::to_string(3 * kEpoch - 6));
  lines.add("BEGIN 7");
  EXPECT_EQ(lines.transaction().id, std::to_string(3 * kEpoch + 7));
}

TEST(DecodedLines, RefuseUnknownText) {
  postgres::DecodedLines lines(pieces(), 700);
  EXPECT_THROW(lines.add("BEGIN x"), DatabaseError);
  EXPECT_THROW(lines.add("table public.serval_pieces: INSERT: (no-tuple-data)"), DatabaseError);
}

class PostgresRecoveryTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new LocalServer("postgres"); }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void SetUp() override {
    if (server_->absent()) SKIP_WITHOUT("postgres", server_->problem());
    ASSERT_FALSE(server_->addresses().empty()) << server_->problem();
  }
  static std::string address() { return server_->addresses().front(); }
  static std::string slots() {
    const auto [code, printed] =
        run_command("psql -qtA '" + address() + "' -c 'select count(*) from pg_replication_slots'");
    EXPECT_EQ(code, 0) << printed;
    return printed;
  }

 private:
  static LocalServer* server_;
};
LocalServer* PostgresRecoveryTest::server_ = nullptr;

TEST_F(PostgresRecoveryTest, EveryLevelHasCompleteOrdersAndConsistentVersionSets) {
  for (const char* level : {"serializable", "repeatable-read", "read-committed"}) {
    SCOPED_TRACE(level);
    const Recovered run = record_and_recover(address(), {.isolation = level}, kRanges, 600, {.keys = 20});
    EXPECT_EQ(run.counts.foreign_transactions, 0u);
    EXPECT_GT(run.counts.versions, 100u);
    const CheckedVisibility checked = check_certificate(run.history);
    EXPECT_GT(checked.ranges, 300u);
    EXPECT_GT(checked.updates, 0u);
    for (const TransactionId t : run.history.transactions())
      for (const OperationId op : run.history.operations(t)) {
        const bool ranges =
            is_predicate(run.history.kind(op)) && run.history.outcome(t) == Outcome::Committed;
        EXPECT_TRUE(!ranges || run.history.certificate().version_set(op) != nullptr)
            << level << ": " << print_operation(run.history, op);
      }
  }
  EXPECT_EQ(slots(), "0\n");
}

TEST_F(PostgresRecoveryTest, ListsHaveOrdersToo) {
  const Recovered run = record_and_recover(address(), {.isolation = "serializable"}, "list-append", 300);
  EXPECT_GT(run.counts.versions, 50u);
  check_certificate(run.history);
}

TEST_F(PostgresRecoveryTest, TheSlotIsDroppedWithItsOwner) {
  const std::unique_ptr<Database> database =
      open_database(address(), {.isolation = "serializable", .certificate = true});
  database->create(pieces());
  {
    const std::unique_ptr<Recovery> recovery = database->recover();
    EXPECT_EQ(slots(), "1\n");
  }
  for (int i = 0; i < 500 && slots() != "0\n"; ++i) continue;  // The server notices the end with a delay.
  EXPECT_EQ(slots(), "0\n");
  database->drop();
}

TEST_F(PostgresRecoveryTest, OtherDialectsAndSeveralNodesAreRefused) {
  EXPECT_THROW(open_database(address() + "?dialect=yugabyte", {.certificate = true}), InputError);
  EXPECT_THROW(open_database(address(), {.nodes = {"127.0.0.1:1"}, .certificate = true}), InputError);
}

}  // namespace
}  // namespace serval
