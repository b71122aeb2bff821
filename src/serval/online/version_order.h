#pragma once
// Which of two committed versions of a key came first, by all mechanisms together: install times, locks
// of the writers (mutual_exclusion.h) and snapshots of the writers (first_updater_wins.h).

#include "serval/online/first_updater_wins.h"
#include "serval/online/key_state.h"
#include "serval/online/mutual_exclusion.h"

namespace serval::online {

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
