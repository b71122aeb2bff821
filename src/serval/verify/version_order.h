#pragma once
// One order of versions a key shows a session guarantee or pram: every writer that counts stands in it
// once, and no read saw a version before one that its transaction must not miss. Near linear; pram O(reads
// * sessions * log).

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

bool shown_by_version_order(Level level);
// By key: some value was appended to the list twice, so that its reads do not tell whose appends they show.
// Where they do and yet contradict each other, no order of versions agrees with them. O(operations).
std::vector<bool> lists_with_repeated_appends(const Facts& facts);
Flaw flaw_of_version_order(const History& history, const Holds& claim);

}  // namespace serval::verify
