#pragma once
// Orders the records of many clients by when they began, while they come in: the two-level pipeline of
// Leopard (section IV-C, Algorithm 1). Each client has a buffer of its own; a merge fetches batches from
// those that hold it back and passes on, a run at a time, what no client can precede any more.
//
//   Pipeline pipeline({.memory_limit = 64 << 20});
//   const auto feed = pipeline.open_client("session 1");      // Any thread; see client_feed.h.
//   while (pipeline.dispatch([&](std::span<const Record> run) { ... }) != Pipeline::Progress::Done)
//     pipeline.wait(100ms);                                   // One thread: the merge.
//
//   T1  records leave in non-decreasing order of time.begin, those of equal begin in the order of their
//       clients, those of one client in program order: whatever the timing of threads, the same sequence.
//       (Theorem 1 of the paper)
//
// A client that is silent and promises nothing (ClientFeed::promise) holds all others back. After
// `idle_after` it is taken for idle; one of several clients of a source also when twice the memory limit
// waits for it. A client that repeats its promise is in a transaction that takes long: it is taken for idle
// when others have no more room for their records, or after kLongestWait times as long.
//
// Should an idle client come with a record that begins before what has left, that record comes too late to be
// judged: of the transaction nothing but its writes is passed on, at the time that the merge has reached, and
// its outcome as indeterminate, so that others may have read them from then on. What others read before that
// is in doubt: idle_since() and late() say whose records may be missing from which time on.
//
// Sources that look for news themselves (SourceGate::observe) may be hostile: where several new clients let
// the whole time pass, or one after the other holds all back for so long, or too much waits, nobody waits for
// newcomers any more for a while.
//
// Memory: the limit, plus one batch a client; more only while the merge waits for a client of the source
// that would have to wait (see back_pressure.h). Clients that are closed and empty are freed. O(log clients)
// a run, and for a client that comes or goes.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "serval/stream/client_feed.h"
#include "serval/stream/merge_tree.h"

namespace serval {

struct PipelineOptions {
  std::size_t batch_records = 512;
  std::size_t memory_limit = std::size_t{64} << 20;
  Time clock_error = 0;
  std::chrono::nanoseconds idle_after = std::chrono::seconds(10);
};

// A look from another thread.
struct PipelineStatus {
  std::uint32_t clients = 0, open_clients = 0;  // Sessions.
  std::uint64_t dispatched = 0;                 // Records.
  Time frontier = kUnknownBegin;                // Begin of the last one.
  std::size_t waiting_bytes = 0, most_bytes = 0;
  bool is_blocking = false;  // Some client waits for the merge.
  std::uint64_t blocked_times = 0;
  std::chrono::nanoseconds blocked_time{0};                             // Of all clients together.
  std::optional<std::chrono::steady_clock::time_point> oldest_arrival;  // Of the batches that wait.
  std::string held_back_by;  // The client that the merge waits for, or empty.
  std::uint32_t idle_clients = 0;
  std::vector<std::string> idle;  // Some of the clients taken for idle.
  std::uint64_t late_transactions = 0;
  std::vector<std::string> late;  // Some of the clients whose records came too late.
};

// Of the records that came too late: nobody read them before `since`, and from `until` on they are known.
struct LateRecords {
  Time since = kUnknownEnd, until = kUnknownBegin;
};

class Pipeline {
 public:
  explicit Pipeline(const PipelineOptions& options);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Any thread. Clients of one source are fed by one thread.
  using Role = ClientFeed::Role;
  std::shared_ptr<ClientFeed> open_client(std::string name, std::shared_ptr<SourceGate> source,
                                          Role role = Role::Session);
  std::shared_ptr<ClientFeed> open_client(std::string name);  // A source of its own.
  std::shared_ptr<SourceGate> open_source() { return pressure_.open_source(); }
  const PipelineOptions& options() const noexcept { return options_; }
  static constexpr int kLongestWait = 30;  // Of `idle_after`, for a client that repeats its promise.
  void no_more_clients();                  // Once all are closed, and empty, dispatch() is Done.
  void abandon();                          // Nobody waits any more; for the end in an error.
  PipelineStatus status() const;

  // The merge.
  enum class Progress : std::uint8_t { Moved, Waiting, Done };
  using Sink = std::function<void(std::span<const Record>)>;
  // Passes on what is ready, at most about `most` records. Throws InputError.
  Progress dispatch(const Sink& sink, std::uint64_t most = 1u << 20);
  void wait(std::chrono::nanoseconds span);  // Until there is news.
  // Nothing that leaves from now on begins before `time`: whoever comes with something earlier is late.
  // Requires time <= watermark().
  void promise(Time time) { last_begin_ = std::max(last_begin_, time); }
  Time frontier() const noexcept { return last_begin_; }
  // What clients have promised: nothing of those that are known begins before it. Where there is none, all
  // has been told.
  Time watermark() const {
    if (lane_count_ > 0) return std::max(last_begin_, tree_.winner().time);
    return idle_.empty() && !has_new_clients_.load() ? kUnknownEnd : last_begin_;
  }
  // Clients taken for idle that take part: what they do begins then or later. kUnknownEnd: there are none.
  Time idle_since() const;
  const LateRecords& late() const noexcept { return late_; }

 private:
  // What the merge has fetched of a client. Its key in the tree is the begin of its next record, or what
  // the client promises.
  struct Lane {
    std::shared_ptr<ClientFeed> feed;
    std::vector<RecordBatch> run;
    std::size_t batch = 0;         // Of the run.
    const Record* next = nullptr;  // Of that batch.
    const Record* end = nullptr;   // Null where there is none.
    Time promise = kUnknownBegin;
    std::uint64_t late_transaction = Record::kNoTransaction;  // Records of it that may follow are late, too.
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
  void look_at_reported_clients();
  void look_at_idle(Lane& lane);
  void look_at_closed(Lane& lane);
  void add(std::unique_ptr<Lane> lane);
  std::unique_ptr<Lane> take_out(std::uint32_t slot);
  void forget(std::unique_ptr<Lane> lane);
  void make_room(std::size_t lanes);
  enum class Fetched : std::uint8_t { Something, Nothing, End };
  Fetched fetch(Lane& lane, Time bound);
  void take_late(Lane& lane);
  bool weaken(Lane& lane, Record& record);  // Of a late transaction. False: nothing is left of it.
  void note_late(Lane& lane, const Record& record);
  // Passes on what the winner has, at least one record.
  std::uint64_t pass_on(Lane& lane, const Sink& sink);
  void finish_batch(Lane& lane);
  bool must_wait(Lane& lane);  // The winner has nothing.
  bool taken_for_idle(Lane& lane);
  bool has_been_silent(const Lane& lane) const;
  bool trusts_newcomers() const;
  bool newcomers_hold_all(const ClientFeed& feed) const;
  bool has_been_held_for(std::chrono::nanoseconds span) const;
  void set_held_back_by(const ClientFeed* feed);

  const PipelineOptions options_;
  BackPressure pressure_;

  mutable std::mutex mutex_;  // For the next few.
  std::vector<std::shared_ptr<ClientFeed>> new_clients_;
  std::uint32_t sessions_ = 0, heralds_ = 0;  // Ever.
  std::uint32_t uncounted_ = 0;               // Of the sessions: the initial rows.
  bool complete_ = false;
  std::string held_back_by_;
  std::map<std::uint32_t, std::string> idle_names_, late_names_;  // By client.
  std::uint64_t late_transactions_ = 0;

  // Of the merge alone, but for what is atomic.
  std::vector<std::unique_ptr<Lane>> lanes_;  // Null: free.
  std::vector<std::uint32_t> free_slots_;     // Of lanes_.
  std::size_t lane_count_ = 0;
  MergeTree tree_;  // Over lanes_.
  std::unordered_map<const ClientFeed*, std::unique_ptr<Lane>> idle_;
  std::vector<std::shared_ptr<ClientFeed>> reported_;  // Closed, and perhaps not admitted yet.
  std::deque<Clock::time_point> strikes_;  // When clients of sources without a record were taken for idle.
  LateRecords late_;
  std::uint32_t last_winner_ = 0xFFFFFFFFu;  // Client.
  std::atomic<bool> has_new_clients_ = false;
  std::atomic<std::uint32_t> open_sessions_ = 0;
  const ClientFeed* waits_for_ = nullptr;
  Clock::time_point waits_since_;
  std::optional<Clock::time_point> held_since_;  // Something waits, and nothing has left.
  std::uint64_t seen_news_ = 0;
  Time last_begin_ = kUnknownBegin;            // Of what has left.
  std::atomic<std::uint64_t> dispatched_ = 0;  // As others see it, now and then.
  std::atomic<Time> frontier_ = kUnknownBegin;
};

}  // namespace serval
