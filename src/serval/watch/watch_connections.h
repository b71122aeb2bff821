#pragma once
// Clients that connect to a watch and send native lines, each after its length: all of them in one thread,
// which reads what is there and never waits for one of them.
//
//   WatchConnections connections(engine, listener, {.most = 2});
//   connections.run();                 // Until stop(), or until so many have come and all have gone.
//
// Whatever a client does wrong ends its connection and no other:
//
//   nothing, or no header      it is a stranger. It is told to go after a while, and nobody misses it.
//   garbage after a header     what it did is not known: a doubt (watch_doubts.h).
//   no "last" before its end   what it did last is not known: a doubt.
//   much without an end        lines that are not whole, or wait for others, take at most half of the memory
//                              limit in all; beyond that, whoever keeps most of it has to go.
//
// Out of file descriptors, or where there are very many strangers, those of them have to go that have had
// their time, and otherwise newcomers wait.

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
  std::uint64_t most = 0;  // The end when so many have come and all have gone; 0: when stopped.
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
    std::string bytes;       // Of a line that is not whole.
    std::size_t kept = 0;    // Of it and of lines that wait for others, as counted.
    bool has_sent = false;   // Anything.
    bool is_paused = false;  // There is no room for its records.
    Clock::time_point opened;
    std::list<Connection*>::iterator stranger;  // Of strangers_, before its header.
  };
  struct Piece {
    Connection* connection;
    std::string bytes;
    bool is_last;  // Nothing follows.
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
  void dismiss_strangers();
  void leave(Connection& connection);
  void vanish(Connection& connection);
  void refuse(Connection& connection, const std::string& reason);
  void close(Connection& connection);
  void end(NativeStream& stream);
  void listen_for(Connection& connection, bool wanted);
  bool is_over();

  WatchEngine& engine_;
  Listener& listener_;
  const ConnectionOptions options_;
  const std::size_t longest_line_;
  int poll_ = -1, wake_ = -1, room_ = -1;
  std::atomic<bool> stopped_ = false;
  std::atomic<Clock::rep> looked_;  // All that had come by then was read.
  std::atomic<Clock::rep> last_look_;
  std::unordered_map<int, std::unique_ptr<Connection>> open_;  // By descriptor.
  std::vector<std::unique_ptr<Connection>> closed_;            // In this look.
  std::list<Connection*> strangers_;                           // In the order in which they came.
  std::vector<Connection*> paused_;
  std::size_t kept_ = 0;
  std::string chunk_;
  std::uint64_t accepted_ = 0, came_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  Clock::time_point listens_from_;  // Before that nobody is let in.
  bool listens_ = true;
};

}  // namespace serval::watch
