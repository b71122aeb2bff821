#pragma once
// Clients that connect to a watch and send native lines, each preceded by its length. One thread serves
// all of them without blocking on any.
//
//   WatchConnections connections(engine, listener, {.most = 2});
//   connections.run();                 // Until stop(), or until 2 clients have connected and all have left.
//
// A misbehaving client loses its own connection only:
//
//   no header                  It stays unidentified and is disconnected after a while, without a doubt.
//   garbage after a header     Its actions are unknown: a doubt (watch_doubts.h).
//   no "last" before its end   Its last actions are unknown: a doubt.
//   too much memory            Incomplete and waiting lines of all clients may take half of the memory
//                              limit. Beyond that the client that holds the most is disconnected.
//
// If file descriptors run out, or there are very many unidentified connections, the oldest of these that
// have used up their time are closed; otherwise new clients wait.

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "serval/stream/native_stream.h"
#include "serval/watch/endpoint.h"
#include "serval/watch/watch_engine.h"

namespace serval::watch {

struct ConnectionOptions {
  std::uint64_t most = 0;  // Ends when this many have connected and all have left; 0: when stopped.
  std::size_t memory_limit = std::size_t{64} << 20;
  std::chrono::nanoseconds idle_after{0};
};

class WatchConnections {
 public:
  WatchConnections(WatchEngine& engine, Listener& listener, const ConnectionOptions& options);
  ~WatchConnections();
  WatchConnections(const WatchConnections&) = delete;
  WatchConnections& operator=(const WatchConnections&) = delete;

  void run();
  void stop() noexcept;  // Any thread.
  std::uint64_t refused() const noexcept { return refused_; }
  // Any thread.
  std::chrono::steady_clock::time_point last_look() const noexcept {
    return Clock::time_point(Clock::duration(last_look_.load()));
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    int descriptor = -1;
    std::unique_ptr<NativeStream> stream;
    std::string bytes;       // Of an incomplete line.
    std::size_t kept = 0;    // Counted size of `bytes` and of waiting lines.
    bool has_sent = false;   // At least one byte.
    bool is_paused = false;  // The queue has no room for its records.
    Clock::time_point opened;
    std::list<Connection*>::iterator
        unidentified;  // Its position in unidentified_, until its header arrives.
  };
  struct Piece {
    Connection* connection;
    std::string bytes;
    bool is_last;  // The last piece of the line.
  };

  void look();
  std::size_t read_ready(std::vector<Piece>& pieces);
  void read(Connection& connection, std::vector<Piece>& pieces);
  void accept_all();
  void hold_newcomers(std::chrono::milliseconds pause);
  void hand_over(Piece& piece);
  void take_lines(Connection& connection, std::string_view bytes);
  void settle(Connection& connection);
  void limit_kept();
  void resume();
  void close_unidentified();
  void leave(Connection& connection);
  void vanish(Connection& connection);
  void refuse(Connection& connection, const std::string& reason);
  void close(Connection& connection);
  void end(NativeStream& stream);
  void doubt(const NativeStream& stream, const char* what, Time until) {
    engine_.doubt({.who = stream.name(), .what = what, .since = stream.promised(), .until = until});
  }
  void listen_for(Connection& connection, bool wanted);
  bool is_over();

  WatchEngine& engine_;
  Listener& listener_;
  const ConnectionOptions options_;
  const std::size_t longest_line_;
  int poll_ = -1, wake_ = -1, room_ = -1;
  std::atomic<bool> stopped_ = false;
  std::atomic<Clock::rep> looked_;  // Everything that arrived before this time was read.
  std::atomic<Clock::rep> last_look_;
  std::unordered_map<int, std::unique_ptr<Connection>> open_;  // By descriptor.
  std::vector<std::unique_ptr<Connection>> closed_;            // In this round.
  std::list<Connection*> unidentified_;  // Without a header so far, in order of arrival.
  std::vector<Connection*> paused_;
  std::size_t kept_ = 0;
  std::string chunk_;
  std::uint64_t accepted_ = 0, came_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  Clock::time_point listens_from_;  // Accepts no one before this time.
  bool listens_ = true;
};

}  // namespace serval::watch
