#pragma once
// Checks a commit order as witness for one of the weak levels of Biswas & Enea: it contains every
// transaction that counts exactly once, it contains reads-from and session order, and no read saw an
// older version than its transaction had to see. Near linear; causal O(reads * sessions * log).

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

// Monotonic atomic view, read committed (monotonic), read atomic and causal.
bool shown_by_commit_order(Level level);
Flaw flaw_of_commit_order(const History& history, const Holds& claim);

}  // namespace serval::verify
