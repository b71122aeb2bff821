#pragma once
// Phantoms: rows that appear between two reads of a range, or between a read and a decision based on it.
// Groups come in pairs, and at most one group of a pair may have entries. A transaction reads one group
// and, if it is empty, inserts an entry into the other (predicate write skew, mostly over empty ranges).
// Others read and count a group twice (phantoms, predicate-many-preceders), or move all entries of one
// group to the other.
//
// Every insert has its own key. After a while fresh pairs replace the old ones, so that broken invariants
// remain visible.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo phantoms_workload();

}  // namespace serval
