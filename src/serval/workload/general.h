#pragma once
// The general transactions of Cobra, PolySI and MTC: one fifth only read, two fifths only write
// (blindly), two fifths read and then write each of their keys. A fixed number of operations per
// transaction.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo general_workload();

}  // namespace serval
