#pragma once
// Where reads leave the order of some versions open, an order of the transactions chooses one. A choice
// proves nothing by itself: an execution found with it does.

#include <cstdint>
#include <vector>

#include "serval/inference/reads_from.h"

namespace serval {

// Whether some order of versions that matters to snapshots is open, though order_is_complete() may say that
// it matters to nobody else: several appends that nobody saw; two registers' updates of one version.
bool leaves_choices(const Relations& relations);

// Orders of transactions that are likely to do, as ranks: that of the history, and that of the ends, where
// they are recorded and give another one. Databases mostly install versions in the order of commits.
std::vector<std::vector<std::uint32_t>> likely_orders(const History& history);

// The same relations with every version in its place: what is known stays, and of versions that may come in
// any order that of the transaction with the smaller `rank` comes first; of appends to a list one that had
// read the last version seen, because it read nothing later. Requires no ambiguous reads.
// O(n log n).
Relations with_chosen_order(const History& history, const Relations& relations,
                            const std::vector<std::uint32_t>& rank);

}  // namespace serval
