#pragma once
// Jepsen's bank: transfers of 1 to 5 between accounts, and reads of all accounts. Money is neither made nor
// lost, so every read of all accounts must see the same total, and so must the final state.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo bank_workload();

}  // namespace serval
