#pragma once
// Lightweight transactions: linearizability of single-operation histories of inserts, compare-and-sets
// and reads (MTC section IV-E, Algorithm 2), in linear time, with the name of the broken rule.
//
// The successful operations of a key form a chain, each replacing the value that the previous one left.
// MTC's algorithm covers inserts and compare-and-sets; here, reads and refused operations are attached
// to the value they saw. Each operation takes effect as early as the chain and its begin allow; the key
// is linearizable exactly if none takes effect after its end. Linearizability is local (Herlihy & Wing
// 1990), so keys are checked one by one.

#include "serval/check/check_options.h"
#include "serval/evidence/verdict.h"
#include "serval/inference/reads_from.h"

namespace serval {

// Every participating transaction has at most one operation, and it reads or writes a single value.
bool is_single_operation_history(const History& history, const Relations& relations);

// Requires is_single_operation_history.
Verdict check_lightweight_transactions(const History& history, const Relations& relations,
                                       const CheckOptions& options, Budget& budget);

}  // namespace serval
