#pragma once
// Decides tiny histories by trying every execution, straight from the definitions. Slow on purpose and free
// of cleverness: it referees every engine, so it must be obviously right. Shares nothing with them.
//
// Serializable family: is there an order of the transactions in which each read returns the latest write
// before it? Snapshot family (Cerone & Gotsman 2016): is there an interleaving of start and commit points in
// which each transaction reads the state at its start (EXT, PREFIX) beneath its own writes (INT), and commits
// only if nobody else committed a write to the same key since (NOCONFLICT)? Session order and real time say
// who must have committed before whom starts. Linearizable: real time without session order.
//
// Committed transactions take part, aborted ones do not, and every subset of the indeterminate ones is tried.

#include <vector>

#include "serval/check/level.h"
#include "serval/history/history.h"

namespace serval::oracle {

// The levels that satisfies() decides.
const std::vector<Level>& decidable_levels();

// Requires a decidable level and a history of registers: no lists, no predicates. Time is exponential in the
// number of transactions; 6 take milliseconds at most.
bool satisfies(const History& history, Level level);

}  // namespace serval::oracle
