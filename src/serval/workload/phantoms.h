#pragma once
// Rows that come and go between two looks, and between a look and what is decided by it. Groups come in
// pairs, and of a pair at most one group may have entries: a transaction looks at one group and, where it
// finds nothing, inserts an entry into the other (predicate write skew, mostly over empty ranges). Others
// look at a group twice and count it (phantoms, predicate-many-preceders), or move all entries of one group
// to the other.
//
// Every insert has a key of its own. After a while fresh pairs take the place of the old ones, so that what
// went wrong stays.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo phantoms_workload();

}  // namespace serval
