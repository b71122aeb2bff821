#pragma once
// Judges the writes and locks of a transaction against other writers and lock holders of each key, by
// mutual exclusion and first updater wins, and links its versions to the preceding ones.

#include <span>

#include "serval/online/live_transaction.h"
#include "serval/online/partition_state.h"
#include "serval/online/version_order.h"

namespace serval::online {

class WriteJudge {
 public:
  explicit WriteJudge(PartitionState& state) : state_(state) {}

  // `snapshot` is narrowed by the reads.
  void judge(const LiveTransaction& transaction, std::span<const std::uint32_t> part,
             const Interval& snapshot);
  // Whether some write of `part` depends on when the transaction took its snapshot.
  static bool depends_on_snapshot(const LiveTransaction& transaction, std::span<const std::uint32_t> part);

 private:
  void judge_version(const LiveTransaction& transaction, const Access& access, std::size_t own);
  void compare(const Access& access, const Version& a, const Version& b);
  void link(const Access& access, Version& before, const Version& own);
  void judge_locks(const LiveTransaction& transaction, const Access& access);
  void judge_lock(const Access& access, const Lock& own);
  void compare(const Access& access, const Lock& a, const Lock& b);

  PartitionState& state_;
};

}  // namespace serval::online
