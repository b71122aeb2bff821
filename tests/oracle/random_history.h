#pragma once
// Random histories from a seed: what a database of some quality might have answered. A transaction reads from
// a snapshot that is usually the latest state, sometimes a stale one, and now and then lies outright, so that
// each verdict is common at each level.

#include "oracle/draft.h"
#include "serval/base/random.h"

namespace serval::oracle {

// At most `transactions` transactions over up to three keys: mini-transactions mostly, in some histories
// blind writes, repeated values, deletes, nil, writes of the initial value, aborted and indeterminate
// transactions.
Draft random_transactions(Random& random, int transactions);

// The same, where every history has several of these ingredients, and values that were not recorded, inserts
// and compare-and-sets.
Draft random_hostile_transactions(Random& random, int transactions);

// The same over lists, now and then with a register among them: appends that go to the end of what is there
// or overwrite what others appended, reads of whole lists, in some histories damaged ones.
Draft random_list_transactions(Random& random, int transactions);

// Single operations on up to two keys: inserts, compare-and-sets (both also refused) and reads, with times.
Draft random_lightweight_transactions(Random& random, int transactions);

}  // namespace serval::oracle
