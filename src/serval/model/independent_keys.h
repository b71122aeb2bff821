#pragma once
// Jepsen's independent workloads use one object per key and put the key in front of every value: a read
// is invoked with [k nil] and returns [k v], a write takes [k v], a compare-and-set [k [old new]].

#include "serval/model/client_history.h"

namespace serval {

// Whether every value of this register history is such a pair. A history of a plain register never
// qualifies: its reads are invoked with nil, its compare-and-sets with two scalars.
bool has_independent_keys(const ClientHistory& history);

}  // namespace serval
