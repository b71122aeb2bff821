#pragma once
// The same history with its transactions in another order, which keeps the order of each session.

#include "serval/base/random.h"
#include "serval/history/history.h"

namespace serval::simulated {

// Session by session instead of in the order of completion.
History group_by_session(const History& history);
// Any order that the sessions allow, all equally likely. Repeatedly takes the next transaction of a session,
// which is drawn in proportion to the number of transactions it has left.
History shuffle(const History& history, Random& random);

}  // namespace serval::simulated
