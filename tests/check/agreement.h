#pragma once
// Compares what check() says about a tiny history with what the oracle says, and re-proves it.

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

Comparison compare(const History& history, Level level);

// Every transaction has at most one operation: what linearizable is about.
bool is_single_operation(const History& history);

// Mini-transactions with certain reads (MTC Definition 9, made a little wider): every value that is read has
// one possible writer, and every transaction reads a key before it writes it, except that a key whose initial
// version nobody reads and overwrites may have one write without a read. Such histories must be decided.
bool must_be_decided(const History& history);

}  // namespace serval::oracle
