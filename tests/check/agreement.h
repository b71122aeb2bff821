#pragma once
// Compares the verdict of check() on a tiny history with the oracle's, and re-proves it.

#include <optional>
#include <string>

#include "oracle/brute_force.h"
#include "serval/check/check.h"
#include "serval/history/notation.h"

namespace serval::oracle {

enum class Answer { Holds, Violated, Undecided };

struct Comparison {
  Answer answer = Answer::Undecided;
  std::string complaint;  // Empty if the verdict is right, proven, and decided where it must be.
};

// `truth` is the set of levels that hold: satisfied_levels(history). Only Engine::Auto must decide.
Comparison compare(const History& history, Level level, const LevelSet& truth, Engine engine = Engine::Auto);
// What survey() gets wrong; empty if nothing.
std::string complaint_about_survey(const History& history, const LevelSet& truth);

// Linearizable applies to single operations, the real-time levels to histories with times.
bool is_about(Level level, const History& history);

// What can be known from a history. Each value includes the ones before it.
//   Sources  Every value that is read has possible writers, all of which happened; for lists exactly one.
//            No transaction saw a key change.
//   Reads    Every value that is read has one possible writer, and nothing is deleted.
//   Order    The order of versions: every transaction reads a register before it writes it. One exception
//            per register: if no transaction reads and overwrites its initial version, one write may be
//            blind (slightly more general than the mini-transactions of MTC, Definition 9). For a list, the
//            appends of all transactions except one are seen.
//   Chain    No two transactions read the same version of a register and overwrote it.
enum class Known { Nothing, Sources, Reads, Order, Chain };
Known known_of(const History& history);

// How much must be known for check() to decide a level; nullopt if no engine promises to. The one table
// to extend when an engine decides more.
std::optional<Known> enough_to_decide(Level level);
bool must_be_decided(const History& history, Level level);

}  // namespace serval::oracle
