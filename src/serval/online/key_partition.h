#pragma once
// Some of the keys, with their versions and locks: installs what transactions wrote there and judges what
// they read, wrote and locked there. What it finds goes into found().
//
//   partition.note(fact);                          // Of a key, before its first access.
//   partition.install(transaction, part, horizon); // At its end.
//   partition.judge(transaction, part);            // When all that began before its end is installed.
//
// Of a transaction with accesses in several partitions each judges its own part, unless reads in several of
// them narrow one snapshot: `is_disturbed` says whether its own do. Then one of them judges the parts of all
// that are, while the others wait.

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

  // Its birth, its initial value or its end.
  void note(const KeyFact& fact);
  // No snapshot taken by those not yet judged is before `horizon`.
  void install(LiveTransaction& transaction, std::span<const std::uint32_t> part, Time horizon);

  void judge(const LiveTransaction& transaction, std::span<const std::uint32_t> part);
  // The same in two steps. Whether other partitions' reads may tell more; changes nothing.
  bool is_disturbed(const LiveTransaction& transaction, std::span<const std::uint32_t> part);
  void judge_prepared(const LiveTransaction& transaction, std::span<const std::uint32_t> part);
  // Judges accesses of its own and of `others`, who wait.
  void judge_for(std::span<KeyPartition* const> others, const LiveTransaction& transaction,
                 std::span<const std::uint32_t> part);

  Findings& found() { return state_.found; }
  // How many keys came back that were evicted; any thread may ask.
  std::uint64_t returned_keys() const { return returned_.load(std::memory_order_relaxed); }
  OnlineStatistics statistics() const;  // O(keys).

 private:
  void install_version(LiveTransaction& transaction, const Access& access, Time horizon);
  void note_lock(const LiveTransaction& transaction, const Access& access, Time horizon);
  void trim(KeyState& key, Time horizon);
  void create(const KeyFact& fact);
  void evict(const KeyFact& fact);

  OnlineOptions options_;
  PartitionState state_;
  ReadJudge read_judge_;
  WriteJudge write_judge_;
  // What was left of keys that were evicted.
  struct Cold {
    StoredValue value;
    bool had_delete = false;
  };
  absl::flat_hash_map<KeyTable::Hash, Cold> cold_;
  bool lost_cold_keys_ = false;  // Some are not even there, so of a new key nothing is known.
  std::uint64_t hot_ = 0;        // States in use.
  std::atomic<std::uint64_t> returned_ = 0;
};

}  // namespace serval::online
