#pragma once
// Random drafts with everything in them that was ever judged wrongly: the initial value written again, nil,
// compare-and-set, deletes, unknown values, repeated values, lists, aborted and indeterminate transactions.

#include "metamorphic/spelling.h"

namespace serval::metamorphic {

Draft random_draft(Random& random);

}  // namespace serval::metamorphic
