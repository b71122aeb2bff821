#pragma once
// Which keys without any installed version hold a row at the start. Before any write, a read sees the
// initial value of the history or nothing (docs/formats/jsonl.md), so such a key holds a row only if a
// transaction found it. Otherwise a single write that was rolled back would make a range read seem to
// miss a row that never existed.
//
//   const std::vector<bool> found = rows_found(history);
//   found[key.index]   // A transaction found the initial row, not one of its own.

#include <vector>

#include "serval/history/history.h"

namespace serval {

std::vector<bool> rows_found(const History& history);  // O(operations + rows).

}  // namespace serval
