#pragma once
// A copy of a history in which some operations are others: what they would be if what nobody recorded were
// known. All ids mean the same in both.
//
//   s1: [w(x,?)]  s2: [r(x,17)]        with {w(x,?), Write, 17}:  s1: [w(x,17)]  s2: [r(x,17)]

#include <span>
#include <vector>

#include "serval/history/history.h"

namespace serval {

// Key, time and rare members stay as they are.
struct ChangedOperation {
  OperationId op;
  OperationKind kind;
  Value value;  // Of the pool of the original, as is `expected`.
  Value expected = Value::nil();
};

// `changes` ascend. O(history).
History with_changes(const History& history, std::span<const ChangedOperation> changes);

// So many integers that the history neither reads nor writes. O(operations).
std::vector<Value> unused_values(const History& history, std::size_t count);

}  // namespace serval
