#pragma once
// Transactions of a fixed number of operations on different keys, each of which reads, writes or does both,
// whatever the others do: the workloads of King Cobra (section 8.4).

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo operation_mix_workload();

}  // namespace serval
