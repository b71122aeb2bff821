#pragma once
// Locks on the rows that match a condition, without knowing the rows (Leopard, journal appendix B): a
// region is a virtual record. If one statement locked rows of a region and another one covers the whole
// region, the second has to wait for the end of the first transaction.
//
//   T1: UPDATE ... WHERE a = 3      [10, 20], 2 rows                                    commit [90, 95]
//   T2:                                UPDATE ... WHERE a BETWEEN 1 AND 5  [30, 40]
//
// T2 covers what T1 locked, and completed while T1 held the locks: a violation. In Leopard identical and
// subsuming regions conflict. Here the first must also have matched a committed row (an empty region
// locks nothing, and others do not see its own writes), and the second must be a write that reads the
// current state. Disjoint regions never conflict. Overlapping regions, and those too complex to compute,
// allow no conclusion.

#include <optional>
#include <string>
#include <vector>

#include "serval/online/version_order.h"
#include "serval/predicate/region.h"

namespace serval::online {

struct RegionLock {
  Region region;
  std::string table;
  Lock lock;           // From its statement to the end of its transaction.
  bool holds = false;  // It certainly locked a committed row.
  bool waits = false;  // It would wait for such a lock.
};

// The region of a statement's condition, if it concerns one table and can be computed.
std::optional<RegionLock> region_lock_of(const Record& record);

class PredicateLocks {
 public:
  // Finds contradictions between the locks of an ended transaction and those kept.
  template <class Report>
  void judge(const RegionLock& lock, const Report& report) const {
    for (const RegionLock& other : locks_) {
      if (contradict(other, lock))
        report(exclusion_violation("rows of " + lock.table, other.lock, lock.lock));
      if (contradict(lock, other))
        report(exclusion_violation("rows of " + lock.table, lock.lock, other.lock));
    }
  }
  // Adds all locks of a transaction after they were judged, since they do not contradict each other.
  void keep(std::vector<RegionLock>& locks) {
    for (RegionLock& lock : locks) locks_.push_back(std::move(lock));
    locks.clear();
  }
  void forget_before(Time horizon) {
    std::erase_if(locks_, [&](const RegionLock& lock) { return lock.lock.release.end < horizon; });
  }
  std::size_t size() const { return locks_.size(); }

 private:
  // Whether `second` covers what `first` locked and ran while that was held.
  static bool contradict(const RegionLock& first, const RegionLock& second);

  std::vector<RegionLock> locks_;
};

}  // namespace serval::online
