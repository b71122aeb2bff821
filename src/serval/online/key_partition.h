#pragma once
// A partition of the keys with their versions and locks. It installs what transactions wrote to these
// keys and judges their reads, writes and locks. Findings go to found().
//
//   partition.note(fact);                          // Before the first access to the key.
//   partition.install(transaction, part, horizon); // At its end.
//   partition.judge(transaction, part);            // When everything that began before its end is installed.
//
// If a transaction has accesses in several partitions, each partition judges its own part, unless reads
// in several partitions narrow the same snapshot (`is_disturbed`). Then one of them judges the parts of
// all disturbed partitions while the others wait.

#include <span>

#include <absl/container/flat_hash_map.h>

#include "serval/online/key_catalog.h"
#include "serval/online/online_options.h"
#include "serval/online/partition_state.h"
#include "serval/online/read_judge.h"
#include "serval/online/write_judge.h"

namespace serval::online {

class KeyPartition {
 public:
  KeyPartition(const Profile& profile, const KeyTable& names, const std::atomic<std::uint64_t>& oldest,
               const OnlineOptions& options)
      : options_(options), state_(profile, names, oldest), read_judge_(state_), write_judge_(state_) {}
  KeyPartition(const KeyPartition&) = delete;
  KeyPartition& operator=(const KeyPartition&) = delete;

  // A new key, its initial value, or its eviction.
  void note(const KeyFact& fact);
  // No transaction that is still to be judged has a snapshot before `horizon`.
  void install(LiveTransaction& transaction, std::span<const std::uint32_t> part, Time horizon);

  void judge(const LiveTransaction& transaction, std::span<const std::uint32_t> part);
  // The same in two steps. Returns whether reads in other partitions may narrow the snapshot; changes
  // nothing.
  bool is_disturbed(const LiveTransaction& transaction, std::span<const std::uint32_t> part);
  void judge_prepared(const LiveTransaction& transaction, std::span<const std::uint32_t> part);
  // Judges its own accesses and those of `others`, which wait.
  void judge_for(std::span<KeyPartition* const> others, const LiveTransaction& transaction,
                 std::span<const std::uint32_t> part);

  Findings& found() { return state_.found; }
  // How many evicted keys came back. Callable from any thread.
  std::uint64_t returned_keys() const { return returned_.load(std::memory_order_relaxed); }
  OnlineStatistics statistics() const;  // O(keys).

 private:
  void install_version(LiveTransaction& transaction, const Access& access, Time horizon);
  void note_lock(const LiveTransaction& transaction, const Access& access, Time horizon);
  void trim(KeyState& key, Time horizon);
  void create(const KeyFact& fact);
  void restore(const KeyFact& fact, KeyState& key);
  void evict(const KeyFact& fact);

  OnlineOptions options_;
  PartitionState state_;
  ReadJudge read_judge_;
  WriteJudge write_judge_;
  // The last values of evicted keys.
  struct Cold {
    StoredValue value;
    bool or_nil = false;
    bool had_delete = false;
  };
  absl::flat_hash_map<KeyTable::Hash, Cold> cold_;
  // Evicted keys with several possible last values, at most one for each kUndecidedShare of cold keys.
  static constexpr std::size_t kUndecidedShare = 16;
  absl::flat_hash_map<KeyTable::Hash, KeyState> undecided_;
  bool lost_cold_keys_ =
      false;  // Some evicted keys were forgotten completely, so the value of a new key is unknown.
  std::uint64_t hot_ = 0;  // Number of states in use.
  std::atomic<std::uint64_t> returned_ = 0;
};

}  // namespace serval::online
