// A real cluster of three MariaDB nodes.
#include "serval/database/drivers.h"

#if SERVAL_WITH_MARIADB

#include "database/driver_checks.h"
#include "database/local_server.h"
#include "skip_without.h"

namespace serval {
namespace {

class Galera : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<LocalServer>("galera"); }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    if (server_->absent()) SKIP_WITHOUT("galera", server_->problem());
    ASSERT_EQ(server_->addresses().size(), 3u) << server_->problem();
  }

  static std::unique_ptr<Database> created(const std::string& isolation) {
    const auto& addresses = server_->addresses();
    std::unique_ptr<Database> database = open_database(
        addresses[0] + "?sync_wait=7", {.isolation = isolation, .nodes = {addresses[1], addresses[2]}});
    database->create(checked_schema());
    return database;
  }

  static std::unique_ptr<LocalServer> server_;
};

std::unique_ptr<LocalServer> Galera::server_;

TEST_F(Galera, SessionsAreSpreadOverTheNodesAndSeeTheSame) {
  const std::unique_ptr<Database> database = created("repeatable-read");
  EXPECT_EQ(database->facts()["wsrep_sync_wait"], "7");
  perform_alone(*database->connect(0), {.kind = Request::Kind::Write, .key = 0, .tag = 1});
  std::vector<std::string> nodes;
  for (const std::uint32_t session : {1u, 2u, 3u}) {
    const std::unique_ptr<Client> client = database->connect(session);
    EXPECT_EQ(spelled(perform_alone(*client, {.kind = Request::Kind::Read, .key = 0})), "0:1");
    const std::string node = client->hints().node;
    nodes.push_back(node.substr(0, node.find(' ')));
  }
  std::ranges::sort(nodes);
  EXPECT_EQ(std::ranges::unique(nodes).begin(), nodes.end());
}

TEST_F(Galera, WritesOfTheSameRowAtTwoNodesConflictAtTheCommit) {
  const std::unique_ptr<Database> database = created("repeatable-read");
  const Pair clients = connect_pair(*database);
  clients.first->begin();
  clients.second->begin();
  write(*clients.first, 0, 1);
  write(*clients.second, 0, 2);
  EXPECT_EQ(clients.first->commit(), Outcome::Committed);
  EXPECT_EQ(failure_of([&] { clients.second->commit(); }),
            (Failure{FailureCause::Serialization, Outcome::Aborted}));
  EXPECT_EQ(spelled(perform_alone(*clients.second, {.kind = Request::Kind::Read, .key = 0})), "0:1");
}

TEST_F(Galera, WriteSkewAcrossNodesCommits) {
  const std::unique_ptr<Database> database = created("repeatable-read");
  EXPECT_EQ(try_write_skew(connect_pair(*database)), Outcome::Committed);
}

}  // namespace
}  // namespace serval

#endif
