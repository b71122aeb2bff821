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
#include <vector>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/parameters.h"

namespace serval {

// A row of the table. The file of each workload defines it, beside the code that reads the parameters.
struct WorkloadInfo {
  // The initial state of keys: 0, an empty list, or no row.
  enum class Data { Registers, Lists, Rows };
  // Plans: single keys, requests do not depend on responses, and the simulated database can run them
  // too. Scripts: real databases only, unless plans_rows.
  enum class Form { Plans, Scripts };

  std::string_view name{};
  std::string_view description{};  // One line.
  std::vector<ParameterInfo> parameters{};
  std::unique_ptr<Generator> (*make)(const Parameters& parameters, KeyChoice keys) = nullptr;
  Data data = Data::Registers;
  Form form = Form::Plans;
  bool needs_ranges = false;  // Scan, UpdateRange or DeleteRange.
  bool plans_rows = false;    // Also has plans over rows and ranges, for the simulated database.
  // Defaults on a real database (key_choice.h). 0: the parameters alone determine the size.
  std::uint64_t keys = 1000;
  std::string_view distribution = "uniform";
  std::vector<std::string_view> aliases{};
  // The invariant of every committed state, in a few words, and the levels each of which guarantees it
  // (docs/levels.md). Empty: the workload has no invariant.
  std::string_view invariant{};
  std::vector<std::string_view> kept_at{};
};

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
