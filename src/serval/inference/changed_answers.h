#pragma once
// Predicates that a transaction asked twice with different answers, although it had not written the rows
// that make the difference: whatever others did, no single state of the database gives both.
//
//   s1: [i(x,1)] [i(y,2)]   s2: [p(value < 5) {x=1}  p(value < 5) {x=1 y=2}]
//
// Only the keys of the answers are compared, and the results of COUNT: rows may have been recorded with
// other columns, and databases round sums of decimals differently each time.

#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"
#include "serval/inference/read_write_sets.h"

namespace serval {

// Of committed transactions; `source` is the earlier answer. O(operations + rows).
std::vector<FaultyRead> changed_answers(const History& history, Budget& budget);

}  // namespace serval
