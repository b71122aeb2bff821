#pragma once
// A copy of a history in which some operations are replaced by what they might have been, for example by
// a write whose value was not recorded, or in which times are less certain. All ids mean the same in both
// histories.
//
//   s1: [w(x,?)]  s2: [r(x,17)]        with {w(x,?), Write, 17}:  s1: [w(x,17)]  s2: [r(x,17)]
//   s1: [w(x,1)]@10..15                with a clock error of 3:    s1: [w(x,1)]@7..18

#include <span>
#include <vector>

#include "serval/history/history.h"

namespace serval {

// Key, times and rare members are unchanged.
struct ChangedOperation {
  OperationId op;
  OperationKind kind;
  Value value;  // From the pool of the original, like `expected`.
  Value expected = Value::nil();
};

// `changes` must be in ascending order. O(history).
History with_changes(const History& history, std::span<const ChangedOperation> changes);

// The intervals in which the transactions and operations certainly lay if each recorded time may be
// wrong by up to `error`, which must not be negative. Unknown times stay unknown. Timestamps of the
// database and versions stay as they are. O(history).
History with_clock_error(const History& history, Time error);

// `count` integers that the history neither reads nor writes. O(operations).
std::vector<Value> unused_values(const History& history, std::size_t count);

}  // namespace serval
