#pragma once
// Version orders that rest on an assumption, as evidence. Plain data, re-proved by verify_witness.

#include <vector>

#include "serval/evidence/order_basis.h"
#include "serval/history/ids.h"

namespace serval {

// One version of a key precedes another because of `basis`. Versions are identified by the writes that
// installed them, none() for the initial one. `seen_earlier` read or wrote the earlier version (none()
// if that is the initial one), and `seen_later` the later one. How the two operations are related
// depends on the basis:
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

// What `basis` says about a key contradicts what is otherwise known: each version precedes the next, and
// the last precedes the first. The first step uses `basis`.
struct VersionContradiction {
  KeyId key;
  OrderBasis basis;
  std::vector<VersionPrecedence> steps;
};

}  // namespace serval
