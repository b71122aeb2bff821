#pragma once
// The table of workloads, with their parameters and defaults.
//
//   const Workload workload = make_workload("general:operations=8", make_key_choice("zipf", 10'000));
//   TransactionPlan plan = workload.generator->next(random, session);            // Simulated.
//
//   const Workload workload = make_workload("bank", {});                         // Its own number of keys.
//   auto script = workload.generator->next_script(random, session, known_tags);  // Real.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/workload_info.h"

namespace serval {

// The requested keys; the workload chooses what is left out.
struct KeyRequest {
  std::uint64_t keys = 0;
  std::string distribution{};
};

struct Workload {
  const WorkloadInfo* info;  // A row of the table.
  std::unique_ptr<Generator> generator;
  std::uint64_t keys;  // Number of keys to choose from; 0 if the parameters alone determine the size.
};

std::span<const WorkloadInfo> all_workloads();
// By name or alias; null if there is none.
const WorkloadInfo* find_workload(std::string_view name);
// `spec` is "name" or "name:parameter=value,..."; throws InputError.
[[nodiscard]] Workload make_workload(std::string_view spec, KeyChoice keys);
[[nodiscard]] Workload make_workload(std::string_view spec, const KeyRequest& keys);

}  // namespace serval
