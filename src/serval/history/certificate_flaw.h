#pragma once
// Errors in a version certificate that do not depend on the database: it contradicts itself, or the
// writes of its own file. Readers reject it as bad input, so that no verdict rests on it.
//
//   if (const std::optional<OrderFlaw> flaw = find_order_flaw(history)) ...

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

// xmin <= xip < xmax, and the running transactions ascend without duplicates.
bool is_consistent(const TransactionSnapshot& snapshot);
// The position of the first key that occurred earlier in the list.
std::optional<std::size_t> find_repeated_key(const std::vector<SeenVersion>& seen);

struct OrderFlaw {
  std::size_t order = 0;    // Index into Certificate::orders.
  std::size_t version = 0;  // Index into its installers.
  std::string problem;
};
// An order that names a transaction twice, or one that has not written the key; orders of one key that
// contradict each other, or the commit timestamps if these define an order. A transaction whose range
// writes got no response may have written any key. O(operations + versions).
std::optional<OrderFlaw> find_order_flaw(const History& history);

}  // namespace serval
