#pragma once
// Pairs of rows that nobody has touched before, of which at most one may ever exist: a client looks for one
// and, if it is absent, has inserted or inserts the other. Others update what has only just been inserted.
// Two clients that miss each other's row make a write skew, shown by single rows alone:
//
//   s1: [r(left,nil) i(right,1)]   s2: [i(left,2) r(right,nil)]
//
// PostgreSQL up to 12.3 lets both commit where a third transaction updates the new row between the insert
// and the read (commit 5940ffb2; Jepsen's report on 12.3): hence the updates, and hence the insert before the
// look, which leaves no predicate lock to warn of the other's insert.
//
// The two rows of a pair lie in two tables, so that locks on pages of an index do not cover both.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo pairs_workload();

}  // namespace serval
