#pragma once
// Every history of a small universe, once: a program that makes choices is run again and again, each time
// with the next combination of choices (in the spirit of TigerBeetle's exhaustigen). Histories that differ
// only in the names of keys and values, or in the order in which their sessions are listed, are visited once.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "oracle/draft.h"

namespace serval::oracle {

// Answers questions with every combination of answers in turn.
//
//   Choices choices;
//   do { use(choices.below(2), choices.below(3)); } while (choices.advance());   // 6 rounds
class Choices {
 public:
  // Below `bound`, which must be at least 1 and the same in every round that made the same choices before it.
  int below(int bound);
  // On to the next combination; false after the last.
  bool advance();

 private:
  struct Choice {
    int answer, bound;
  };
  std::vector<Choice> made_;
  std::size_t next_ = 0;
};

struct Universe {
  std::string name;
  int transactions = 2;  // At most; at least one.
  int operations = 2;    // A transaction, at most; at least one.
  int keys = 2;          // At most.
  enum class Writes {
    Unique,
    ReadFirst,
    Duplicate,
    LightWeight,
    Appends,
    FaultyAppends,
    Mixed
  } writes = Writes::Unique;
  enum class Outcomes { Committed, All } outcomes = Outcomes::Committed;
  enum class Times { None, Small } times = Times::None;
  int appends = 2;  // To a list, at most.
};

// Reads range over the initial value, every value written to the key and one never written. Unique: a write
// has a value of its own. ReadFirst: so, and a transaction reads a key before it writes it
// (mini-transactions). Duplicate: writes choose between two values. LightWeight: single operations: insert,
// compare-and-set, read. Appends: every key is a list; reads show any of its elements in any order.
// FaultyAppends: reads may also end with an element twice or with one never appended. Mixed: the first key is
// a list, the others are registers with values of their own.
void for_each_history(const Universe& universe, const std::function<void(const Draft&)>& visit);

}  // namespace serval::oracle
