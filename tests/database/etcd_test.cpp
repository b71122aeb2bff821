#if SERVAL_WITH_ETCD

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <absl/strings/escaping.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "database/conversation.h"
#include "database/every_request.h"
#include "serval/base/error.h"
#include "serval/database/drivers.h"
#include "serval/database/etcd/etcd_client.h"
#include "serval/database/key_value/key_value_tables.h"
#include "skip_without.h"

extern char** environ;

namespace serval {
namespace {

// A socket that listens on a loopback port chosen by the system.
struct Listener {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::uint16_t port = 0;

  Listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(descriptor, 16) == 0 &&
        getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0)
      port = ntohs(address.sin_port);
  }
  ~Listener() { close(descriptor); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  std::string address() const { return "127.0.0.1:" + std::to_string(port); }
};

// One member on ports of its own; stopped and removed at the end.
class EtcdServer {
 public:
  EtcdServer() {
    std::string name = (std::filesystem::temp_directory_path() / "serval-etcd-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return;
    folder_ = name;
    std::string peer;
    {
      // Both are open at the same time, so that they differ; they are free again when etcd needs them.
      const Listener clients, peers;
      endpoint_ = clients.address();
      peer = "http://" + peers.address();
    }
    const std::string client = "http://" + endpoint_;
    start({"etcd", "--name", "n1", "--data-dir", folder_ + "/data", "--listen-client-urls", client,
           "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls",
           peer, "--initial-cluster", "n1=" + peer, "--unsafe-no-fsync", "--log-level", "error"});
  }
  ~EtcdServer() {
    kill_it();
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  EtcdServer(const EtcdServer&) = delete;
  EtcdServer& operator=(const EtcdServer&) = delete;

  static bool is_installed() { return std::filesystem::exists("/usr/bin/etcd"); }
  const std::string& endpoint() const { return endpoint_; }
  std::string address() const { return "etcd://" + endpoint_; }

  void kill_it() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  bool is_ready() const {
    for (int tries = 0; tries < 200; ++tries) {
      try {
        EtcdGateway gateway(endpoint_);
        gateway.post("/v3/kv/range", R"({"key":"eA=="})", EtcdGateway::Sending::Once);
        return true;
      } catch (const EtcdFailure&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
    return false;
  }

 private:
  void start(std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, (folder_ + "/log").c_str(), O_WRONLY | O_CREAT,
                                     0600);
    posix_spawn(&pid_, "/usr/bin/etcd", &files, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&files);
  }

  std::string folder_, endpoint_;
  pid_t pid_ = -1;
};

class Etcd : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (EtcdServer::is_installed()) server = std::make_unique<EtcdServer>();
    ready = server && server->is_ready();
  }
  static void TearDownTestSuite() { server.reset(); }

  void SetUp() override {
    if (!server) SKIP_WITHOUT("etcd", "etcd is not installed (package etcd-server)");
    ASSERT_TRUE(ready) << "etcd did not start";
    open("serializable");
  }

  void open(const std::string& isolation) {
    database = open_etcd(server->address(), {.isolation = isolation});
    database->create(three_tables());
    one = database->connect(0);
    other = database->connect(1);
  }

  static inline std::unique_ptr<EtcdServer> server;
  static inline bool ready = false;
  std::unique_ptr<Database> database;
  std::unique_ptr<Client> one, other;
};

TEST_F(Etcd, AnswersEveryKindOfRequest) {
  for (const char* isolation : {"serializable", "stale"}) {
    SCOPED_TRACE(isolation);
    open(isolation);
    expect_registers_work(*one);
    expect_conditions_work(*one);
    expect_lists_work(*one);
    EXPECT_THROW(one->perform({.kind = Request::Kind::Scan}), DatabaseError);
  }
  EXPECT_TRUE(database->facts()["version"].starts_with("3.")) << database->facts()["version"];
}

TEST_F(Etcd, WriteSkewIsRefused) {
  for (const auto& client : {one.get(), other.get()}) {
    client->begin();
    EXPECT_EQ(read(*client, 0), 0);
    EXPECT_EQ(read(*client, 1), 0);
  }
  write(*one, 0, 1);
  write(*other, 1, 2);
  EXPECT_EQ(commit(*one), kCommitted);
  EXPECT_EQ(commit(*other), kRefused);
}

TEST_F(Etcd, LostUpdatesAreRefused) {
  one->begin();
  other->begin();
  one->perform({.kind = Request::Kind::Update, .key = 0, .tag = 1});
  other->perform({.kind = Request::Kind::Update, .key = 0, .tag = 2});
  EXPECT_EQ(commit(*other), kCommitted);
  EXPECT_EQ(commit(*one), kRefused);
}

TEST_F(Etcd, ReadOnlyTransactionsAreCheckedToo) {
  one->begin();
  EXPECT_EQ(read(*one, 0), 0);
  other->begin();
  write(*other, 0, 1);
  write(*other, 1, 2);
  EXPECT_EQ(commit(*other), kCommitted);
  EXPECT_EQ(read(*one, 1), 2);
  EXPECT_EQ(commit(*one), kRefused);
}

TEST_F(Etcd, AKeyThatChangesBetweenTwoReadsEndsTheTransaction) {
  one->begin();
  EXPECT_EQ(read(*one, 0), 0);
  other->begin();
  write(*other, 0, 1);
  EXPECT_EQ(commit(*other), kCommitted);
  EXPECT_EQ(ending_of([&] {
              read(*one, 0);
              return one->commit();
            }),
            kRefused);
}

TEST_F(Etcd, AnAbsentKeyThatAppearsIsAConflict) {
  one->begin();
  EXPECT_EQ(read(*one, 77), std::nullopt);
  other->begin();
  EXPECT_TRUE(other->perform({.kind = Request::Kind::Insert, .key = 77, .tag = 5}).applied);
  EXPECT_EQ(commit(*other), kCommitted);
  write(*one, 0, 1);
  EXPECT_EQ(commit(*one), kRefused);
}

TEST_F(Etcd, BlindWritesNeverConflict) {
  one->begin();
  other->begin();
  write(*one, 0, 1);
  write(*other, 0, 2);
  EXPECT_EQ(commit(*one), kCommitted);
  EXPECT_EQ(commit(*other), kCommitted);
  EXPECT_LT(one->hints().commit_timestamp, other->hints().commit_timestamp);
}

TEST_F(Etcd, ReportsTheRevisionsOfTheFirstReadAndOfTheCommit) {
  one->begin();
  write(*one, 0, 1);
  ASSERT_EQ(commit(*one), kCommitted);
  const std::optional<std::int64_t> made = one->hints().commit_timestamp;
  other->begin();
  read(*other, 0);
  write(*other, 0, 2);
  ASSERT_EQ(commit(*other), kCommitted);
  EXPECT_EQ(other->hints().start_timestamp, made);
  EXPECT_GT(other->hints().commit_timestamp, made);
}

TEST_F(Etcd, StaleReadsOfOneTransactionShareARevision) {
  open("stale");
  one->begin();
  EXPECT_EQ(read(*one, 0), 0);
  other->begin();
  write(*other, 0, 1);
  write(*other, 1, 2);
  EXPECT_EQ(commit(*other), kCommitted);
  EXPECT_EQ(read(*one, 1), 0) << "as it was at the first read";
  EXPECT_EQ(commit(*one), kCommitted);
}

TEST_F(Etcd, VersionsAreRevisions) {
  one->begin();
  write(*one, 0, 1);
  EXPECT_EQ(commit(*one), kCommitted);
  const std::optional<std::int64_t> revision = one->hints().commit_timestamp;
  ASSERT_TRUE(revision);
  one->begin();
  EXPECT_EQ(one->perform({.kind = Request::Kind::Read, .key = 0}).version, revision);
}

TEST_F(Etcd, TooManyWritesAreRefusedAndAborted) {
  one->begin();
  for (std::uint64_t key = 0; key < 200; ++key) write(*one, key, 1);
  EXPECT_EQ(commit(*one), (Ending{Outcome::Aborted, FailureCause::Other}));
  one->begin();
  EXPECT_EQ(read(*one, 0), 0);
}

TEST_F(Etcd, DropLeavesNothing) {
  database->drop();
  one->begin();
  EXPECT_EQ(read(*one, 0), std::nullopt);
}

TEST_F(Etcd, AServerThatIsGoneCommitsNothing) {
  EtcdServer mortal;
  ASSERT_TRUE(mortal.is_ready());
  const auto doomed = open_etcd(mortal.address(), {.isolation = "serializable"});
  doomed->create(three_tables());
  const auto client = doomed->connect(0);
  client->begin();
  EXPECT_EQ(read(*client, 0), 0);
  write(*client, 0, 1);
  mortal.kill_it();
  EXPECT_EQ(commit(*client), (Ending{Outcome::Aborted, FailureCause::ConnectionLost}));
  EXPECT_THROW(doomed->connect(1), DatabaseError);
  EXPECT_THROW(open_etcd(mortal.address(), {.isolation = "serializable"}), DatabaseError);
}

// Gives every read the same answer. Counts commits, and hangs up on them if it has no answer to them.
class RudeServer {
 public:
  explicit RudeServer(std::string answer = R"({"header":{"revision":"5"}})", std::string to_commits = "")
      : answer_(std::move(answer)),
        to_commits_(std::move(to_commits)),
        accepting_([this] { accept_all(); }) {}
  ~RudeServer() {
    shutdown(listener_.descriptor, SHUT_RDWR);
    accepting_.join();
    for (std::thread& thread : serving_) thread.join();
  }
  std::string address() const { return listener_.address(); }
  int commits() const { return commits_; }

 private:
  void accept_all() {
    while (true) {
      const int connection = accept4(listener_.descriptor, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      serving_.emplace_back([this, connection] { serve(connection); });
    }
  }
  void serve(int connection) {
    std::array<char, 4096> bytes{};
    ssize_t count = 0;
    while ((count = recv(connection, bytes.data(), bytes.size(), 0)) > 0) {
      const std::string_view request(bytes.data(), static_cast<std::size_t>(count));
      const bool commits = request.starts_with("POST /v3/kv/txn");
      if (commits) ++commits_;
      if (commits && to_commits_.empty()) break;
      const std::string& body = commits ? to_commits_ : answer_;
      const std::string answer =
          fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
      if (send(connection, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
    }
    close(connection);
  }

  std::string answer_, to_commits_;
  Listener listener_;
  std::atomic<int> commits_ = 0;
  std::vector<std::thread> serving_;
  std::thread accepting_;
};

TEST(EtcdCommit, ALostAnswerIsIndeterminateAndNothingIsSentTwice) {
  const RudeServer server;
  EtcdClient client(server.address(), EtcdClient::Reads::Fresh, KeyValueTables(three_tables()));
  client.begin();
  EXPECT_EQ(read(client, 0), std::nullopt);
  write(client, 0, 1);
  EXPECT_EQ(commit(client), (Ending{Outcome::Indeterminate, FailureCause::ConnectionLost}));
  EXPECT_EQ(server.commits(), 1);
  client.begin();
  EXPECT_EQ(read(client, 0), std::nullopt);
  EXPECT_EQ(read(client, 1), std::nullopt);
  EXPECT_EQ(commit(client), (Ending{Outcome::Aborted, FailureCause::ConnectionLost}))
      << "a lost check of reads leaves nothing in doubt";
}

// Reads register 0 from a server that answers with these pairs.
std::optional<std::int64_t> read_pairs(const std::string& pairs) {
  const RudeServer server(fmt::format(R"({{"header":{{"revision":"5"}},"kvs":{}}})", pairs));
  EtcdClient client(server.address(), EtcdClient::Reads::Fresh, KeyValueTables(three_tables()));
  client.begin();
  return read(client, 0);
}

std::string pair_of_register(std::uint64_t key, std::string_view value) {
  return fmt::format(R"({{"key":"{}","mod_revision":"4","value":{}}})",
                     absl::Base64Escape(stored_key(table_prefix("registers"), key)), value);
}

std::string row_with_tag(std::int64_t tag) { return "\"" + absl::Base64Escape(encode_row(tag, {})) + "\""; }

TEST(EtcdRead, AValueThatIsNotBase64IsRefused) {
  EXPECT_EQ(read_pairs("[" + pair_of_register(0, row_with_tag(9)) + "]"), 9);
  for (const char* value : {"\"Z\"", "\"Zg=\"", "\"Z*==\"", "\"Zm9v!\"", "1234", "[]", "true"})
    EXPECT_THROW(read_pairs("[" + pair_of_register(0, value) + "]"), DatabaseError) << value;
}

TEST(EtcdRead, OtherKeysAreRefused) {
  const std::string right = pair_of_register(0, row_with_tag(9)),
                    other = pair_of_register(1, row_with_tag(9));
  for (const std::string& pairs :
       {"[" + other + "]", "[" + right + "," + other + "]", right, std::string("7")})
    EXPECT_THROW(read_pairs(pairs), DatabaseError) << pairs;
  EXPECT_EQ(read_pairs("[]"), std::nullopt);
}

TEST(EtcdCommit, OnlyAWholeResponseIsBelieved) {
  const auto answered = [](const char* to_commit) {
    const RudeServer server(R"({"header":{"revision":"5"}})", to_commit);
    EtcdClient client(server.address(), EtcdClient::Reads::Fresh, KeyValueTables(three_tables()));
    client.begin();
    write(client, 0, 1);
    return commit(client);
  };
  EXPECT_EQ(answered(R"({"header":{"revision":"6"},"succeeded":true})"), kCommitted);
  EXPECT_EQ(answered(R"({"header":{"revision":"6"}})"), kRefused) << "the gateway leaves out what is false";
  for (const char* wrong :
       {"{}", "[]", R"({"succeeded":true})", R"({"header":{"revision":"6"},"succeeded":"true"})",
        R"({"header":{"revision":"6"},"succeeded":1})"})
    EXPECT_THROW(answered(wrong), DatabaseError) << wrong;
}

TEST(EtcdAddress, InvalidAddressesAreRefused) {
  for (const char* address :
       {"etcd:", "etcd://", "etcd://user@host:1", "etcd://host:1/path", "etcd://h:1?x=y"})
    EXPECT_THROW(open_etcd(address, {}), InputError) << address;
}

}  // namespace
}  // namespace serval

#endif
