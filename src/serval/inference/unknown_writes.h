#pragma once
// Writes whose value was not recorded may have written anything. Two histories without such writes bracket
// one that has them:
//
//   s1: [w(x,?)]  s2: [r(x,17)] [r(y,2)]
//   s1: [w(x,?)]  s2: [r(x,?)]  [r(y,2)]     without what they may explain: its violations are violations
//   s1: [w(x,17)] s2: [r(x,17)] [r(y,2)]     with values that fit: an execution of it is an execution
//
// A read of its own transaction after such a write tells the value. Otherwise values that were read and that
// nobody else left behind are given to those that may have written them, and all others write what nobody
// reads. That is a guess: there may be other values that fit better.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval {

// A write of unknown value, and a read that saw what it is taken to have written.
using TakenWrite = std::pair<OperationId, OperationId>;

class UnknownWrites {
 public:
  // O(operations); a glance at the values where there are none.
  UnknownWrites(const History& history, Budget& budget);

  bool any() const noexcept { return !writes_.empty(); }
  // Of registers, by transactions that have not aborted. Ascending.
  const std::vector<OperationId>& writes() const noexcept { return writes_; }

  // Whatever such a write may have supplied to another transaction was not read.
  History without_uncertain_reads() const;

  // The guesses, the likeliest first: which read each write is taken to have supplied. Writes that are not
  // named wrote what nobody read.
  static constexpr std::size_t kMostGuesses = 6;
  std::vector<TakenWrite> guess(std::size_t number) const;
  std::size_t guess_count() const noexcept { return guesses_; }
  History with_values(const std::vector<TakenWrite>& taken) const;

 private:
  // What is open about one key.
  struct OpenKey {
    std::vector<OperationId> writes;  // The last of their transactions, and no own read tells their value.
    std::vector<OperationId> reads;   // One for each value that nobody else left behind.
  };

  void look_at_operations(Budget& budget);
  void find_open_keys();
  void count_guesses();

  const History& history_;
  std::vector<OperationId> writes_;
  std::vector<TakenWrite> told_;             // By own reads. Ascending.
  std::vector<OperationId> last_;            // Those of writes_ that others may see.
  std::vector<bool> uncertain_;              // By key: has one of them.
  std::vector<OperationId> external_reads_;  // Of such keys, before any own write of the key.
  std::vector<OperationId> known_last_;      // Last writes of such keys, of known values.
  std::vector<OpenKey> open_;
  std::size_t guesses_ = 1;
};

}  // namespace serval
