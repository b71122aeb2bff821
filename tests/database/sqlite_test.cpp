// The real SQLite, each test with its own file.
#include <atomic>
#include <filesystem>
#include <thread>

#include "database/driver_checks.h"
#include "serval/base/error.h"
#include "skip_without.h"

namespace serval {
namespace {

bool available() { return driver_of("sqlite:").open != nullptr; }

std::unique_ptr<Database> open(const std::string& isolation, const std::string& address = "sqlite:") {
  return open_database(address, {.isolation = isolation});
}

class Sqlite : public testing::Test {
 protected:
  void SetUp() override {
    if (!available()) SKIP_WITHOUT("sqlite", "built without SQLite");
  }
};

TEST_F(Sqlite, EveryRequestIsAnsweredAtEveryIsolation) {
  for (const IsolationInfo& isolation : driver_of("sqlite:").isolations)
    for (const char* address : {"sqlite:", "sqlite:?journal=delete", "sqlite:?cache=shared"}) {
      SCOPED_TRACE(std::string(isolation.name) + " " + address);
      const std::unique_ptr<Database> database = open(std::string(isolation.name), address);
      check_requests(*database);
      database->drop();
    }
}

TEST_F(Sqlite, UpdatesAreAtomicAtEveryIsolation) {
  for (const IsolationInfo& isolation : driver_of("sqlite:").isolations) {
    SCOPED_TRACE(isolation.name);
    check_updates_at_once(*open(std::string(isolation.name)));
  }
}

TEST_F(Sqlite, ReportsItsFacts) {
  const std::unique_ptr<Database> database = open("READ UNCOMMITTED");
  auto facts = database->facts();
  EXPECT_EQ(facts["database"], "SQLite");
  EXPECT_EQ(facts["isolation"], "read-uncommitted");
  EXPECT_EQ(facts["cache"], "shared");
  EXPECT_TRUE(facts["version"].starts_with("3."));
}

TEST_F(Sqlite, ALateWriterIsRefusedWhenDeferred) {
  const std::unique_ptr<Database> database = open("deferred");
  database->create(checked_schema());
  const Pair clients = connect_pair(*database);
  EXPECT_EQ(failure_of([&] { try_write_skew(clients); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
  EXPECT_EQ(failure_of([&] { try_lost_update(clients); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
  EXPECT_EQ(spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 0})), "0:103");
}

TEST_F(Sqlite, ASecondWriterWaitsForTheFirst) {
  const std::unique_ptr<Database> database = open("serializable");
  database->create(checked_schema());
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  write(*clients.first, 0, 1);
  std::string seen;
  std::thread other(
      [&] { seen = spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 0})); });
  EXPECT_EQ(clients.first->commit(), Outcome::Committed);
  other.join();
  EXPECT_EQ(seen, "0:1");
}

TEST_F(Sqlite, WaitingForALockTimesOut) {
  const std::unique_ptr<Database> database = open("serializable");
  database->create(checked_schema());
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  EXPECT_EQ(failure_of([&] { clients.second->begin(); }),
            (Failure{FailureCause::LockTimeout, Outcome::Aborted}));
  clients.first->roll_back();
  EXPECT_EQ(spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 0})), "0:0");
}

TEST_F(Sqlite, ReadsUncommittedDataInASharedCache) {
  const std::unique_ptr<Database> database = open("read-uncommitted");
  database->create(checked_schema());
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  write(*clients.first, 0, 5);
  EXPECT_EQ(spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 0})), "0:5");
  clients.first->roll_back();
  EXPECT_EQ(spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 0})), "0:0");
}

TEST_F(Sqlite, ASecondWriterInASharedCacheWaitsForTheFirst) {
  const std::unique_ptr<Database> database = open("read-uncommitted");
  database->create(checked_schema());
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  write(*clients.first, 0, 1);
  std::string before;
  std::thread other([&] {
    before = spelled(perform_alone(*clients.second, {.kind = Request::Kind::Update, .key = 0, .tag = 2}));
  });
  EXPECT_EQ(clients.first->commit(), Outcome::Committed);
  other.join();
  EXPECT_EQ(before, "0:1");
}

TEST_F(Sqlite, ManyConcurrentClientsLoseNoAppend) {
  for (const char* isolation : {"serializable", "deferred", "read-uncommitted"}) {
    SCOPED_TRACE(isolation);
    const std::unique_ptr<Database> database = open(isolation);
    database->create(checked_schema());
    std::vector<std::thread> threads;
    std::atomic<std::size_t> committed = 0;
    for (std::uint32_t session = 0; session < 4; ++session)
      threads.emplace_back([&, session] {
        const std::unique_ptr<Client> client = database->connect(session);
        for (std::int64_t i = 0; i < 50; ++i) try {
            client->begin();
            client->perform(
                {.kind = Request::Kind::Append, .table = 1, .key = 1, .tag = session * 100 + i + 1});
            if (client->commit() == Outcome::Committed) ++committed;
          } catch (const TransactionFailure& failure) {
            EXPECT_EQ(failure.outcome(), Outcome::Aborted);
          }
      });
    for (std::thread& thread : threads) thread.join();
    const std::unique_ptr<Client> client = database->connect(9);
    EXPECT_EQ(perform_alone(*client, {.kind = Request::Kind::ReadList, .table = 1, .key = 1}).list.size(),
              committed);
    EXPECT_GT(committed, 0u);
  }
}

TEST_F(Sqlite, DropRemovesItsTablesAndNothingElse) {
  const std::string file = testing::TempDir() + "serval 100% #1.db";
  std::filesystem::remove(file);
  {
    const std::unique_ptr<Database> kept = open("serializable", "sqlite:" + file);
    kept->create({{.name = "kept", .rows = 1}});
    const std::unique_ptr<Database> gone = open("serializable", "sqlite:" + file);
    gone->create({{.name = "gone", .rows = 1}});
    const std::unique_ptr<Client> late = gone->connect(0);
    gone->drop();
    EXPECT_EQ(spelled(perform_alone(*kept->connect(0), {.kind = Request::Kind::Read, .key = 0})), "0:0");
    late->begin();
    EXPECT_EQ(failure_of([&] { read(*late, 0); }), (Failure{FailureCause::Other, Outcome::Aborted}));
  }
  EXPECT_TRUE(std::filesystem::remove(file));
}

TEST_F(Sqlite, CreateClearsWhatAnEarlierRunLeft) {
  const std::string file = testing::TempDir() + "serval_again.db";
  {
    const std::unique_ptr<Database> database = open("serializable", "sqlite:" + file);
    database->create(checked_schema());
    perform_alone(*database->connect(0), {.kind = Request::Kind::Write, .key = 0, .tag = 1});
  }
  const std::unique_ptr<Database> database = open("serializable", "sqlite:" + file);
  database->create(checked_schema());
  EXPECT_EQ(spelled(perform_alone(*database->connect(0), {.kind = Request::Kind::Read, .key = 0})), "0:0");
  database->drop();
  for (const char* part : {"", "-shm", "-wal"}) std::filesystem::remove(file + part);
}

TEST_F(Sqlite, RefusesInvalidAddresses) {
  EXPECT_THROW(open("serializable", "sqlite:x?jornal=wal"), InputError);
  EXPECT_THROW(open("serializable", "sqlite:x?journal=paper"), InputError);
  EXPECT_THROW(open("serializable", "sqlite:/no/such/folder/x.db"), DatabaseError);
  EXPECT_THROW(open("snapshot"), InputError);
}

}  // namespace
}  // namespace serval
