#pragma once
// The rows of all_workloads(). Each file that defines some says what they are.

#include <memory>
#include <utility>
#include <vector>

#include "serval/workload/workload.h"

namespace serval {

template <class Made>
std::unique_ptr<Generator> make_generator(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<Made>(parameters, std::move(keys));
}

WorkloadInfo bank_workload();
WorkloadInfo check_then_insert_workload();
WorkloadInfo pairs_workload();
WorkloadInfo phantoms_workload();
std::vector<WorkloadInfo> plan_workloads();
WorkloadInfo predicate_mix_workload();
WorkloadInfo predicates_workload();
WorkloadInfo smallbank_workload();
WorkloadInfo tpcc_workload();
std::vector<WorkloadInfo> ycsb_workloads();

}  // namespace serval
