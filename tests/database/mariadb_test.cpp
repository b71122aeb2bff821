// A real MariaDB, started for these tests.
#include "serval/database/drivers.h"

#if SERVAL_WITH_MARIADB

#include <atomic>
#include <thread>

#include "database/cutting_proxy.h"
#include "database/driver_checks.h"
#include "database/local_server.h"
#include "serval/base/error.h"
#include "serval/database/mariadb/error_code.h"
#include "serval/database/mariadb/mariadb_connection.h"
#include "skip_without.h"

namespace serval {
namespace {

using mariadb::MariadbConnection;

class Mariadb : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<LocalServer>("mariadb"); }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    if (server_->absent()) SKIP_WITHOUT("mariadb", server_->problem());
    ASSERT_FALSE(server_->addresses().empty()) << server_->problem();
  }

  static std::string address() { return server_->addresses().front(); }
  static sql::Place place() { return mariadb::parse_mariadb_address(address(), {}).nodes.front(); }

  static std::unique_ptr<Database> open(const std::string& isolation, const std::string& options = "") {
    return open_database(address() + options, {.isolation = isolation});
  }
  static std::unique_ptr<Database> created(const std::string& isolation, const std::string& options = "") {
    std::unique_ptr<Database> database = open(isolation, options);
    database->create(checked_schema());
    return database;
  }
  static void kill(const Client& client) {
    const std::string number = client.hints().node.substr(std::string("connection ").size());
    MariadbConnection admin({.node = place()});
    admin.execute("kill " + number);
    while (admin.execute("select count(*) from information_schema.processlist where id = " + number) != "0")
      continue;
  }

  static std::unique_ptr<LocalServer> server_;
};

std::unique_ptr<LocalServer> Mariadb::server_;

TEST_F(Mariadb, EveryRequestIsAnsweredAtEveryIsolation) {
  for (const IsolationInfo& isolation : driver_of("mariadb:").isolations)
    for (const char* options : {"?snapshot=on", "?snapshot=off", "?dialect=mysql", "?dialect=tidb"}) {
      SCOPED_TRACE(std::string(isolation.name) + options);
      const std::unique_ptr<Database> database = open(std::string(isolation.name), options);
      check_requests(*database);
      database->drop();
    }
}

TEST_F(Mariadb, UpdatesAreAtomicAtEveryIsolation) {
  for (const IsolationInfo& isolation : driver_of("mariadb:").isolations)
    for (const char* options : {"?snapshot=on", "?snapshot=off"}) {
      SCOPED_TRACE(std::string(isolation.name) + options);
      check_updates_at_once(*open(std::string(isolation.name), options));
    }
}

TEST_F(Mariadb, ReportsItsFacts) {
  auto facts = open("repeatable-read", "?snapshot=on")->facts();
  EXPECT_EQ(facts["database"], "MariaDB");
  EXPECT_EQ(facts["isolation"], "repeatable-read");
  EXPECT_EQ(facts["innodb_snapshot_isolation"], "1");
  EXPECT_EQ(facts["nodes"], "127.0.0.1:" + std::to_string(place().port));
}

TEST_F(Mariadb, PromisesSnapshotIsolationOnlyWithItsSetting) {
  const IsolationInfo& repeatable = choose_isolation(driver_of("mariadb:"), "repeatable-read");
  EXPECT_EQ(promise_of(repeatable, open("repeatable-read", "?snapshot=on")->facts()),
            "strong-snapshot-isolation");
  EXPECT_EQ(promise_of(repeatable, open("repeatable-read", "?snapshot=off")->facts()), "read-committed");
}

TEST_F(Mariadb, SnapshotsRefuseLostUpdatesOnRequest) {
  EXPECT_EQ(try_lost_update(connect_pair(*created("repeatable-read", "?snapshot=off"))), Outcome::Committed);
  const std::unique_ptr<Database> database = created("repeatable-read", "?snapshot=on");
  const Pair clients = connect_pair(*database);
  EXPECT_EQ(failure_of([&] { try_lost_update(clients); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
  EXPECT_EQ(try_write_skew(clients), Outcome::Committed);
}

TEST_F(Mariadb, ReadsUncommittedDataAtTheWeakestLevelOnly) {
  for (const auto& [isolation, seen] :
       {std::pair("read-uncommitted", "0:5"), std::pair("read-committed", "0:0")}) {
    const std::unique_ptr<Database> database = created(isolation);
    const Pair clients = connect_pair(*database);
    clients.first->begin();
    write(*clients.first, 0, 5);
    EXPECT_EQ(spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 0})), seen);
    clients.first->roll_back();
  }
}

TEST_F(Mariadb, ReadersBlockWritersWhenSerializable) {
  MariadbConnection admin({.node = place()});
  admin.execute("set global innodb_lock_wait_timeout = 1");
  const std::unique_ptr<Database> database = created("serializable");
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  clients.second->begin();
  read(*clients.first, 0);
  read(*clients.second, 0);
  EXPECT_EQ(failure_of([&] { write(*clients.first, 0, 1); }),
            (Failure{FailureCause::LockTimeout, Outcome::Aborted}));
  write(*clients.second, 0, 2);
  EXPECT_EQ(clients.second->commit(), Outcome::Committed);
}

TEST_F(Mariadb, ADeadlockIsReportedAsOne) { expect_one_deadlock(*created("read-committed")); }

// The database's writes see newer rows than its reads: a refused insert must name the row that caused
// it.
TEST_F(Mariadb, ARefusedInsertNamesTheRowEvenOutsideTheSnapshot) {
  const std::unique_ptr<Database> database = created("repeatable-read", "?snapshot=off");
  const Pair clients = connect_pair(*database);
  clients.second->begin();
  read(*clients.second, 0);
  perform_alone(*clients.first, {.kind = Request::Kind::Write, .key = 0, .tag = 7});
  const Answer refused =
      clients.second->perform({.kind = Request::Kind::CompareAndSet, .key = 0, .tag = 8, .expected = 0});
  EXPECT_FALSE(refused.applied);
  EXPECT_EQ(spelled(refused), "0:7");
  perform_alone(*clients.first, {.kind = Request::Kind::Insert, .table = 2, .key = 1, .tag = 9});
  const Answer there =
      clients.second->perform({.kind = Request::Kind::Insert, .table = 2, .key = 1, .tag = 10});
  EXPECT_FALSE(there.applied);
  EXPECT_EQ(spelled(there), "1:9(7,0)");
}

TEST_F(Mariadb, LongListsArriveComplete) {
  const std::unique_ptr<Database> database = created("serializable");
  const std::unique_ptr<Client> client = database->connect(0);
  client->begin();
  std::vector<std::int64_t> all;
  for (std::int64_t tag = 1'000'000'000; tag < 1'000'001'000; ++tag) {
    client->perform({.kind = Request::Kind::Append, .table = 1, .key = 0, .tag = tag});
    all.push_back(tag);
  }
  EXPECT_EQ(client->commit(), Outcome::Committed);
  EXPECT_EQ(perform_alone(*client, {.kind = Request::Kind::ReadList, .table = 1, .key = 0}).list, all);
}

TEST_F(Mariadb, AKilledConnectionIsALostConnection) {
  const std::unique_ptr<Database> database = created("serializable");
  const std::unique_ptr<Client> client = database->connect(0);
  client->begin();
  write(*client, 0, 1);
  kill(*client);
  EXPECT_EQ(failure_of([&] { read(*client, 0); }), (Failure{FailureCause::ConnectionLost, Outcome::Aborted}));
}

TEST_F(Mariadb, ATransactionKilledBeforeItsCommitIsSentHasAborted) {
  const std::unique_ptr<Database> database = created("serializable");
  const std::unique_ptr<Client> client = database->connect(0);
  client->begin();
  write(*client, 0, 1);
  kill(*client);
  EXPECT_EQ(failure_of([&] { client->commit(); }), (Failure{FailureCause::ConnectionLost, Outcome::Aborted}));
  EXPECT_EQ(spelled(perform_alone(*database->connect(0), {.kind = Request::Kind::Read, .key = 0})), "0:0");
}

// The server has committed, but only the server knows.
TEST_F(Mariadb, ALostAnswerToACommitIsIndeterminate) {
  CuttingProxy proxy(place().port);
  const std::unique_ptr<Database> database = open_database(
      address(), {.isolation = "serializable", .nodes = {"127.0.0.1:" + std::to_string(proxy.port())}});
  database->create(checked_schema());
  const std::unique_ptr<Client> client = database->connect(1);
  EXPECT_TRUE(client->hints().node.starts_with("127.0.0.1:" + std::to_string(proxy.port())));
  client->begin();
  write(*client, 0, 1);
  proxy.cut_after("commit");
  EXPECT_EQ(failure_of([&] { client->commit(); }),
            (Failure{FailureCause::ConnectionLost, Outcome::Indeterminate}));
  EXPECT_EQ(spelled(perform_alone(*database->connect(0), {.kind = Request::Kind::Read, .key = 0})), "0:1");
}

TEST_F(Mariadb, DropRemovesTablesEvenIfItsConnectionIsLost) {
  const std::unique_ptr<Database> database = created("serializable");
  MariadbConnection admin({.node = place()});
  const std::string count = "select count(*) from information_schema.tables where table_name like 'serval%'";
  EXPECT_NE(admin.execute(count), "0");
  admin.execute("kill " +
                admin.execute("select max(id) from information_schema.processlist where user = 'root' and "
                              "id <> connection_id()"));
  database->drop();
  EXPECT_EQ(admin.execute(count), "0");
}

TEST(MariadbAddress, RefusesInvalidAddresses) {
  for (const char* address : {"mariadb:bench", "mariadb://app@db1", "mariadb://app@db1/bench?snapshots=on",
                              "mariadb://db1:x/bench", "mariadb://db1/bench?sync_wait=much"})
    EXPECT_THROW(open_database(address, {}), InputError) << address;
}

TEST(MariadbAddress, RefusesPasswordsWithoutRepeatingThem) {
  try {
    (void)open_database("mysql://app:secret@db1/bench", {});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos);
  }
}

TEST(MariadbAddress, AnUnreachableServerIsADatabaseFailure) {
  try {
    (void)open_database("mariadb://app@127.0.0.1:1/bench", {});
    ADD_FAILURE();
  } catch (const DatabaseError& error) {
    EXPECT_NE(std::string(error.what()).find("127.0.0.1:1"), std::string::npos);
    EXPECT_NE(error.hint().find("host"), std::string::npos);
  }
}

TEST(MariadbErrors, DetermineTheOutcomeOfATransaction) {
  EXPECT_EQ(mariadb::cause_of(1020), FailureCause::Serialization);
  EXPECT_EQ(mariadb::cause_of(1213), FailureCause::Deadlock);
  EXPECT_EQ(mariadb::cause_of(1205), FailureCause::LockTimeout);
  EXPECT_EQ(mariadb::cause_of(1062), FailureCause::Constraint);
  EXPECT_EQ(mariadb::cause_of(2013), FailureCause::ConnectionLost);
  EXPECT_TRUE(mariadb::says_aborted(1213));
  EXPECT_FALSE(mariadb::says_aborted(2013));
  EXPECT_FALSE(mariadb::says_aborted(1180));
}

}  // namespace
}  // namespace serval

#endif
