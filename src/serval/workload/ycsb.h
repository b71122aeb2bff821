#pragma once
// YCSB's core workloads (Cooper et al., SoCC 2010), with a few operations per transaction.
//
//   a  half reads, half updates           d  95 % reads of the latest rows, 5 % inserts
//   b  95 % reads, 5 % updates            e  95 % scans of up to 100 rows, 5 % inserts
//   c  only reads                         f  half reads, half read-modify-writes
//
// Updates write all fields of a row (YCSB's writeallfields), so that every write names its writer.

#include <vector>

#include "serval/workload/workload_info.h"

namespace serval {

std::vector<WorkloadInfo> ycsb_workloads();  // "ycsb-a" to "ycsb-f".

}  // namespace serval
