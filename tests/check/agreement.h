#pragma once
// Compares what check() says about a tiny history with what the oracle says, and re-proves it.

#include <optional>
#include <string>

#include "oracle/brute_force.h"
#include "serval/check/check.h"
#include "serval/history/notation.h"

namespace serval::oracle {

enum class Answer { Holds, Violated, Undecided };

struct Comparison {
  Answer answer = Answer::Undecided;
  std::string complaint;  // Empty: the verdict is right, proven, and decided where it must be.
};

// `truth` says which levels hold: satisfied_levels(history). Only the engine that is chosen by itself must
// decide.
Comparison compare(const History& history, Level level, const LevelSet& truth, Engine engine = Engine::Auto);
// What survey() says that is not so; empty: nothing.
std::string complaint_about_survey(const History& history, const LevelSet& truth);

// Linearizable is about single operations, the real-time levels are about histories with times.
bool is_about(Level level, const History& history);

// What a history lets anybody know, the more the later.
//   Sources every value that is read has possible writers, all of which happened; of lists only one. No
//           transaction saw a key change.
//   Reads   every value that is read has one possible writer, and nothing is deleted.
//   Order   and the order of versions: every transaction reads a register before it writes it, except that
//   one
//           whose initial version nobody reads and overwrites may have one write without a read
//           (mini-transactions, MTC Definition 9, made a little wider); of a list, all but one transaction's
//           appends are seen.
//   Chain   and no two transactions read the same version of a register and overwrote it.
enum class Known { Nothing, Sources, Reads, Order, Chain };
Known known_of(const History& history);

// How much must be known for check() to decide a level; nothing: no engine promises it yet. One table, which
// grows with the engines.
std::optional<Known> enough_to_decide(Level level);
bool must_be_decided(const History& history, Level level);

}  // namespace serval::oracle
