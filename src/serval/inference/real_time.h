#pragma once
// Real-time order without its n^2 edges: the transactions by their ends, a chain. A transaction comes after
// exactly those whose end is strictly before its begin, that is, after a prefix of the chain, so one edge
// from the last of that prefix says it all. An indeterminate transaction never ends: nothing is known to
// follow it.
//
//   a: [1,2]  b: [3,5]  c: [6,9]     ends a b c;  b comes after {a}, c after {a, b}
//
// O(n) when the history is in the order of its ends, as recorders write it, else O(n log n).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval {

struct RealTimeOrder {
  static constexpr std::uint32_t kNothing = 0;

  std::vector<TransactionId> by_end;        // Those that take part and have an end, ascending.
  std::vector<std::uint32_t> predecessors;  // By transaction: how many of by_end ended before it began.
};

RealTimeOrder real_time_order(const History& history, const std::vector<bool>& takes_part, Budget& budget);

// A clock that contradicts itself proves nothing: a transaction that ends before it begins, or one that ends
// before an earlier one of its session begins. The first such case in words; nullopt: the times can be used.
std::optional<std::string> find_clock_contradiction(const History& history);

}  // namespace serval
