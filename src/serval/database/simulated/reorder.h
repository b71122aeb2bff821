#pragma once
// The same history with its transactions in another order, in which each session keeps its own.

#include "serval/base/random.h"
#include "serval/history/history.h"

namespace serval::simulated {

// Session by session instead of in the order they completed.
History group_by_session(const History& history);
// Any order that the sessions allow, all alike: again and again the next transaction of a session, which is
// chosen with a chance in proportion to what it has left.
History shuffle(const History& history, Random& random);

}  // namespace serval::simulated
