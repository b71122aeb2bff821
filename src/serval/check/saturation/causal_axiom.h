#pragma once
// Causal consistency (Biswas & Enea 2019): everything from which session order and reads-from lead to a
// transaction, in any number of steps, is visible to it.
//
//   s1: [w(x,1)]  s2: [r(x,1) w(y,1)]  s3: [w(x,2)]  s4: [r(y,1) r(x,2)]       forces T1 before T3
//
// One pass along session order and reads-from with vector clocks over sessions. Of the visible writers
// of a key, only the last of each session matters, and only if it is not also visible to the writer that
// was read from: O(operations * sessions) (AWDIT, PLDI 2025), mostly comparisons of short cached rows.
// If there are many sessions, clocks share their common parts (session_clocks.h), and only the sessions
// in which they differ are examined.

#include "serval/base/budget.h"
#include "serval/check/saturation/forced_order.h"
#include "serval/history/history.h"

namespace serval {

struct CausalOrder {
  ForcedOrder forced;  // `ascending` refers to `order`.
  // The participating transactions, along session order and reads-from; incomplete if these have a
  // cycle.
  std::vector<TransactionId> order;
};

CausalOrder forced_by_causality(const History& history, const Relations& relations, Budget& budget);

}  // namespace serval
