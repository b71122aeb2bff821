#pragma once
// Orders the records of many clients by when they began, while they come in: the two-level pipeline of
// Leopard (section IV-C, Algorithm 1). Each client has a buffer of its own; a merge fetches batches from
// those that hold it back and passes on, a run at a time, what no client can precede any more.
//
//   Pipeline pipeline({.memory_limit = 64 << 20});
//   ClientFeed& feed = pipeline.open_client("session 1");     // Any thread; see client_feed.h.
//   while (pipeline.dispatch([&](std::span<const Record> run) { ... }) != Pipeline::Progress::Done)
//     pipeline.wait(100ms);                                   // One thread: the merge.
//
//   T1  records leave in non-decreasing order of time.begin, those of equal begin in the order of their
//       clients, those of one client in program order: whatever the timing of threads, the same sequence.
//       (Theorem 1 of the paper)
//
// A client that is silent and promises nothing (ClientFeed::promise) holds all others back. After
// `idle_after` it is taken for idle; one of several clients of a source also when twice the memory limit
// waits for it. Should it then come with a record that begins before what has left, dispatch() throws
// InputError that names it: better no verdict than one that rests on a wrong order.
//
// Memory: the limit, plus one batch a client; more only while the merge waits for a client of the source
// that would have to wait (see back_pressure.h). O(log clients) a run.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "serval/trace/client_feed.h"
#include "serval/trace/merge_tree.h"

namespace serval {

struct PipelineOptions {
  std::size_t batch_records = 512;
  std::size_t memory_limit = std::size_t{64} << 20;
  Time clock_error = 0;
  std::chrono::nanoseconds idle_after = std::chrono::seconds(10);
};

// A look from another thread.
struct PipelineStatus {
  std::uint32_t clients = 0, open_clients = 0;
  std::uint64_t dispatched = 0;   // Records.
  Time frontier = kUnknownBegin;  // Begin of the last one.
  std::size_t waiting_bytes = 0, most_bytes = 0;
  bool is_blocking = false;  // Some client waits for the merge.
  std::uint64_t blocked_times = 0;
  std::chrono::nanoseconds blocked_time{0};  // Of all clients together.
  std::string held_back_by;                  // The client that the merge waits for, or empty.
  std::vector<std::string> idle;             // Clients taken for idle.
};

class Pipeline {
 public:
  explicit Pipeline(const PipelineOptions& options);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Any thread. Clients of one source are fed by one thread. The feed stays valid.
  ClientFeed& open_client(std::string name, SourceGate& source);
  ClientFeed& open_client(std::string name);  // A source of its own.
  SourceGate& open_source() { return pressure_.open_source(); }
  void no_more_clients();  // Once all are closed, and empty, dispatch() is Done.
  void abandon();          // Nobody waits any more; for the end in an error.
  PipelineStatus status() const;
  std::string client_name(std::uint32_t number) const;

  // The merge.
  enum class Progress : std::uint8_t { Moved, Waiting, Done };
  using Sink = std::function<void(std::span<const Record>)>;
  // Passes on what is ready, at most about `most` records. Throws InputError.
  Progress dispatch(const Sink& sink, std::uint64_t most = 1u << 20);
  void wait(std::chrono::nanoseconds span);  // Until there is news.
  // Nothing that leaves from now on begins before it.
  Time watermark() const { return lanes_.empty() ? last_begin_ : std::max(last_begin_, tree_.winner().time); }

 private:
  // What the merge has fetched of a client. Its key in the tree is the begin of its next record, or what
  // the client promises.
  struct Lane {
    ClientFeed* feed = nullptr;
    std::vector<RecordBatch> run;
    std::size_t batch = 0;         // Of the run.
    const Record* next = nullptr;  // Of that batch.
    const Record* end = nullptr;   // Null where there is none.
    Time promise = kUnknownBegin;
    bool empty() const { return next == end; }
    Time time() const { return empty() ? promise : next->time.begin; }
    void look_at_batch();
    // Other lanes have their turns before this one is asked again.
    void prefetch() const {
      __builtin_prefetch(next->rows);
      __builtin_prefetch(next + 1);
    }
  };
  using Clock = std::chrono::steady_clock;

  void admit_new_clients();
  void look_at_idle_clients();
  void rebuild();
  enum class Fetched : std::uint8_t { Something, Nothing, End };
  Fetched fetch(Lane& lane, Time bound);
  // Passes on what the winner has, at least one record.
  std::uint64_t pass_on(Lane& lane, const Sink& sink);
  void finish_batch(Lane& lane);
  bool must_wait(Lane& lane);  // The winner has nothing.
  bool taken_for_idle(const Lane& lane);
  void remove(Lane& lane);
  void set_held_back_by(const ClientFeed* feed);

  const PipelineOptions options_;
  BackPressure pressure_;

  mutable std::mutex mutex_;  // For the next few.
  std::deque<ClientFeed> clients_;
  bool complete_ = false;
  std::string held_back_by_;
  std::vector<std::string> idle_names_;

  // Of the merge alone, but for what is atomic.
  std::vector<std::unique_ptr<Lane>> lanes_, idle_;
  MergeTree tree_;                           // Over lanes_.
  std::uint32_t last_winner_ = 0xFFFFFFFFu;  // Client.
  std::map<const SourceGate*, std::uint32_t> clients_of_source_;
  std::size_t admitted_ = 0;
  std::atomic<std::size_t> known_clients_ = 0;
  std::atomic<std::uint32_t> open_lanes_ = 0;
  const ClientFeed* waits_for_ = nullptr;
  Clock::time_point waits_since_;
  std::uint64_t seen_news_ = 0;
  Time last_begin_ = kUnknownBegin;            // Of what has left.
  std::atomic<std::uint64_t> dispatched_ = 0;  // As others see it, now and then.
  std::atomic<Time> frontier_ = kUnknownBegin;
};

}  // namespace serval
