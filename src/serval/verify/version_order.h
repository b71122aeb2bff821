#pragma once
// Checks one version order per key as witness for a session guarantee or pram: it contains every writer
// that counts exactly once, and no read saw an older version than its transaction had to see. Near
// linear; pram O(reads * sessions * log).

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

bool shown_by_version_order(Level level);
// By key: whether some value was appended to the list twice, so that its reads do not determine whose
// appends they show. If they do but contradict each other, no version order agrees with them.
// O(operations).
std::vector<bool> lists_with_repeated_appends(const Facts& facts);
Flaw flaw_of_version_order(const History& history, const Holds& claim);

}  // namespace serval::verify
