// A real PostgreSQL, started for these tests. SERVAL_TEST_POSTGRES=postgres-9.4.4 selects an old one.
#include "serval/database/drivers.h"

#if SERVAL_WITH_POSTGRES

#include <atomic>
#include <cstdlib>
#include <thread>

#include "database/cutting_proxy.h"
#include "database/driver_checks.h"
#include "database/local_server.h"
#include "serval/base/error.h"
#include "serval/database/postgres/postgres_connection.h"
#include "serval/database/postgres/sqlstate.h"
#include "skip_without.h"

namespace serval {
namespace {

using postgres::PostgresConnection;

class Postgres : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* name = std::getenv("SERVAL_TEST_POSTGRES");
    server_ = std::make_unique<LocalServer>(name == nullptr ? "postgres" : name);
  }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    if (server_->absent()) SKIP_WITHOUT("postgres", server_->problem());
    ASSERT_FALSE(server_->addresses().empty()) << server_->problem();
  }

  static std::string address() { return server_->addresses().front(); }
  static std::uint16_t port() {
    return static_cast<std::uint16_t>(std::stoi(address().substr(address().rfind(':') + 1)));
  }

  static std::unique_ptr<Database> open(const std::string& isolation, const std::string& options = "") {
    return open_database(address() + options, {.isolation = isolation});
  }
  static std::unique_ptr<Database> created(const std::string& isolation, const std::string& options = "") {
    std::unique_ptr<Database> database = open(isolation, options);
    database->create(checked_schema());
    return database;
  }
  static PostgresConnection connection() {
    return PostgresConnection({.node = postgres::parse_postgres_address(address(), {}).nodes.front()});
  }
  // Ends the backend of `client`, which its hints name.
  static void terminate(const Client& client) {
    const std::string pid = client.hints().node.substr(std::string("backend ").size());
    PostgresConnection admin = connection();
    ASSERT_EQ(admin.execute("select pg_terminate_backend(" + pid + ")"), "t");
    while (admin.execute("select count(*) from pg_stat_activity where pid = " + pid) != "0") continue;
  }

  static std::unique_ptr<LocalServer> server_;
};

std::unique_ptr<LocalServer> Postgres::server_;

TEST_F(Postgres, EveryRequestIsAnsweredAtEveryIsolation) {
  for (const IsolationInfo& isolation : driver_of("postgres:").isolations) {
    SCOPED_TRACE(isolation.name);
    const std::unique_ptr<Database> database = open(std::string(isolation.name));
    check_requests(*database,
                   connection().version() < 90500 ? RefusedInserts::Abort : RefusedInserts::Answer);
    database->drop();
  }
}

TEST_F(Postgres, OtherDialectsUseStatementsThatPostgresAccepts) {
  if (connection().version() < 90500) GTEST_SKIP() << "too old for them";
  for (const char* dialect : {"?dialect=cockroach", "?dialect=yugabyte"}) {
    SCOPED_TRACE(dialect);
    check_requests(*open("serializable", dialect));
  }
}

TEST_F(Postgres, UpdatesAreAtomicAtEveryIsolation) {
  for (const IsolationInfo& isolation : driver_of("postgres:").isolations)
    for (const char* options : {"", "?dialect=cockroach"}) {
      SCOPED_TRACE(std::string(isolation.name) + options);
      if (connection().version() < 90500 && *options != '\0') break;
      check_updates_at_once(*open(std::string(isolation.name), options));
    }
}

TEST_F(Postgres, ReportsItsFacts) {
  auto facts = open("serializable")->facts();
  EXPECT_EQ(facts["database"], "PostgreSQL");
  EXPECT_EQ(facts["isolation"], "serializable");
  EXPECT_EQ(facts["nodes"], "127.0.0.1:" + std::to_string(port()));
  EXPECT_FALSE(facts["version"].empty());
}

TEST_F(Postgres, WriteSkewCommitsAtRepeatableReadOnly) {
  EXPECT_EQ(try_write_skew(connect_pair(*created("repeatable-read"))), Outcome::Committed);
  const Pair clients = connect_pair(*created("serializable"));
  EXPECT_EQ(failure_of([&] { try_write_skew(clients); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
  EXPECT_EQ(spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 1})), "1:0");
}

TEST_F(Postgres, LostUpdateCommitsAtReadCommittedOnly) {
  EXPECT_EQ(try_lost_update(connect_pair(*created("read-committed"))), Outcome::Committed);
  const Pair clients = connect_pair(*created("repeatable-read"));
  EXPECT_EQ(failure_of([&] { try_lost_update(clients); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
}

// An update returns the row that it replaces, even if it had to wait for another update.
TEST_F(Postgres, AnUpdateThatWaitedReturnsTheRowItReplaced) {
  for (const char* dialect : {"", "?dialect=cockroach"}) {
    if (connection().version() < 90500 && *dialect != '\0') break;
    const std::unique_ptr<Database> database = created("read-committed", dialect);
    const Pair clients = connect_pair(*database);
    clients.first->begin();
    write(*clients.first, 0, 7);
    std::string before;
    std::thread other([&] {
      before = spelled(perform_alone(*clients.second, {.kind = Request::Kind::Update, .key = 0, .tag = 8}));
    });
    PostgresConnection admin = connection();
    while (admin.execute("select count(*) from pg_locks where not granted") == "0") continue;
    EXPECT_EQ(clients.first->commit(), Outcome::Committed);
    other.join();
    EXPECT_EQ(before, "0:7");
  }
}

TEST_F(Postgres, ADeadlockIsReportedAsOne) { expect_one_deadlock(*created("read-committed")); }

TEST_F(Postgres, WaitingForALockEndsAfterTheTimeoutOfTheAddress) {
  const std::unique_ptr<Database> database = created("read-committed", "?options=-c%20lock_timeout=50ms");
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  write(*clients.first, 0, 1);
  clients.second->begin();
  EXPECT_EQ(failure_of([&] { write(*clients.second, 0, 2); }),
            (Failure{FailureCause::LockTimeout, Outcome::Aborted}));
}

TEST_F(Postgres, CommitOfAFailedTransactionIsAborted) {
  PostgresConnection client = connection();
  client.begin();
  EXPECT_THROW(client.execute("select 1/0"), DatabaseError);
  EXPECT_EQ(client.commit(), Outcome::Aborted);
}

TEST_F(Postgres, AKilledBackendIsALostConnection) {
  const std::unique_ptr<Database> database = created("serializable");
  const std::unique_ptr<Client> client = database->connect(0);
  client->begin();
  write(*client, 0, 1);
  terminate(*client);
  EXPECT_EQ(failure_of([&] { read(*client, 0); }), (Failure{FailureCause::ConnectionLost, Outcome::Aborted}));
}

TEST_F(Postgres, ATransactionKilledBeforeItsCommitIsSentHasAborted) {
  const std::unique_ptr<Database> database = created("serializable");
  const std::unique_ptr<Client> client = database->connect(0);
  client->begin();
  write(*client, 0, 1);
  terminate(*client);
  EXPECT_EQ(failure_of([&] { client->commit(); }), (Failure{FailureCause::ConnectionLost, Outcome::Aborted}));
  EXPECT_EQ(spelled(perform_alone(*database->connect(0), {.kind = Request::Kind::Read, .key = 0})), "0:0");
}

// The server has committed, but only the server knows.
TEST_F(Postgres, ALostAnswerToACommitIsIndeterminate) {
  CuttingProxy proxy(port());
  const std::unique_ptr<Database> database =
      open_database(address() + "?gssencmode=disable&sslmode=disable",
                    {.isolation = "serializable", .nodes = {"127.0.0.1:" + std::to_string(proxy.port())}});
  database->create(checked_schema());
  const std::unique_ptr<Client> client = database->connect(1);
  client->begin();
  write(*client, 0, 1);
  proxy.cut_after("commit");
  EXPECT_EQ(failure_of([&] { client->commit(); }),
            (Failure{FailureCause::ConnectionLost, Outcome::Indeterminate}));
  EXPECT_EQ(spelled(perform_alone(*database->connect(0), {.kind = Request::Kind::Read, .key = 0})), "0:1");
}

TEST_F(Postgres, SessionsAreSpreadOverTheNodes) {
  const std::string node = "localhost:" + std::to_string(port());
  const std::unique_ptr<Database> database =
      open_database(address(), {.isolation = "serializable", .nodes = {node}});
  database->create(checked_schema());
  EXPECT_TRUE(database->connect(0)->hints().node.starts_with("127.0.0.1:"));
  EXPECT_TRUE(database->connect(1)->hints().node.starts_with(node));
  EXPECT_TRUE(database->connect(2)->hints().node.starts_with("127.0.0.1:"));
}

TEST_F(Postgres, ReportsTheIdsOfWritingTransactions) {
  if (connection().version() < 100000) GTEST_SKIP() << "too old to tell it without choosing one";
  const std::unique_ptr<Database> database = created("serializable", "?xid=on");
  const std::unique_ptr<Client> client = database->connect(0);
  perform_alone(*client, {.kind = Request::Kind::Read, .key = 0});
  EXPECT_EQ(client->hints().server_transaction, "");
  perform_alone(*client, {.kind = Request::Kind::Write, .key = 0, .tag = 1});
  EXPECT_FALSE(client->hints().server_transaction.empty());
}

TEST_F(Postgres, DropRemovesTablesEvenIfItsConnectionIsLost) {
  const std::unique_ptr<Database> database = created("serializable");
  PostgresConnection admin = connection();
  const std::string count = "select count(*) from pg_class where relname like 'serval%'";
  EXPECT_NE(admin.execute(count), "0");
  admin.execute(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and "
      "application_name = 'serval'");
  database->drop();
  EXPECT_EQ(admin.execute(count), "0");
}

TEST(PostgresAddress, RefusesPasswordsWithoutRepeatingThem) {
  for (const char* address :
       {"postgres://app:secret@db1/bench", "postgres://app@db1/bench?password=secret"}) {
    try {
      (void)open_database(address, {});
      ADD_FAILURE() << address;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos);
      EXPECT_NE(error.hint().find("PGPASSWORD"), std::string::npos);
    }
  }
}

TEST(PostgresAddress, RefusesInvalidAddresses) {
  EXPECT_THROW(open_database("postgres:bench", {}), InputError);
  EXPECT_THROW(open_database("postgres://db1/bench?sslmod=require", {}), InputError);
  EXPECT_THROW(open_database("postgres://db1/bench?dialect=oracle", {}), InputError);
}

TEST(PostgresAddress, AnUnreachableServerIsADatabaseFailure) {
  try {
    (void)open_database("postgres://app@127.0.0.1:1/bench", {});
    ADD_FAILURE();
  } catch (const DatabaseError& error) {
    EXPECT_NE(std::string(error.what()).find("127.0.0.1:1"), std::string::npos);
    EXPECT_NE(error.hint().find("host"), std::string::npos);
  }
}

TEST(Sqlstate, DeterminesTheOutcomeOfATransaction) {
  using postgres::Kind;
  EXPECT_EQ(postgres::cause_of("40001"), FailureCause::Serialization);
  EXPECT_EQ(postgres::cause_of("40P01"), FailureCause::Deadlock);
  EXPECT_EQ(postgres::cause_of("55P03"), FailureCause::LockTimeout);
  EXPECT_EQ(postgres::cause_of("23505"), FailureCause::Constraint);
  EXPECT_EQ(postgres::cause_of("57P01"), FailureCause::ConnectionLost);
  EXPECT_EQ(postgres::cause_of("57P03"), FailureCause::Unavailable);
  EXPECT_TRUE(postgres::says_aborted("40001", Kind::Cockroach));
  EXPECT_TRUE(postgres::says_aborted("XX000", Kind::Postgres));
  EXPECT_FALSE(postgres::says_aborted("XX000", Kind::Yugabyte));
  EXPECT_FALSE(postgres::says_aborted("40003", Kind::Cockroach));
  EXPECT_FALSE(postgres::says_aborted("57P01", Kind::Postgres));
  EXPECT_FALSE(postgres::says_aborted("", Kind::Postgres));
}

}  // namespace
}  // namespace serval

#endif
