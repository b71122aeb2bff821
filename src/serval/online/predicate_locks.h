#pragma once
// Locks on the rows that a condition is true of, without knowing which they are (Leopard, journal appendix
// B): a region is a virtual record. Where one statement locked rows of a region and another one covers the
// whole of it, the second has to wait for the first one's end.
//
//   T1: UPDATE ... WHERE a = 3      [10, 20], 2 rows                                    commit [90, 95]
//   T2:                                UPDATE ... WHERE a BETWEEN 1 AND 5  [30, 40]
//
// T2 covers what T1 locked and returned while T1 held it: a violation. Leopard takes identical and subsuming
// regions for conflicts; here the first must also have matched a committed row (an empty region locks
// nothing, and what it wrote itself nobody else sees), and the second must be a write that looks at what is
// there now. Disjoint regions never conflict; overlapping ones, and those too complex to compute, may or may
// not: nothing is concluded.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serval/online/mutual_exclusion.h"
#include "serval/online/profile.h"
#include "serval/predicate/region.h"

namespace serval::online {

struct RegionLock {
  Region region;
  std::string table;
  Lock lock;           // Of its statement and its transaction's end.
  bool holds = false;  // It certainly locked a committed row.
  bool waits = false;  // It would have waited for such a lock.
};

// The region of a statement's condition, if it is one table's and can be computed.
std::optional<RegionLock> region_lock_of(const Record& record);

class PredicateLocks {
 public:
  // Finds what contradicts the lock of a transaction that has ended among those that are kept.
  template <class Report>
  void judge(const RegionLock& lock, const Report& report) const {
    for (const RegionLock& other : locks_) {
      if (contradict(other, lock)) report(violation(other, lock));
      if (contradict(lock, other)) report(violation(lock, other));
    }
  }
  // All of a transaction, once they have been judged: they do not contradict each other.
  void keep(std::vector<RegionLock>& locks) {
    for (RegionLock& lock : locks) locks_.push_back(std::move(lock));
    locks.clear();
  }
  void forget_before(Time horizon) {
    std::erase_if(locks_, [&](const RegionLock& lock) { return lock.lock.release.end < horizon; });
  }
  std::size_t size() const { return locks_.size(); }

 private:
  // Whether `second` covers what `first` locked, and ran while it was held.
  static bool contradict(const RegionLock& first, const RegionLock& second);
  static Violation violation(const RegionLock& first, const RegionLock& second);

  std::vector<RegionLock> locks_;
};

}  // namespace serval::online
