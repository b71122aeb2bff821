#pragma once
// The workloads, by name: one row each, with parameters and defaults.
//
//   const Workload workload = make_workload("general:operations=8", make_key_choice("zipf", 10'000));
//   TransactionPlan plan = workload.generator->next(random, session);

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/parameters.h"

namespace serval {

struct WorkloadInfo {
  // What keys hold before the first write: the number 0, an empty list, or nothing at all.
  enum class Data { Registers, Lists, Rows };

  std::string_view name;
  std::string_view description;  // One line.
  std::vector<ParameterInfo> parameters;
  Data data;
  std::unique_ptr<Generator> (*make)(const Parameters& parameters, KeyChoice keys);
};

struct Workload {
  const WorkloadInfo* info;  // A row of the table.
  std::unique_ptr<Generator> generator;
};

std::span<const WorkloadInfo> all_workloads();
// `spec` is "name" or "name:parameter=value,..."; throws InputError.
[[nodiscard]] Workload make_workload(std::string_view spec, KeyChoice keys);

}  // namespace serval
