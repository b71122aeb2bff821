#pragma once
// Enumerates every history of a small universe: a program that makes choices is run repeatedly, each
// time with the next combination of choices (in the spirit of TigerBeetle's exhaustigen). Histories that
// differ only in the names of keys and values, or in the order in which their sessions are listed, are
// visited once.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "oracle/draft.h"

namespace serval::oracle {

// Makes choices, in every combination in turn.
//
//   Choices choices;
//   do { use(choices.below(2), choices.below(3)); } while (choices.advance());   // 6 rounds
class Choices {
 public:
  // A number below `bound`, which must be at least 1 and the same in every round that made the same
  // choices before it.
  int below(int bound);
  // Advances to the next combination; false after the last.
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
  int transactions = 2;  // The largest number; there is at least one.
  int operations = 2;    // The largest number per transaction; each has at least one.
  int keys = 2;          // The largest number.
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
  int appends = 2;  // The largest number per list.
};

// Reads range over the initial value, every value written to the key, and one that is never written.
//   Unique         every write has a value of its own
//   ReadFirst      as Unique, and a transaction reads a key before it writes it (mini-transactions)
//   Duplicate      writes choose between two values
//   LightWeight    single operations: insert, compare-and-set, read
//   Appends        every key is a list; reads show any of its elements in any order
//   FaultyAppends  reads may also end with a repeated element or with one that was never appended
//   Mixed          the first key is a list, the others are registers with unique values
void for_each_history(const Universe& universe, const std::function<void(const Draft&)>& visit);

}  // namespace serval::oracle
