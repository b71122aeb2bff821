#pragma once
// More of the order of versions than reads tell, from assumptions about the database (order_basis.h). Key by
// key, every source says "this version is not later than that one":
//
//   s1: [w(x,1)] [w(x,2)]                      sequential-keys: 1 before 2
//   s1: [w(x,1)]@0..5   s2: [r(x,2)]@6..9      linearizable-keys: 1 before 2
//
// Sources are added one at a time, in the order of kAssumableBases, after what reads tell. One that
// contradicts those before it on a key is not used on that key, and the contradiction is kept: under the
// assumption no execution exists at all. Where all versions of a key are ordered, the order is complete.
//
// Registers only; versions that a read saw or a transaction left behind, of transactions that take part. For
// the real time of one key only the nearest pairs are kept, so a key with n accesses, at most c of them at
// one time, costs O(n (c + log n)).

#include <vector>

#include "serval/base/budget.h"
#include "serval/evidence/order_basis.h"
#include "serval/history/history.h"
#include "serval/inference/reads_from.h"

namespace serval {

// Assumptions, and the order of commits where the history's own hints do not tell it.
struct VersionHints {
  Assumptions assumptions;
  // By transaction, Elle's :transaction-order: the writer with the smaller number installed its version
  // first. Empty: the commit timestamps of the history's hints. kNoPlace: not known.
  static constexpr std::int64_t kNoPlace = INT64_MIN;
  std::vector<std::int64_t> transaction_order = {};
};

// Adds to later, overwriter, hinted and contradictions of `relations`, and takes what is settled from
// open_writes.
void add_version_hints(const History& history, const VersionHints& hints, Relations& relations,
                       Budget& budget);

}  // namespace serval
