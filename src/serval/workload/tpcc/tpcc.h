#pragma once
// TPC-C: orders, payments and deliveries of a wholesaler. All five transactions in the mix of clause
// 5.2.3, on a smaller population.

#include "serval/workload/workload_info.h"

namespace serval {

WorkloadInfo tpcc_workload();

}  // namespace serval
