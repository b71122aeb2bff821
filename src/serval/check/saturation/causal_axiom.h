#pragma once
// Causal consistency (Biswas & Enea 2019): a transaction has seen all from which session order and reads-from
// lead to it, in any number of steps.
//
//   s1: [w(x,1)]  s2: [r(x,1) w(y,1)]  s3: [w(x,2)]  s4: [r(y,1) r(x,2)]       forces T1 before T3
//
// One walk along session order and reads-from with vector clocks over sessions. Of the writers of a key
// that a read's transaction has seen, only the last of each session matters, and only where the writer it
// read from has not seen it, too: O(operations * sessions) (AWDIT, PLDI 2025), most of it
// comparisons of short rows that are in the cache. Where sessions are many, clocks share what they have in
// common (session_clocks.h), and only sessions in which they differ are looked at.

#include "serval/base/budget.h"
#include "serval/check/saturation/forced_order.h"
#include "serval/history/history.h"

namespace serval {

struct CausalOrder {
  ForcedOrder forced;  // `ascending` speaks of `order`.
  // The transactions that take part, along session order and reads-from; some are missing when these have a
  // cycle.
  std::vector<TransactionId> order;
};

CausalOrder forced_by_causality(const History& history, const Relations& relations, Budget& budget);

}  // namespace serval
