#pragma once
// Mutual exclusion (Leopard V-B): a lock is held from some moment during the operation that takes it to
// some moment during the end of its transaction. Two locks exclude each other unless both are shared.
//
//   T1: write x [10, 20]                            commit [90, 95]
//   T2:            write x [30, 40]  commit [50, 60]
//
// T1 before T2 needs T1's release before T2's acquire: 90 <= 40 is false. T2 before T1: 50 <= 20 is false.
// So no order is possible: a violation. If only one order is possible, it is a ww dependency.

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

}  // namespace serval::online
