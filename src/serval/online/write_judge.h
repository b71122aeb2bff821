#pragma once
// Judges what a transaction wrote and locked against the other writers and holders of each key, and links its
// versions to the ones before: by mutual exclusion and first updater wins.

#include "serval/online/mirrored_state.h"
#include "serval/online/version_order.h"

namespace serval::online {

class WriteJudge {
 public:
  explicit WriteJudge(MirroredState& state) : state_(state) {}

  void judge(const LiveTransaction& transaction, Time snapshot_end);

 private:
  void judge_version(const LiveTransaction& transaction, std::uint32_t number, std::size_t own);
  void compare(std::uint32_t number, const Version& a, const Version& b);
  void link(std::uint32_t number, Version& before, const Version& own);
  void judge_locks(const LiveTransaction& transaction, std::uint32_t number);
  void judge_lock(std::uint32_t number, const Lock& own);

  MirroredState& state_;
};

}  // namespace serval::online
