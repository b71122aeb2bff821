#pragma once
// A small history without an order, and why it has none: the evidence behind "no order exists". Among few
// transactions every open question is answered either way, the forced ones first; where all answers end in a
// circle, the tree of questions is the proof, and what it does not use is left out.

#include <cstdint>
#include <optional>
#include <vector>

#include "serval/check/polygraph/open_keys.h"
#include "serval/check/polygraph/points.h"
#include "serval/evidence/verdict.h"

namespace serval {

// As few of `transactions` as contradict each other, none of which can be spared, and their proof. Nothing
// where they do not contradict each other, or where that takes more questions than a fixed effort allows.
std::optional<Contradiction> smallest_contradiction(const History& history, const Relations& relations,
                                                    const OpenKeys& open, const Points& points,
                                                    const std::vector<TransactionId>& transactions,
                                                    Budget& budget);

}  // namespace serval
