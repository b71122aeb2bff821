#pragma once
// First updater wins (Leopard V-C): if two committed transactions wrote a key, one committed before the
// other took its snapshot; otherwise the second would have been aborted.
//
//   T1: snapshot [10, 12]  commit [50, 55]
//   T2:   snapshot [20, 22]      commit [60, 65]
//
// T1 before T2 needs 50 <= 22, T2 before T1 needs 60 <= 12: neither, so one of the updates is lost.
//
// A row that is deleted and inserted again is a new object, and no snapshot forbids that insert. So the
// rule does not apply to keys that were ever deleted.

#include "serval/online/key_state.h"
#include "serval/online/violation.h"

namespace serval::online {

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

}  // namespace serval::online
