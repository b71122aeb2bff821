#pragma once
// Whether the reads of a history fit a commit order, at the levels where a read need not see everything
// before it. Written from the definitions of docs/levels.md.
//
//   read-uncommitted    lists grow as each of their reads shows, even if these contradict each other, the
//                       appends of a transaction are adjacent, and no read shows an element too often
//   read-committed      an external read sees what an earlier transaction left behind, or the initial
//                       version; for a list, everything up to some earlier transaction's last append. Any
//                       other read sees the transaction's own last write; for a list, after everything
//                       before it
//   prefix-consistency  an external read sees the last write, or the entire list, of the transactions in its
//                       snapshot; a list read after own appends fits such a read of the same list
//
// Linear time, except for a binary search per read at prefix-consistency.

#include <cstdint>
#include <vector>

#include "serval/verify/facts.h"

namespace serval::verify {

using CommitOrder = std::vector<TransactionId>;

[[nodiscard]] Flaw flaw_of_shown_lists(const History& history, const CommitOrder& order);
[[nodiscard]] Flaw flaw_of_committed_reads(const History& history, const CommitOrder& order);
// snapshot[i]: the number of transactions of the order that are visible at position i.
[[nodiscard]] Flaw flaw_of_prefix_reads(const History& history, const CommitOrder& order,
                                        const std::vector<std::uint32_t>& snapshot);

}  // namespace serval::verify
