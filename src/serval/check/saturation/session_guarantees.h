#pragma once
// One version order per key that a session guarantee or pram allows, or why there is none.

#include <vector>

#include "serval/base/budget.h"
#include "serval/check/saturation/version_constraints.h"
#include "serval/evidence/verdict.h"

namespace serval {

struct VersionOrders {
  std::vector<Anomaly> anomalies;     // Empty: the guarantee holds for the reads that are certain.
  Jagged<TransactionId> by_key = {};  // Then the writers of every key, oldest first.
};

VersionOrders order_versions(const History& history, const Relations& relations, Level level, Budget& budget);

}  // namespace serval
