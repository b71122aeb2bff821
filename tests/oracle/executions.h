#pragma once
// The serializable and the snapshot levels, decided by trying every execution. Serializable family: is
// there an order of the transactions in which each read returns the latest write before it? Snapshot
// family (Cerone & Gotsman 2016): is there an interleaving of start and commit points in which each
// transaction reads the state at its start (EXT, PREFIX) and its own writes (INT), and commits only if
// no other transaction has since committed a write to the same key (NOCONFLICT)? Session order and real
// time determine which transactions must have committed before another starts. Linearizable: real time
// without session order. Lists are state too: an append adds to what is there.
//
// Committed transactions participate, aborted ones do not, and every subset of the indeterminate ones is
// tried.

#include <span>
#include <vector>

#include "serval/history/history.h"
#include "serval/levels/level.h"

namespace serval::oracle {

const std::vector<Level>& execution_levels();
// Requires one of these levels. Exponential in the number of transactions; 6 take milliseconds at most.
bool has_execution(const History& history, Level level);

// Whether the transactions, run one after another in this order, give the answers that clients saw.
// Others do not take part.
bool is_serial_order(const History& history, std::span<const TransactionId> order);

// The same if transactions commit in this order and the one at position i reads what the first visible[i]
// of them left; and no other transaction after those writes a key that it writes before it commits.
bool is_snapshot_order(const History& history, std::span<const TransactionId> order,
                       std::span<const std::uint32_t> visible);

}  // namespace serval::oracle
