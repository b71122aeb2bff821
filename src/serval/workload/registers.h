#pragma once
// Registers as in Elle's rw-register: a few operations per transaction, a random mix of reads and blind
// writes.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo registers_workload();

}  // namespace serval
