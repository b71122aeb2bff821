#pragma once
// Read committed of Biswas & Enea 2019, also the axiom of monotonic atomic view: T2 is visible to T3
// from its first read of T2 on, so later reads of T2's keys return T2's version or a later one.
//
//   s1: [w(x,1) w(y,1)]  s2: [w(y,2)]  s3: [r(x,1) r(y,2)]       forces T1 before T2
//
// Of the later reads of a key, only the next one matters; the others follow from it. For each pair of a
// reader and a transaction it read from, the smaller key set is looked up in the larger: O(n^1.5)
// (AWDIT, PLDI 2025), linear if transactions are short.

#include "serval/base/budget.h"
#include "serval/check/saturation/forced_order.h"
#include "serval/history/history.h"

namespace serval {

ForcedOrder forced_by_monotonic_reads(const History& history, const Relations& relations, Budget& budget);

}  // namespace serval
