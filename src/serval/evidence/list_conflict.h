#pragma once
// What the reads of a list prove about it beyond single reads. Plain data: made by inference, shown in
// reports, re-proved by verify_witness.

#include "serval/history/ids.h"

namespace serval {

// Two reads of a list, neither of which shows a prefix of the other; elements of transactions that do not
// count do not count here either.
struct OrderConflict {
  KeyId key;
  OperationId first, second;
};

// A list that shows an element of an aborted transaction before one that was appended to stay.
struct DirtyUpdate {
  KeyId key;
  OperationId aborted, update;  // The appends.
  OperationId read;             // Shows both.
};

}  // namespace serval
