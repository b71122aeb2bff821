#pragma once
// Which of two committed versions of a key came first, by all mechanisms together: install times, locks of
// the writers and snapshots of the writers; and the violations if neither order is possible.
//
// Mutual exclusion (Leopard V-B): a lock is held from some moment during the operation that takes it to
// some moment during the end of its transaction. Two locks exclude each other unless both are shared.
//
//   T1: write x [10, 20]                            commit [90, 95]
//   T2:            write x [30, 40]  commit [50, 60]
//
// T1 before T2 needs T1's release before T2's acquire: 90 <= 40 is false. T2 before T1: 50 <= 20 is false.
// So no order is possible: a violation. If only one order is possible, it is a ww dependency.
//
// First updater wins (Leopard V-C): if two committed transactions wrote a key, one committed before the
// other took its snapshot; otherwise the second would have been aborted.
//
//   T1: snapshot [10, 12]  commit [50, 55]
//   T2:   snapshot [20, 22]      commit [60, 65]
//
// T1 before T2 needs 50 <= 22, T2 before T1 needs 60 <= 12: neither, so one of the updates is lost.
//
// A row that is deleted and inserted again is a new object, and no snapshot forbids that insert. So this
// rule does not apply to keys that were ever deleted.

#include "serval/online/key_state.h"
#include "serval/online/violation.h"

namespace serval::online {

// Whether the first lock may have been released before the second was taken.
inline bool locks_allow(const Version& first, const Version& second) {
  return !first.exclusive || !second.exclusive || first.release_begin <= second.acquire.end;
}

inline bool conflict(LockMode a, LockMode b) {
  return a != LockMode::None && b != LockMode::None && (a == LockMode::Exclusive || b == LockMode::Exclusive);
}

// Whether two conflicting locks of different transactions cannot both have been granted.
inline bool locks_contradict(const Lock& a, const Lock& b) {
  return conflict(a.mode, b.mode) && a.release.begin > b.acquire.end && b.release.begin > a.acquire.end;
}

// The lock of the transaction that wrote a version.
Lock lock_of(const Version& version);

Violation exclusion_violation(const std::string& key, const Lock& a, const Lock& b);

// Whether the first may have committed before the second took its snapshot, if the rule requires it.
inline bool snapshots_allow(const Version& first, const Version& second, const KeyState& key) {
  return !second.first_updater_wins || key.had_delete || first.install.begin <= second.snapshot_end;
}

// Two writers for which no order of snapshots and commits is possible.
Violation lost_update_violation(const std::string& key, const Version& a, const Version& b);
// Two writers that both read `seen` before they wrote.
Violation second_update_violation(const std::string& key, const Version& seen, const Version& a,
                                  const Version& b);
// Two writers whose locks imply one order and whose snapshots the other.
Violation order_violation(const std::string& key, const Version& a, const Version& b);

enum class VersionOrder : std::uint8_t {
  Before,      // Certainly.
  After,       // Certainly.
  Unknown,     // Either is possible.
  Impossible,  // Neither is possible: a contradiction.
};

inline bool may_precede(const Version& first, const Version& second, const KeyState& key) {
  return first.install.begin <= second.install.end && locks_allow(first, second) &&
         snapshots_allow(first, second, key);
}

inline VersionOrder order_of(const Version& a, const Version& b, const KeyState& key) {
  if (a.transaction == 0) return VersionOrder::Before;
  if (b.transaction == 0) return VersionOrder::After;
  if (a.uncertain || b.uncertain) return VersionOrder::Unknown;
  const bool before = may_precede(a, b, key), after = may_precede(b, a, key);
  if (before) return after ? VersionOrder::Unknown : VersionOrder::Before;
  return after ? VersionOrder::After : VersionOrder::Impossible;
}

}  // namespace serval::online
