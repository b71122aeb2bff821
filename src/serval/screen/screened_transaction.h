#pragma once
// The input of a screen: a transaction as recorded in its line, with values of one pool.

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

// A value that a running transaction has written or appended, or may have.
struct OpenWrite {
  Value key, value;
  bool appends = false;
};

}  // namespace serval
