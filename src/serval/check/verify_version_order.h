#pragma once
// One order of versions a key shows a session guarantee or pram: every writer that counts stands in it
// once, and no read saw a version before one that its transaction must not miss. Near linear; pram O(reads
// * sessions * log).

#include "serval/check/verdict.h"
#include "serval/check/verify_facts.h"

namespace serval::verify {

bool shown_by_version_order(Level level);
Flaw flaw_of_version_order(const History& history, const Holds& claim);

}  // namespace serval::verify
