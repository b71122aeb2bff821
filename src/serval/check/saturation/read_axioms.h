#pragma once
// The axioms of the weak levels that are about the reads of single transactions.

#include "serval/base/budget.h"
#include "serval/check/saturation/forced_order.h"
#include "serval/history/history.h"

namespace serval {

// Read committed of Biswas & Enea 2019, also the axiom of monotonic atomic view: T2 is visible to T3
// from its first read of T2 on, so later reads of T2's keys return T2's version or a later one.
//
//   s1: [w(x,1) w(y,1)]  s2: [w(y,2)]  s3: [r(x,1) r(y,2)]       forces T1 before T2
//
// Of the later reads of a key, only the next one matters; the others follow from it. For each pair of a
// reader and a transaction it read from, the smaller key set is looked up in the larger: O(n^1.5)
// (AWDIT, PLDI 2025), linear if transactions are short.
ForcedOrder forced_by_monotonic_reads(const History& history, const Relations& relations, Budget& budget);

// Read atomic (Bailis et al. 2014, with session order: Biswas & Enea 2019): every transaction that a
// transaction reads from, and every earlier one of its session, is entirely visible to it.
//
//   s1: [w(x,1) w(y,1)]  s2: [w(x,2)]  s3: [r(x,2) r(y,1)]       forces T1 before T2
//
// Of a session's earlier writers of a key, only the last matters. For the others, the smaller of two key
// sets is looked up in the larger: O(n^1.5) (AWDIT, PLDI 2025), linear if transactions are short.
ForcedOrder forced_by_atomic_reads(const History& history, const Relations& relations, Budget& budget);

}  // namespace serval
