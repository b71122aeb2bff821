#pragma once
// Read atomic (Bailis et al. 2014, with session order: Biswas & Enea 2019): a transaction has seen, whole,
// every one that it reads from and every earlier one of its session.
//
//   s1: [w(x,1) w(y,1)]  s2: [w(x,2)]  s3: [r(x,2) r(y,1)]       forces T1 before T2
//
// Of a session's earlier writers of a key only the last matters. Of the others the smaller of two sets of
// keys is looked up in the larger: O(n^1.5) (AWDIT, PLDI 2025), linear where transactions are
// short.

#include "serval/base/budget.h"
#include "serval/check/saturation/forced_order.h"
#include "serval/history/history.h"

namespace serval {

ForcedOrder forced_by_atomic_reads(const History& history, const Relations& relations, Budget& budget);

}  // namespace serval
