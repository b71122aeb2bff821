#pragma once
// Rows that one transaction inserts under a key that another has deleted. They are different objects
// (Adya 1999). A unique index makes the insert wait for the delete, but with snapshots the delete need
// not be visible to the insert, and the two are not updates of one object:
//
//   s1: [r(c,1) d(c) w(b,3)]  s2: [r(b,0) i(c,2)]     PostgreSQL allows it at REPEATABLE READ
//
// If the key were one register, this would violate snapshot isolation. Only a version certificate
// distinguishes the rows, so in a history without one a violation counts only if it remains without such
// keys (decision 011).

#include <vector>

#include "serval/history/history.h"
#include "serval/levels/level.h"

namespace serval {

// Whether the level concerns what is visible to snapshots, or updates of one object.
bool tells_new_rows_apart(Level level);

// Keys that one non-aborted transaction inserts or writes (an upsert inserts a row if there is none) and
// another deletes. Ascending. O(operations).
std::vector<KeyId> renewed_keys(const History& history);

// The same history, with nothing known about these keys.
History without_keys(const History& history, const std::vector<KeyId>& keys);

}  // namespace serval
