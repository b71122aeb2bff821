#pragma once
// Sorts the records of many clients by their begin as they arrive: the two-level pipeline of Leopard
// (section IV-C, Algorithm 1). Each client has its own buffer. A merge fetches batches from the clients
// that hold it back and passes on, one run at a time, the records that no client can precede any more.
//
//   Pipeline pipeline({.memory_limit = 64 << 20});
//   const auto feed = pipeline.open_client("session 1");      // Any thread; see client_feed.h.
//   while (pipeline.dispatch([&](std::span<const Record> run) { ... }) != Pipeline::Progress::Done)
//     pipeline.wait(100ms);                                   // One thread: the merge.
//
//   T1  Records leave in non-decreasing order of time.begin; records with equal begin in the order of
//       their clients, records of one client in program order. The sequence does not depend on the timing
//       of threads. (Theorem 1 of the paper)
//
// A silent client without a promise (ClientFeed::promise) holds all others back. After `idle_after` it is
// considered idle; one of several clients of a source also when twice the memory limit waits for it. A
// client that repeats its promise is in a long transaction: it is considered idle when others have no
// more room for their records, or after kLongestWait times `idle_after`.
//
// If an idle client then sends a record that begins before what has left, that record is too late to be
// judged. Of its transaction only the writes are passed on, at the current time of the merge, with an
// indeterminate outcome, so that others may have read them from then on. Earlier reads of others are in
// doubt: idle_since() and late() say whose records may be missing since when.
//
// Sources that poll their clients (SourceGate::observe) may be hostile. If several new clients let the
// whole time pass, or clients hold the merge back in turn for that long, or too much waits, the merge
// does not wait for new clients for a while.
//
// Memory: the limit plus one batch per client; more only while the merge waits for a client of a blocked
// source (see back_pressure.h). Closed and empty clients are freed. Cost: O(log clients) per run, and per
// client that is opened or closed.

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

// A snapshot for other threads.
struct PipelineStatus {
  std::uint32_t clients = 0, open_clients = 0;  // Sessions.
  std::uint64_t dispatched = 0;                 // Records.
  Time frontier = kUnknownBegin;                // Begin of the last one.
  std::size_t waiting_bytes = 0, most_bytes = 0;
  bool is_blocking = false;  // A client waits for the merge.
  std::uint64_t blocked_times = 0;
  std::chrono::nanoseconds blocked_time{0};                             // Of all clients together.
  std::optional<std::chrono::steady_clock::time_point> oldest_arrival;  // Of the waiting batches.
  std::string held_back_by;  // The client that the merge waits for, or empty.
  std::uint32_t idle_clients = 0;
  std::vector<std::string> idle;  // Some of the clients considered idle.
  std::uint64_t late_transactions = 0;
  std::vector<std::string> late;  // Some of the clients whose records came too late.
};

// Late records: their writes were not read before `since`, and are known from `until` on.
struct LateRecords {
  Time since = kUnknownEnd, until = kUnknownBegin;
};

class Pipeline {
 public:
  explicit Pipeline(const PipelineOptions& options);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Callable from any thread. One thread feeds all clients of a source.
  using Role = ClientFeed::Role;
  std::shared_ptr<ClientFeed> open_client(std::string name, std::shared_ptr<SourceGate> source,
                                          Role role = Role::Session);
  std::shared_ptr<ClientFeed> open_client(std::string name) {  // With its own source.
    return open_client(std::move(name), open_source());
  }
  std::shared_ptr<SourceGate> open_source() { return pressure_.open_source(); }
  const PipelineOptions& options() const noexcept { return options_; }
  static constexpr int kLongestWait = 30;  // Multiple of `idle_after` for a client that repeats its promise.
  void no_more_clients();                  // Once all are closed and empty, dispatch() returns Done.
  void abandon() { pressure_.abandon(); }  // Ends all waiting, after an error.
  PipelineStatus status() const;

  // Called by the merge.
  enum class Progress : std::uint8_t { Moved, Waiting, Done };
  using Sink = std::function<void(std::span<const Record>)>;
  // Passes on what is ready, at most about `most` records. Throws InputError.
  Progress dispatch(const Sink& sink, std::uint64_t most = 1u << 20);
  // Until there is news.
  void wait(std::chrono::nanoseconds span) { pressure_.await_news(seen_news_, span); }
  // From now on nothing that leaves begins before `time`; earlier records are late. Requires time <=
  // watermark().
  void promise(Time time) { last_begin_ = std::max(last_begin_, time); }
  Time frontier() const noexcept { return last_begin_; }
  // No future record of the known clients begins before this time. None if all clients have ended.
  Time watermark() const {
    if (lane_count_ > 0) return std::max(last_begin_, tree_.winner().time);
    return idle_.empty() && !has_new_clients_.load() ? kUnknownEnd : last_begin_;
  }
  // The actions of idle clients that take part begin then or later. kUnknownEnd: there are none.
  Time idle_since() const;
  const LateRecords& late() const noexcept { return late_; }

 private:
  // What the merge has fetched from a client. Its key in the tree is the begin of its next record, or the
  // client's promise.
  struct Lane {
    std::shared_ptr<ClientFeed> feed;
    std::vector<RecordBatch> run;
    std::size_t batch = 0;         // Index in the run.
    const Record* next = nullptr;  // In that batch.
    const Record* end = nullptr;   // Null if there is none.
    Time promise = kUnknownBegin;
    std::uint64_t late_transaction = Record::kNoTransaction;  // Its remaining records are late too.
    bool empty() const { return next == end; }
    Time time() const { return empty() ? promise : next->time.begin; }
    void look_at_batch();
    // Other lanes have their turn before this one is polled again.
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
  bool weaken(Lane& lane, Record& record);  // For a late transaction. False: nothing is left of the record.
  void note_late(Lane& lane, const Record& record);
  // Passes on at least one record of the winner.
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

  mutable std::mutex mutex_;  // Guards the next few.
  std::vector<std::shared_ptr<ClientFeed>> new_clients_;
  std::uint32_t sessions_ = 0, heralds_ = 0;  // Ever.
  std::uint32_t uncounted_ = 0;               // Sessions that are initial rows.
  bool complete_ = false;
  std::string held_back_by_;
  std::map<std::uint32_t, std::string> idle_names_, late_names_;  // By client.
  std::uint64_t late_transactions_ = 0;

  // Used only by the merge, except for atomics.
  std::vector<std::unique_ptr<Lane>> lanes_;  // Null: free.
  std::vector<std::uint32_t> free_slots_;     // Of lanes_.
  std::size_t lane_count_ = 0;
  MergeTree tree_;  // Over lanes_.
  std::unordered_map<const ClientFeed*, std::unique_ptr<Lane>> idle_;
  std::vector<std::shared_ptr<ClientFeed>> reported_;  // Closed, and perhaps not yet admitted.
  std::deque<Clock::time_point> strikes_;  // When clients of sources without any record were considered idle.
  LateRecords late_;
  std::uint32_t last_winner_ = 0xFFFFFFFFu;  // Client.
  std::atomic<bool> has_new_clients_ = false;
  std::atomic<std::uint32_t> open_sessions_ = 0;
  const ClientFeed* waits_for_ = nullptr;
  Clock::time_point waits_since_;
  std::optional<Clock::time_point> held_since_;  // Since then records wait and none has left.
  std::uint64_t seen_news_ = 0;
  Time last_begin_ = kUnknownBegin;            // Of the last record that left.
  std::atomic<std::uint64_t> dispatched_ = 0;  // Updated from time to time, for other threads.
  std::atomic<Time> frontier_ = kUnknownBegin;
};

}  // namespace serval
