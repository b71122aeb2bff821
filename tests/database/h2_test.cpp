// A real H2, which speaks PostgreSQL's protocol in its own way.
#include "serval/database/drivers.h"

#if SERVAL_WITH_POSTGRES

#include "database/driver_checks.h"
#include "database/local_server.h"
#include "skip_without.h"

namespace serval {
namespace {

class H2 : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<LocalServer>("h2"); }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    if (server_->absent()) SKIP_WITHOUT("h2", server_->problem());
    ASSERT_FALSE(server_->addresses().empty()) << server_->problem();
  }

  static std::unique_ptr<Database> open(const std::string& isolation) {
    return open_database(server_->addresses().front(), {.isolation = isolation});
  }

  static std::unique_ptr<LocalServer> server_;
};

std::unique_ptr<LocalServer> H2::server_;

TEST_F(H2, EveryRequestIsAnsweredAtEveryIsolation) {
  for (const IsolationInfo& isolation : driver_of("postgres:").isolations) {
    SCOPED_TRACE(isolation.name);
    const std::unique_ptr<Database> database = open(std::string(isolation.name));
    check_requests(*database);
    database->drop();
  }
}

TEST_F(H2, UpdatesAreAtomicAtEveryIsolation) {
  for (const IsolationInfo& isolation : driver_of("postgres:").isolations) {
    SCOPED_TRACE(isolation.name);
    check_updates_at_once(*open(std::string(isolation.name)));
  }
}

TEST_F(H2, ReportsItsFacts) {
  auto facts = open("serializable")->facts();
  EXPECT_EQ(facts["database"], "H2");
  EXPECT_TRUE(facts["version"].starts_with("2.")) << facts["version"];
}

// Its serializable is snapshot isolation.
TEST_F(H2, WriteSkewCommitsEvenWhenSerializable) {
  const std::unique_ptr<Database> database = open("serializable");
  database->create(checked_schema());
  const Pair clients = connect_pair(*database);
  EXPECT_EQ(try_write_skew(clients), Outcome::Committed);
  const Failure failure = failure_of([&] { try_lost_update(clients); });
  EXPECT_EQ(failure.outcome, Outcome::Aborted);
  EXPECT_EQ(failure.cause, FailureCause::Serialization);
}

TEST_F(H2, ReadsUncommittedDataOnRequest) {
  const std::unique_ptr<Database> database = open("read-uncommitted");
  database->create(checked_schema());
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  write(*clients.first, 0, 5);
  EXPECT_EQ(spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 0})), "0:5");
  clients.first->roll_back();
  EXPECT_EQ(spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 0})), "0:0");
}

}  // namespace
}  // namespace serval

#endif
