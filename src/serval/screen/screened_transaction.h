#pragma once
// A transaction as a screen takes it: what its line in a recording says, with values of one pool.

#include <vector>

#include "serval/history/operation.h"
#include "serval/history/transaction.h"
#include "serval/history/value.h"

namespace serval {

struct ScreenedOperation {
  OperationKind kind = OperationKind::Read;
  Value key, value;
  Value expected;               // CompareAndSet and CompareAndSetMiss only.
  std::vector<Value> elements;  // ReadList only: what it showed, oldest first.
};

struct ScreenedTransaction {
  Value session;
  Outcome outcome = Outcome::Committed;
  Interval interval;
  std::vector<ScreenedOperation> operations;
};

// A value that a transaction which has not ended has written or appended, or may have.
struct OpenWrite {
  Value key, value;
  bool appends = false;
};

}  // namespace serval
