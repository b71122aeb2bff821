#pragma once
// Which keys hold a row at the start, of those that no transaction ever leaves a version of. The initial
// value of a history is what a read sees before any write, or nothing (docs/formats/jsonl.md): such a key has
// a row if somebody found it, and only then. Without this, a write that was rolled back would be enough to
// make ranges miss a row that never was.
//
//   const std::vector<bool> found = rows_found(history);
//   found[key.index]   // A transaction found the initial row, not one of its own.

#include <vector>

#include "serval/history/history.h"

namespace serval {

std::vector<bool> rows_found(const History& history);  // O(operations + rows).

}  // namespace serval
