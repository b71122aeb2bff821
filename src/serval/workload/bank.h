#pragma once
// Jepsen's bank: transfers of 1 to 5 between accounts, and reads of all accounts. Transfers keep the
// total, so every read of all accounts and the final state must show the same total.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo bank_workload();

}  // namespace serval
