#pragma once
// Real-time order without its n^2 edges: a chain of the transactions by their ends. A transaction comes
// after exactly those whose end is strictly before its begin, that is, after a prefix of the chain, so
// one edge from the last transaction of that prefix suffices. An indeterminate transaction never ends:
// nothing is known to follow it.
//
//   a: [1,2]  b: [3,5]  c: [6,9]     ends a b c;  b comes after {a}, c after {a, b}
//
// O(n) if the history is ordered by end, as recorders write it, otherwise O(n log n).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval {

struct RealTimeOrder {
  static constexpr std::uint32_t kNothing = 0;

  std::vector<TransactionId> by_end;        // Participating transactions with an end, ascending.
  std::vector<std::uint32_t> predecessors;  // By transaction: how many of by_end ended before it began.
};

RealTimeOrder real_time_order(const History& history, const std::vector<bool>& takes_part, Budget& budget);

// A clock that contradicts itself proves nothing: a transaction that ends before it begins, or before an
// earlier one of its session begins. Describes the first such case; nullopt if the times can be used.
std::optional<std::string> find_clock_contradiction(const History& history);

}  // namespace serval
