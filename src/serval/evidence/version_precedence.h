#pragma once
// Orders of versions that rest on an assumption, as evidence: plain data, re-proved by verify_witness.

#include <vector>

#include "serval/evidence/order_basis.h"
#include "serval/history/ids.h"

namespace serval {

// One version of a key comes before another on `basis`. Versions are named by the writes that made them,
// none() for the initial one. Of the operations that show it `seen_earlier` read or wrote the one (none()
// where that is the initial version) and `seen_later` the other; what connects the two the basis says:
//
//   Reads             one transaction did both: it read the earlier version and wrote the later one
//   Versions          the database gave the first a smaller version number
//   CommitOrder       they are the writes, and the writers committed in this order
//   SequentialKeys    their transactions are of one session, in this order
//   LinearizableKeys  the first one's transaction ended before the second one's began
struct VersionPrecedence {
  OperationId earlier, later;
  OrderBasis basis;
  OperationId seen_earlier, seen_later;
};

// What `basis` says of a key contradicts what is known otherwise: each version precedes the next, and the
// last the first. The first step is one of `basis`.
struct VersionContradiction {
  KeyId key;
  OrderBasis basis;
  std::vector<VersionPrecedence> steps;
};

}  // namespace serval
