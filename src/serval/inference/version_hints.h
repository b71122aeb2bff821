#pragma once
// Extends the version order known from reads by assumptions about the database (order_basis.h). For each
// key, a source says "this version is not later than that one":
//
//   s1: [w(x,1)] [w(x,2)]                      sequential-keys: 1 before 2
//   s1: [w(x,1)]@0..5   s2: [r(x,2)]@6..9      linearizable-keys: 1 before 2
//
// Sources are added one at a time, in the order of kAssumableBases, after the order known from reads. A
// source that contradicts earlier ones on a key is not used on that key, and the contradiction is
// recorded: no execution satisfies the assumption. If all versions of a key are ordered, its order is
// complete.
//
// Registers only, and only versions that a read saw or a participating transaction left behind. For real
// time only the nearest pairs are kept, so a key with n accesses, at most c of them concurrent, costs
// O(n (c + log n)).

#include <vector>

#include "serval/base/budget.h"
#include "serval/evidence/order_basis.h"
#include "serval/history/history.h"
#include "serval/inference/reads_from.h"

namespace serval {

// Assumptions, and the commit order if it is not taken from the history's hints.
struct VersionHints {
  Assumptions assumptions;
  // By transaction, Elle's :transaction-order: the writer with the smaller number installed its version
  // first. Empty: the commit timestamps in the history's hints. kNoPosition: unknown.
  static constexpr std::int64_t kNoPosition = INT64_MIN;
  std::vector<std::int64_t> transaction_order = {};
};

// Adds to later, overwriter, hinted and contradictions of `relations`, and removes writes that are now
// ordered from open_writes.
void add_version_hints(const History& history, const VersionHints& hints, Relations& relations,
                       Budget& budget);

}  // namespace serval
