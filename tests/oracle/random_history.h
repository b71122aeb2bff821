#pragma once
// Random histories from a seed: what a more or less correct database might have answered. A transaction
// reads from a snapshot that is usually the latest state and sometimes a stale one, and occasionally a
// read returns an arbitrary value, so that each verdict is common at each level.

#include "oracle/draft.h"
#include "serval/base/random.h"

namespace serval::oracle {

// At most `transactions` transactions over up to three keys: mostly mini-transactions, in some histories
// also blind writes, repeated values, deletes, nil, writes of the initial value, aborted and
// indeterminate transactions.
Draft random_transactions(Random& random, int transactions);

// The same, but every history has several of these features, and also unrecorded values, inserts and
// compare-and-sets.
Draft random_hostile_transactions(Random& random, int transactions);

// The same over lists, occasionally with a register among them: appends that go to the end of the
// current list or overwrite what others appended, reads of whole lists, and in some histories damaged
// ones.
Draft random_list_transactions(Random& random, int transactions);

// Single operations on up to two keys: inserts, compare-and-sets (both also failing) and reads, with
// times.
Draft random_lightweight_transactions(Random& random, int transactions);

}  // namespace serval::oracle
