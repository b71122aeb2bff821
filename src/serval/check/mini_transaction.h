#pragma once
// The mini-transaction engine (MTC sections III and IV): serializable, snapshot isolation and their
// strong-session and strict variants, in linear time (strict: O(n log n) where the history is not in time
// order).
//
// It applies where the order of every key's versions follows from the reads: each write is preceded by a read
// of its key in the same transaction (one write without a read is allowed as a key's first), and each value
// that is read was left behind by one transaction only. Both are checked. Where they fail, a violation that
// is found still stands (it rests on known edges alone); without one the verdict is Undecided. Transactions
// may have any number of operations.

#include "serval/check/check.h"
#include "serval/inference/reads_from.h"

namespace serval {

// Requires one of the six levels: decides_by_graph(level).
Verdict check_mini_transactions(const History& history, const Relations& relations, Level level,
                                const CheckOptions& options, Budget& budget);

bool decides_by_graph(Level level);

}  // namespace serval
