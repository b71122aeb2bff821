#pragma once
// Random drafts with every feature that was ever judged incorrectly: rewrites of the initial value, nil,
// compare-and-set, deletes, unknown values, repeated values, lists, aborted and indeterminate
// transactions.

#include "metamorphic/spelling.h"

namespace serval::metamorphic {

Draft random_draft(Random& random);

}  // namespace serval::metamorphic
