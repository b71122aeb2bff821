#pragma once
// The same history with its transactions session by session instead of in the order they completed.

#include "serval/history/history.h"

namespace serval::simulated {

History group_by_session(const History& history);

}  // namespace serval::simulated
