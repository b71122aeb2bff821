#pragma once
// Read atomic (Bailis et al. 2014, with session order: Biswas & Enea 2019): every transaction that a
// transaction reads from, and every earlier one of its session, is entirely visible to it.
//
//   s1: [w(x,1) w(y,1)]  s2: [w(x,2)]  s3: [r(x,2) r(y,1)]       forces T1 before T2
//
// Of a session's earlier writers of a key, only the last matters. For the others, the smaller of two key
// sets is looked up in the larger: O(n^1.5) (AWDIT, PLDI 2025), linear if transactions are short.

#include "serval/base/budget.h"
#include "serval/check/saturation/forced_order.h"
#include "serval/history/history.h"

namespace serval {

ForcedOrder forced_by_atomic_reads(const History& history, const Relations& relations, Budget& budget);

}  // namespace serval
