#pragma once
// Decides tiny histories of registers and lists at every level by trying everything, directly from the
// definitions of docs/levels.md. It is the oracle for every engine, so it must be obviously correct: it
// is slow, avoids cleverness, and shares nothing with the engines except History and Level.
//
//   executions.h      serializable and snapshot levels: every order, every interleaving, replayed
//   commit_orders.h   levels defined by an order of all transactions: every order that explains the reads
//   version_orders.h  levels below read-committed: every order of versions

#include <vector>

#include "oracle/story.h"

namespace serval::oracle {

// All levels, weakest first.
const std::vector<Level>& decidable_levels();

// A write of a value that was not recorded may have written anything: the level holds if it holds for
// some choice of these values.
//
// Requires that there are no predicates, and that no key is both list and register. The time is
// exponential in the number of transactions; 6 take milliseconds at most.
bool satisfies(const History& history, Level level);
LevelSet satisfied_levels(const History& history);

}  // namespace serval::oracle
