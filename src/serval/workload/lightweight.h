#pragma once
// Lightweight transactions (MTC, section IV-D): one operation each; every key is inserted if absent, then
// read and changed by compare-and-set.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo lightweight_workload();

}  // namespace serval
