#pragma once
// Registers as in Elle's rw-register: one to a few operations, reads and blind writes mixed freely.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo registers_workload();

}  // namespace serval
