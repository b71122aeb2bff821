#pragma once
// Operations on single rows and on ranges in a chosen proportion, over rows that are inserted and
// deleted: the mixes of Emme and Enne (sections 8.2 and 8.3). A fixed number of operations per
// transaction; ranges are read, aggregated (MIN, MAX, COUNT, SUM), updated and deleted.
//
//   predicate-mix:predicates=0.5                                               Figs. 10 and 12; 100 keys
//   predicate-mix:predicates=0,reads=0.4,increments=0.2,inserts=0.1,deletes=0  Figs. 9 and 11; 1000 keys

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo predicate_mix_workload();

}  // namespace serval
