#pragma once
// What several reads of a list prove together. Plain data: produced by inference, shown in reports,
// re-proved by verify_witness.

#include "serval/history/ids.h"

namespace serval {

// Two reads of a list, neither of which shows a prefix of the other. Elements of transactions that do
// not count are ignored.
struct OrderConflict {
  KeyId key;
  OperationId first, second;
};

// A list that shows an element of an aborted transaction before one of a committed transaction.
struct DirtyUpdate {
  KeyId key;
  OperationId aborted, update;  // The appends.
  OperationId read;             // Shows both.
};

}  // namespace serval
