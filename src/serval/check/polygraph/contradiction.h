#pragma once
// A small history without an order, and why it has none: the evidence that no order exists. Among a few
// transactions every open question is answered both ways, forced ones first; if all answers end in a
// cycle, the tree of questions is the proof, and parts that it does not use are dropped.

#include <cstdint>
#include <optional>
#include <vector>

#include "serval/check/polygraph/open_keys.h"
#include "serval/check/polygraph/points.h"
#include "serval/evidence/verdict.h"

namespace serval {

// A minimal subset of `transactions` that contradict each other, with the proof. Nothing if they do not
// contradict each other, or if showing it takes more questions than a fixed effort allows.
std::optional<Contradiction> smallest_contradiction(const History& history, const Relations& relations,
                                                    const OpenKeys& open, const Points& points,
                                                    const std::vector<TransactionId>& transactions,
                                                    Budget& budget);

}  // namespace serval
