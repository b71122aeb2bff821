#pragma once
// Ranges over rows that come and go: range reads, range updates and range deletes beside inserts, deletes and
// updates of single rows. The table is sparse, so that many ranges are empty; a phantom is a row that a range
// should have had.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo predicates_workload();

}  // namespace serval
