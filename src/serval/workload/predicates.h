#pragma once
// Range reads, updates and deletes, mixed with inserts, deletes and updates of single rows. The table is
// sparse, so that many ranges are empty and phantoms are likely.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo predicates_workload();

}  // namespace serval
