#pragma once
// State that the judges of one partition share: keys with their versions and locks, findings and counts.
// The judge of another partition may use it while this partition waits.

#include <atomic>
#include <cstdint>
#include <deque>
#include <utility>

#include "serval/online/findings.h"
#include "serval/online/key_state.h"
#include "serval/online/key_table.h"
#include "serval/online/online_statistics.h"
#include "serval/online/profile.h"

namespace serval::online {

struct PartitionState {
  PartitionState(const Profile& used, const KeyTable& names, const std::atomic<std::uint64_t>& oldest)
      : profile(used), keys(names), oldest_participant(oldest) {}

  const Profile& profile;
  const KeyTable& keys;
  // Participants with smaller numbers are forgotten: no dependency leads or will lead to them.
  const std::atomic<std::uint64_t>& oldest_participant;
  std::deque<KeyState> states;  // By local number; addresses are stable.
  std::uint64_t walk = 0;  // The number of the last walk over a transaction's accesses; see KeyState::stamp.
  OnlineStatistics statistics;
  Findings found;

  bool is_forgotten(const Participant& participant) const {
    return participant.number < oldest_participant.load(std::memory_order_relaxed);
  }
  void report(Violation violation) { found.report({.violation = std::move(violation)}); }
  void depend(const Findings::Link& link) {
    ++statistics.deduced[static_cast<std::size_t>(link.dependency)];
    if (!is_forgotten(link.from) && !is_forgotten(link.to)) found.link(link);
  }
  void leave_uncertain(Dependency dependency) {
    ++statistics.uncertain[static_cast<std::size_t>(dependency)];
    note_overlap(dependency);
  }
  // Of a dependency that is deduced although its two intervals overlap.
  void note_overlap(Dependency dependency) { ++statistics.overlapping[static_cast<std::size_t>(dependency)]; }
};

}  // namespace serval::online
