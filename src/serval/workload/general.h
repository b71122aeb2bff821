#pragma once
// The general transactions of Cobra, PolySI and MTC: a fifth only reads, two fifths only write (blindly), two
// fifths read, then write each of their keys; a fixed number of operations a transaction.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo general_workload();

}  // namespace serval
