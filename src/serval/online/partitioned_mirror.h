#pragma once
// A mirror with several partitions of the keys and a pool of threads. The verifier's requests are grouped
// into batches. Every partition processes every batch and does the work for its own keys, so each key
// sees the order of a single thread.
//
// Reads of a transaction in different partitions depend on each other only if one may narrow the
// snapshot of another. If versions change within the snapshot's interval (KeyPartition::is_disturbed),
// the partition waits at that transaction until the others have arrived there; if several are disturbed,
// one of them judges for all. Otherwise a partition judges its part and continues.
//
// A thread that cannot proceed in its partition works in idle ones, and so does the caller while it
// waits. So no thread depends on the scheduling of another.

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "serval/online/key_partition.h"
#include "serval/online/mirror.h"
#include "serval/online/transaction_join.h"

namespace serval::online {

class PartitionedMirror : public Mirror {
 public:
  PartitionedMirror(const Profile& profile, const KeyCatalog& keys, const OnlineOptions& options);
  ~PartitionedMirror() override;
  PartitionedMirror(const PartitionedMirror&) = delete;
  PartitionedMirror& operator=(const PartitionedMirror&) = delete;

  void note(const KeyFact& fact) override;
  void install(LiveTransaction& transaction, Time horizon) override;
  void judge(LiveTransaction& transaction) override;
  void release(LiveTransaction& transaction) override;
  void forget_before(Time horizon) override;
  void flush() override;
  void settle() override;
  void give_back(std::vector<LiveTransaction*>& done, std::vector<Report>& found) override;
  std::uint64_t violation_count() const override { return join_.violation_count(); }
  std::uint64_t returned_keys() const override;
  std::uint64_t oldest_participant() const override { return join_.oldest_participant().load(); }
  OnlineStatistics statistics() override;

 private:
  static constexpr std::size_t kBatchAccesses = 4096;
  static constexpr std::size_t kMostBatches = 8;

  struct Event {
    enum class Kind : std::uint8_t { Note, Install, Judge, Forget };
    Kind kind;
    std::uint32_t number =
        0;  // Note: index of the fact. Judge: index of the meeting, if the transaction has one.
    LiveTransaction* transaction = nullptr;
    Time horizon = 0;
  };
  // Here partitions with parts of one transaction publish whether they are disturbed. Bits are
  // partitions.
  struct Meeting {
    std::uint32_t expected = 0;
    std::atomic<std::uint32_t> arrived = 0;
    std::atomic<std::uint32_t> disturbed = 0;
    std::atomic<bool> over = false;
  };
  struct Batch {
    std::vector<Event> events;
    std::vector<KeyFact> facts;
    std::deque<Meeting> meetings;
    std::size_t meeting_count = 0;  // Number in use.
    std::size_t accesses = 0;
    std::vector<LiveTransaction*> done;
    std::atomic<std::uint32_t> working = 0;  // Partitions that have not finished.
    struct Found {
      Findings findings;
      std::vector<std::size_t> ends;  // By Judge event: the number of findings after it.
    };
    std::vector<Found> found;  // By partition.

    void clear();
  };
  // A partition and its progress. The holder of the mutex works there.
  struct Lane {
    std::mutex mutex;
    std::unique_ptr<KeyPartition> keys;
    std::uint64_t batch = 0;  // Number of its current batch.
    std::size_t event = 0;
    bool met = false;  // It waits, disturbed, at the event's meeting.
  };
  enum class Progress : std::uint8_t { Moved, Blocked, Idle };

  Batch& batch(std::uint64_t number) { return batches_[number % kMostBatches]; }
  Batch& open_batch();
  void split(LiveTransaction& transaction) const;

  void run(std::uint32_t own) noexcept;
  // Works in the lane for a while, unless another thread does.
  Progress work(std::uint32_t number);
  // Works in the first lane, from `own` on, that can proceed.
  Progress work_anywhere(std::uint32_t own);
  Progress step(Lane& lane, std::uint32_t number);
  void pass(Lane& lane, std::uint32_t number, const Event& event, Batch& batch);
  bool judge(Lane& lane, std::uint32_t number, const Event& event, Batch& batch);
  bool meet(Lane& lane, std::uint32_t number, const LiveTransaction& transaction, Meeting& meeting);
  void judge_for_all(const LiveTransaction& transaction, std::uint32_t disturbed, std::uint32_t number);
  void finish_batch(Lane& lane, std::uint32_t number, Batch& batch);

  void join_what_is_through();
  void join(Batch& batch);
  void join_findings(Batch& batch, const LiveTransaction& transaction, std::size_t judged,
                     std::vector<std::size_t>& from);

  const KeyCatalog& keys_;  // Used only by the caller's thread, except for names.
  TransactionJoin join_;
  std::deque<Lane> lanes_;
  std::array<Batch, kMostBatches> batches_;
  bool is_open_ = false;                      // Batch number published_ is being filled.
  std::atomic<std::uint64_t> published_ = 0;  // Earlier batches were handed to the partitions,
  std::atomic<std::uint64_t> joined_ = 0;     // and these are done.
  std::mutex join_mutex_;

  std::mutex result_mutex_;
  std::vector<LiveTransaction*> done_;  // Guarded by it, as is the next.
  std::vector<Report> reports_;

  std::atomic<std::uint32_t> signal_ = 0;  // Changes when work arrives, or at the end.
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;  // Last, because they use the others.
};

}  // namespace serval::online
