#pragma once
// The transactions of an anomaly, from its evidence.

#include <vector>

#include "serval/report/explanation.h"

namespace serval {

// In the order of the explanation, without names. O(edges) for a cycle.
std::vector<Explanation::Participant> participants_of(const History& history, const Evidence& evidence);

// Transactions that the explanation names although they are not part of the anomaly: their reads show the
// order of versions.
std::vector<TransactionId> witnesses_of(const History& history, const Evidence& evidence);

}  // namespace serval
