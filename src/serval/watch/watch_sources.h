#pragma once
// The sources of a watch's records: a growing file, standard input, the folder of a Leopard trace, or
// clients that connect to a socket (watch_connections.h). Each has its own threads.
//
//   WatchSources sources(engine, {.word = "run.jsonl"});
//   engine.run(tell, [&] { return sources.failed(); });
//   sources.stop();
//   sources.rethrow();                 // The first error, if any.

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "serval/base/budget.h"
#include "serval/base/byte_stream.h"
#include "serval/stream/leopard_stream.h"
#include "serval/stream/native_stream.h"
#include "serval/watch/endpoint.h"
#include "serval/watch/watch_connections.h"
#include "serval/watch/watch_engine.h"

namespace serval::watch {

enum class Follow { Recordings, Always, Never };

struct SourceOptions {
  std::string word;  // FILE, FOLDER, -, unix:PATH or tcp:[HOST:]PORT
  Follow follow = Follow::Recordings;
  Interfaces interfaces = Interfaces::LoopbackOnly;
  std::uint64_t connections = 0;  // Ends after this many; 0: when stopped.
  bool initial_unknown = false;
  Budget* budget = nullptr;  // For the constructor, which may have to read a folder of tables.
};

class WatchSources {
 public:
  WatchSources(WatchEngine& engine, const SourceOptions& options);
  ~WatchSources();
  WatchSources(const WatchSources&) = delete;
  WatchSources& operator=(const WatchSources&) = delete;

  const std::string& name() const noexcept { return name_; }
  void stop();  // Stops reading; what has been read is still passed on.
  bool failed() const noexcept { return failed_; }
  void rethrow() const;
  // When clients were last polled; none without clients.
  std::optional<std::chrono::steady_clock::time_point> last_look() const noexcept {
    if (!connections_) return std::nullopt;
    return connections_->last_look();
  }
  void remove_socket() const noexcept {
    if (listener_) listener_->remove_path();
  }
  std::uint64_t refused_connections() const noexcept { return connections_ ? connections_->refused() : 0; }

 private:
  void start_file();
  void start_leopard_folder();
  void start_listening();
  bool is_to_be_followed(const std::string& path, std::string_view start) const;
  void follow_lines(const std::string& path);
  void read_whole(const std::string& path);
  void read_pipe(const std::string& path);
  void read_standard_input(const std::string& name);
  void take_last_line(NativeStream& stream);
  void doubt_cut(const std::string& name, Time since);
  void read_leopard(ByteStream& stream, ClientFeed& feed, LeopardStream::Numbers& numbers);

  void spawn(std::function<void()> body);
  void end_one();
  void keep_problem() noexcept;
  bool rest();  // Pauses briefly; false if stopped.

  WatchEngine& engine_;
  SourceOptions options_;
  std::string name_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<WatchConnections> connections_;
  int wake_ = -1;  // Readable once stopped.
  std::atomic<bool> stopped_ = false, failed_ = false;

  mutable std::mutex mutex_;  // Guards everything below.
  std::exception_ptr problem_;
  std::vector<std::thread> threads_;
  std::size_t running_ = 0;
};

}  // namespace serval::watch
