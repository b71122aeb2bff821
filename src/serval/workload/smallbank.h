#pragma once
// SmallBank (Alomari, Cahill, Fekete & Roehm, ICDE 2008): customers with a savings and a checking
// account, six small transactions. Balance, WriteCheck and TransactSavings together permit write skew
// under snapshot isolation.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo smallbank_workload();

}  // namespace serval
