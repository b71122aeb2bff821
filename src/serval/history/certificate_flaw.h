#pragma once
// What is wrong with a version certificate whatever the database did: it contradicts itself, or the writes of
// its own file. Readers refuse it as bad input, so that no verdict rests on it.
//
//   if (const std::optional<OrderFlaw> flaw = find_order_flaw(history)) ...

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

// xmin <= xip < xmax, and each of the running transactions once, in their order.
bool is_consistent(const TransactionSnapshot& snapshot);
// The place of a key that an earlier place of the list has, too.
std::optional<std::size_t> find_repeated_key(const std::vector<SeenVersion>& seen);

struct OrderFlaw {
  std::size_t order = 0;    // Of Certificate::orders.
  std::size_t version = 0;  // Of its installers.
  std::string problem;
};
// An order that names a transaction twice, or one that has not written the key; orders of one key that
// contradict each other, or the commit timestamps where these are an order, too. A transaction whose range
// writes were never answered may have written anything. O(operations + versions).
std::optional<OrderFlaw> find_order_flaw(const History& history);

}  // namespace serval
