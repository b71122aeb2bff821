#pragma once
// Lightweight transactions: linearizability of single-operation histories of inserts, compare-and-sets and
// reads (MTC section IV-E, Algorithm 2), in linear time, with the broken rule named.
//
// The successful operations of a key form a chain, each replacing the value that the one before left. MTC's
// algorithm knows inserts and compare-and-sets; reads and refused operations stand here beside the value they
// saw. Each operation takes effect as early as the chain and its begin allow; the key is linearizable exactly
// when none takes effect after its end. Linearizability is local (Herlihy & Wing 1990), so keys are judged
// one by one.

#include "serval/check/check_options.h"
#include "serval/evidence/verdict.h"
#include "serval/inference/reads_from.h"

namespace serval {

// Every transaction that takes part has at most one operation, and it reads or writes a single value.
bool is_single_operation_history(const History& history, const Relations& relations);

// Requires is_single_operation_history.
Verdict check_lightweight_transactions(const History& history, const Relations& relations,
                                       const CheckOptions& options, Budget& budget);

}  // namespace serval
