#pragma once
// A write whose value was not recorded may have written anything. Two histories without such writes
// bound one with them:
//
//   s1: [w(x,?)]  s2: [r(x,17)] [r(y,2)]
//   s1: [w(x,?)]  s2: [r(x,?)]  [r(y,2)]     without the reads they may explain: its violations are real
//   s1: [w(x,17)] s2: [r(x,17)] [r(y,2)]     with values that fit: its executions are real
//
// A read by the same transaction after such a write reveals the value. Otherwise, values that were read
// and that nobody else left behind are assigned to writes that may have written them; all other such
// writes get values that nobody reads. This is a guess: other values may fit better.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval {

// A write of unknown value, and a read that saw the value that it is assumed to have written.
using TakenWrite = std::pair<OperationId, OperationId>;

class UnknownWrites {
 public:
  // O(operations); if there are no such writes, only one pass over the values.
  UnknownWrites(const History& history, Budget& budget);

  bool any() const noexcept { return !writes_.empty(); }
  // Writes to registers by transactions that have not aborted. Ascending.
  const std::vector<OperationId>& writes() const noexcept { return writes_; }

  // The history in which reads that such a write of another transaction may have supplied are unknown.
  History without_uncertain_reads() const;

  // The guesses, most likely first: the read that each write is assumed to have supplied. Writes that
  // are not named wrote values that nobody read.
  static constexpr std::size_t kMaxGuesses = 6;
  std::vector<TakenWrite> guess(std::size_t number) const;
  std::size_t guess_count() const noexcept { return guesses_; }
  History with_values(const std::vector<TakenWrite>& taken) const;

 private:
  // What is open about a key.
  struct OpenKey {
    std::vector<OperationId> writes;  // Last writes of their transactions whose value no own read reveals.
    std::vector<OperationId> reads;   // One for each value that nobody else left behind.
  };

  void look_at_operations(Budget& budget);
  void find_open_keys();
  void count_guesses();

  const History& history_;
  std::vector<OperationId> writes_;
  std::vector<TakenWrite> revealed_;         // Revealed by own reads. Ascending.
  std::vector<OperationId> last_;            // Those of writes_ that are visible to others.
  std::vector<bool> uncertain_;              // By key: whether it has such a write.
  std::vector<OperationId> external_reads_;  // Of such keys, before any own write of the key.
  std::vector<OperationId> known_last_;      // Last writes of known values to such keys.
  std::vector<OpenKey> open_;
  std::size_t guesses_ = 1;
};

}  // namespace serval
