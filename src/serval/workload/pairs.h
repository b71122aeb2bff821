#pragma once
// Pairs of fresh rows of which at most one may ever exist. A client reads one row and inserts the other,
// before or after the read, if the first is absent. Other clients update rows that were just inserted.
// Two clients that miss each other's row cause a write skew that single rows show:
//
//   s1: [r(left,nil) i(right,1)]   s2: [i(left,2) r(right,nil)]
//
// PostgreSQL up to 12.3 lets both commit if a third transaction updates the new row between the insert
// and the read (commit 5940ffb2; Jepsen's report on 12.3). Hence the updates, and the insert before the
// read, which leaves no predicate lock for the other's insert to conflict with.
//
// The two rows of a pair are in different tables, so that locks on index pages do not cover both.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo pairs_workload();

}  // namespace serval
