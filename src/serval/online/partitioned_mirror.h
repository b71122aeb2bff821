#pragma once
// The keys in several partitions, and threads that work through them side by side. Work goes in batches of
// what the verifier asked for; every partition goes through every batch and does what is about its keys, so
// each key sees the order of one thread.
//
// A transaction's reads in different partitions hang together only where one of them may narrow the snapshot
// of another. Where versions change within the snapshot's interval (KeyPartition::is_disturbed), a partition
// waits at that transaction until the others have come there, and if several are disturbed, one of them
// judges for all. Where none change, that part of the transaction needs nobody, and its partition goes on.
//
// No thread waits for another one to be given a processor: who cannot go on in its partition works in those
// that others have left, and so does the caller while it waits.

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
    std::uint32_t number = 0;  // Note: of the fact. Judge: of the meeting, if the transaction has one.
    LiveTransaction* transaction = nullptr;
    Time horizon = 0;
  };
  // Where partitions with parts of one transaction tell each other whether they are disturbed. Bits are
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
    std::size_t meeting_count = 0;  // Of those in use.
    std::size_t accesses = 0;
    std::vector<LiveTransaction*> done;
    std::atomic<std::uint32_t> working = 0;  // Partitions that are not through.
    struct Found {
      Findings findings;
      std::vector<std::size_t> ends;  // By Judge event: how many there were after it.
    };
    std::vector<Found> found;  // By partition.

    void clear();
  };
  // A partition, and how far it has come. Whoever holds the mutex works there.
  struct Lane {
    std::mutex mutex;
    std::unique_ptr<KeyPartition> keys;
    std::uint64_t batch = 0;  // Its number.
    std::size_t event = 0;
    bool met =
        false;  // It has arrived at the event's meeting, disturbed, and does not go on before it is over.
  };
  enum class Progress : std::uint8_t { Moved, Blocked, Idle };

  Batch& batch(std::uint64_t number) { return batches_[number % kMostBatches]; }
  Batch& open_batch();
  void split(LiveTransaction& transaction) const;

  void run(std::uint32_t own) noexcept;
  // Works in the lane for a while, unless somebody else does.
  Progress work(std::uint32_t number);
  // In the first lane, from `own` on, that can be moved.
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

  const KeyCatalog& keys_;  // Only by the caller's thread, but for names.
  TransactionJoin join_;
  std::deque<Lane> lanes_;
  std::array<Batch, kMostBatches> batches_;
  bool is_open_ = false;                      // The batch with the number published_ is being filled.
  std::atomic<std::uint64_t> published_ = 0;  // Batches before it are given to the partitions,
  std::atomic<std::uint64_t> joined_ = 0;     // those before it are done.
  std::mutex join_mutex_;

  std::mutex result_mutex_;
  std::vector<LiveTransaction*> done_;  // Under it, as is the next.
  std::vector<Report> reports_;

  std::atomic<std::uint32_t> signal_ = 0;  // Changes when there is work, or no more.
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;  // Last: they use all the others.
};

}  // namespace serval::online
