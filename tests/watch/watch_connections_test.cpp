#include "serval/watch/watch_connections.h"

#include <cstring>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>

#include "serval/base/error.h"
#include "watch/temporary_folder.h"

namespace serval::watch {
namespace {

const std::string kHello = R"({"serval":"history","version":1,"initial":0})";
const std::string kLast = R"({"event":"sync","at":100,"last":true})";

std::string framed(const std::string& line) {
  std::string out;
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(line.size() >> shift & 0xFF);
  return out + line;
}

std::string write_of(const std::string& session, int value, int begin) {
  return R"({"s":")" + session + R"(","t":)" + std::to_string(value) + R"(,"ops":[["w","x",)" +
         std::to_string(value) + R"(]],"begin":)" + std::to_string(begin) + R"(,"end":)" +
         std::to_string(begin + 5) + "}";
}

class Peer {
 public:
  explicit Peer(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Peer() { leave(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Returns whether all of it was accepted.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  Peer& say(const std::string& line) {
    EXPECT_TRUE(send(framed(line)));
    return *this;
  }
  // Blocks. Returns true once the other side has closed the connection.
  bool is_dismissed() {
    char byte = 0;
    return ::recv(socket_, &byte, 1, 0) <= 0;
  }
  void leave() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

 private:
  int socket_;
};

class Connections : public WithFolder {
 protected:
  ~Connections() override {
    if (thread_.joinable()) finish();
  }
  // `before` runs once clients can connect, before any of them is accepted.
  void listen(ConnectionOptions options, const PipelineOptions& pipeline = {},
              const std::function<void()>& before = {}) {
    if (options.idle_after == std::chrono::nanoseconds(0)) options.idle_after = std::chrono::hours(1);
    engine_ = std::make_unique<WatchEngine>(
        WatchSetting{.profile = {.name = "postgres:repeatable-read"}, .pipeline = pipeline});
    listener_ = std::make_unique<Listener>("unix:" + path("s"), Interfaces::LoopbackOnly);
    connections_ = std::make_unique<WatchConnections>(*engine_, *listener_, options);
    if (before) before();
    thread_ = std::thread([this] {
      connections_->run();
      over_ = true;
    });
  }
  std::unique_ptr<Peer> peer() { return std::make_unique<Peer>(path("s")); }
  void await(std::uint64_t transactions) {
    while (engine_->intake().transactions < transactions) std::this_thread::yield();
  }
  // Waits for the loop to end by itself.
  void join() { thread_.join(); }
  void finish() {
    connections_->stop();
    join();
  }
  std::vector<std::string> doubts() {
    if (!engine_->intake().started()) engine_->intake().start_with_unknown();
    engine_->intake().pipeline().no_more_clients();
    engine_->run([](const WatchEngine::Finding&) {}, [] { return false; });
    engine_->finish([](const WatchEngine::Finding&) {});
    return engine_->state().doubts;
  }
  std::uint64_t transactions() const { return engine_->intake().transactions; }

  std::unique_ptr<WatchEngine> engine_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<WatchConnections> connections_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

TEST_F(Connections, EndOnceAllExpectedClientsHaveComeAndGone) {
  listen({.most = 2});
  const auto first = peer(), second = peer();
  first->say(kHello).say(write_of("a", 1, 10)).say(kLast);
  EXPECT_TRUE(first->is_dismissed()) << "it has said goodbye";
  await(1);
  EXPECT_FALSE(over_);
  second->say(kHello).say(write_of("b", 2, 20)).say(kLast);
  join();
  EXPECT_EQ(transactions(), 2u);
  EXPECT_EQ(connections_->refused(), 0u);
  EXPECT_EQ(doubts(), std::vector<std::string>{});
}

TEST_F(Connections, EndWhenStopped) {
  listen({});
  const auto silent = peer();
  silent->say(kHello).say(write_of("a", 1, 10));
  await(1);
  finish();
  EXPECT_TRUE(over_);
}

TEST_F(Connections, LinesMayArriveInAnyPieces) {
  listen({.most = 1});
  const auto client = peer();
  const std::string all = framed(kHello) + framed(write_of("a", 1, 10)) + framed(kLast);
  for (const char byte : all) EXPECT_TRUE(client->send({&byte, 1}));
  join();
  EXPECT_EQ(transactions(), 1u);
  EXPECT_EQ(connections_->refused(), 0u);
}

TEST_F(Connections, AClientThatVanishesLeavesADoubt) {
  listen({.most = 1});
  peer()->say(kHello).say(write_of("a", 1, 10));
  join();
  EXPECT_EQ(connections_->refused(), 0u);
  EXPECT_EQ(doubts(), std::vector<std::string>{
                          "connection 1 ended without its last record: its last actions are unknown"});
}

TEST_F(Connections, AStrangerLeavesNoDoubt) {
  listen({.most = 1});
  { const auto stranger = peer(); }
  const auto client = peer();
  client->say(kHello).say(write_of("a", 1, 10)).say(kLast);
  join();
  EXPECT_EQ(connections_->refused(), 0u);
  EXPECT_EQ(doubts(), std::vector<std::string>{});
}

TEST_F(Connections, HalfAHeaderIsRefusedWithoutADoubt) {
  listen({.most = 1});
  EXPECT_TRUE(peer()->send(framed(kHello).substr(0, 10)));
  join();
  EXPECT_EQ(connections_->refused(), 1u);
  EXPECT_EQ(doubts(), std::vector<std::string>{});
}

TEST_F(Connections, ASilentStrangerIsDisconnected) {
  listen({.most = 0, .idle_after = std::chrono::milliseconds(1)});
  EXPECT_TRUE(peer()->is_dismissed());
  EXPECT_EQ(connections_->refused(), 0u);
}

TEST_F(Connections, AClientThatSentAHeaderMayBeSilent) {
  std::unique_ptr<Peer> client, stranger;
  const auto connect = [&] {
    client = peer(), stranger = peer();
    client->say(kHello).say(write_of("a", 1, 10));
  };
  listen({.most = 1, .idle_after = std::chrono::milliseconds(300)}, {}, connect);
  EXPECT_TRUE(stranger->is_dismissed());
  client->say(kLast);
  join();
  EXPECT_EQ(doubts(), std::vector<std::string>{});
}

TEST_F(Connections, AClientRefusedAtItsFirstBytesCountsAsHavingCome) {
  for (const std::string& bytes : {framed(kHello) + framed("garbage"), framed("garbage")}) {
    listen({.most = 1}, {}, [&] { EXPECT_TRUE(peer()->send(bytes)); });
    join();
    EXPECT_EQ(connections_->refused(), 1u);
    connections_.reset();
    listener_.reset();
  }
}

TEST_F(Connections, GarbageAfterAHeaderIsRefusedWithADoubtAndHarmsNoOther) {
  listen({.most = 2});
  const auto bad = peer(), good = peer();
  bad->say(kHello).say("garbage");
  EXPECT_TRUE(bad->is_dismissed());
  good->say(kHello).say(write_of("a", 1, 10)).say(kLast);
  join();
  EXPECT_EQ(connections_->refused(), 1u);
  EXPECT_EQ(transactions(), 1u);
  EXPECT_EQ(doubts(), std::vector<std::string>{"connection 1 was refused: its actions are unknown"});
}

TEST_F(Connections, OversizedFramesAreRefused) {
  listen({.most = 2, .memory_limit = 2000});
  const auto fits = peer(), large = peer();
  EXPECT_TRUE(large->send(std::string("\xE9\x03\x00\x00", 4)));  // 1001 bytes.
  EXPECT_TRUE(large->is_dismissed());
  EXPECT_EQ(connections_->refused(), 1u);
  fits->say(kHello + std::string(1000 - kHello.size(), ' ')).say(kLast);
  join();
  EXPECT_EQ(connections_->refused(), 1u);
}

TEST_F(Connections, TheClientWithTheLargestIncompleteLineIsDisconnected) {
  listen({.most = 2, .memory_limit = 2000});
  const auto small = peer(), large = peer();
  for (const auto& client : {small.get(), large.get()}) client->say(kHello);
  const std::string line = write_of("a", 1, 10), padded = framed(line + std::string(900 - line.size(), ' '));
  EXPECT_TRUE(small->send(padded.substr(0, 400)));
  EXPECT_TRUE(large->send(padded.substr(0, 800)));
  EXPECT_TRUE(large->is_dismissed());
  EXPECT_TRUE(small->send(padded.substr(400)));
  small->say(kLast);
  join();
  EXPECT_EQ(connections_->refused(), 1u);
  EXPECT_EQ(transactions(), 1u);
}

TEST_F(Connections, AClientWithoutRoomWaitsAndContinues) {
  constexpr int kMany = 3000;
  listen({.most = 1}, {.batch_records = 1, .memory_limit = 1});
  const auto client = peer();
  client->say(kHello);
  std::thread sender([&] {
    for (int i = 1; i <= kMany; ++i) client->say(write_of("a", i, 10 * i));
    client->say(R"({"event":"sync","at":50000,"last":true})");
  });
  while (!engine_->intake().pipeline().status().is_blocking) std::this_thread::yield();
  EXPECT_LT(static_cast<int>(transactions()), kMany) << "more than is read at once";
  engine_->run([](const WatchEngine::Finding&) {},
               [&] {
                 if (over_) engine_->intake().pipeline().no_more_clients();
                 return false;
               });
  sender.join();
  join();
  EXPECT_EQ(static_cast<int>(transactions()), kMany);
  EXPECT_EQ(connections_->refused(), 0u);
}

}  // namespace
}  // namespace serval::watch
