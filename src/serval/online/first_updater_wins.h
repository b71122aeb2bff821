#pragma once
// First updater wins (Leopard V-C): of two committed transactions that wrote a key, one had committed before
// the other took its snapshot; otherwise the second would have been refused.
//
//   T1: snapshot [10, 12]  commit [50, 55]
//   T2:   snapshot [20, 22]      commit [60, 65]
//
// T1 before T2 needs 50 <= 22, T2 before T1 needs 60 <= 12: neither, so one of the updates is lost.
//
// A row that was deleted and inserted again is a new one: no snapshot forbids that insert, so keys that were
// ever deleted promise nothing here.

#include "serval/online/key_state.h"
#include "serval/online/violation.h"

namespace serval::online {

// Whether the first may have committed before the second took its snapshot, if it had to.
inline bool snapshots_allow(const Version& first, const Version& second, const KeyState& key) {
  return !second.first_updater_wins || key.had_delete || first.install.begin <= second.snapshot_end;
}

// Two writers that no order of snapshots and commits allows.
Violation lost_update_violation(const std::string& key, const Version& a, const Version& b);
// Two writers that both read `seen` before they wrote.
Violation second_update_violation(const std::string& key, const Version& seen, const Version& a,
                                  const Version& b);
// Two writers whose order the locks say in one way and the snapshots in the other.
Violation order_violation(const std::string& key, const Version& a, const Version& b);

}  // namespace serval::online
