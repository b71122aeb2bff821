#pragma once
// Which transactions an anomaly is about, by its evidence.

#include <vector>

#include "serval/report/explanation.h"

namespace serval {

// In the order of the story, without names. O(edges) for a cycle.
std::vector<Explanation::Participant> participants_of(const History& history, const Evidence& evidence);

// Transactions that the sentences name without their being part of the anomaly: those that saw in which order
// versions came.
std::vector<TransactionId> witnesses_of(const History& history, const Evidence& evidence);

}  // namespace serval
