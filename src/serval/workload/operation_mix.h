#pragma once
// Transactions with a fixed number of operations on different keys. Each operation independently reads,
// writes or does both: the workloads of King Cobra (section 8.4).

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo operation_mix_workload();

}  // namespace serval
