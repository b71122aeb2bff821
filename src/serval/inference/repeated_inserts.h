#pragma once
// Keys that two committed transactions inserted although no transaction deletes them: both found no row, so
// both replaced the initial version, and one of the two inserts is lost. For keys whose version order the
// reads do not show, because predicates write them, this is certain all the same (Emme, section 4.1, calls
// it a duplicate write).
//
//   s1: [i(x,1)]  s2: [i(x,2)]  s3: [UPDATE ... x = 3]

#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/history/history.h"
#include "serval/inference/key_kinds.h"

namespace serval {

// Of mixed keys; the relations of others show it anyway. The first insert of a key with each later one, in
// history order. O(operations + rows), or O(1) if `kinds` is empty.
std::vector<Divergence> repeated_inserts(const History& history, const std::vector<KeyKind>& kinds);

}  // namespace serval
