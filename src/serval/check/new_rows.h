#pragma once
// Rows that were inserted after a delete by somebody else. Adya 1999: the new row is another object than the
// deleted one. The insert follows the delete, as a unique index makes it, but where transactions have
// snapshots it need not see it, and the two are not two updates of one object:
//
//   s1: [r(c,1) d(c) w(b,3)]  s2: [r(b,0) i(c,2)]     PostgreSQL allows it at REPEATABLE READ
//
// Taken for one register it is a violation of snapshot isolation. Which rows are which only a version
// certificate tells. So of a history without one, a violation at those levels counts only if it stands
// without the keys in question (decision 011).

#include <vector>

#include "serval/check/level.h"
#include "serval/history/history.h"

namespace serval {

// Whether the level is about what is visible to snapshots, or about updates of one object.
bool tells_new_rows_apart(Level level);

// Keys that one transaction inserts or writes (an upsert makes a row where there is none) and another
// deletes, none of them aborted. Ascending. O(operations).
std::vector<KeyId> renewed_keys(const History& history);

// The same history, in which nothing is known of these keys.
History without_keys(const History& history, const std::vector<KeyId>& keys);

}  // namespace serval
