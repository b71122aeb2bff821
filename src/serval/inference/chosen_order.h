#pragma once
// If reads leave the order of some versions open, an order of the transactions chooses one. The choice
// proves nothing by itself, but an execution found with it does.

#include <cstdint>
#include <vector>

#include "serval/inference/reads_from.h"

namespace serval {

// Whether a version order that matters to snapshots is open, even if order_is_complete() says that it
// matters to nothing else: several unseen appends, or two updates of one version of a register.
bool leaves_choices(const Relations& relations);

// Promising orders of transactions, as ranks: the order of the history, and the order of the ends if
// these are recorded and differ. Databases mostly install versions in commit order.
std::vector<std::vector<std::uint32_t>> likely_orders(const History& history);

// The same relations with all versions ordered. Known orders are kept. Of two versions that may come in
// either order, the one of the transaction with the smaller `rank` comes first; of appends to a list,
// one whose transaction had read the last version seen, because it read nothing later. Requires that
// there are no ambiguous reads. O(n log n).
Relations with_chosen_order(const History& history, const Relations& relations,
                            const std::vector<std::uint32_t>& rank);

}  // namespace serval
