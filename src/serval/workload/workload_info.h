#pragma once
// The description of a workload: a row of the table in workload.h. The file of each workload defines its
// row, beside the code that reads the parameters.

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/parameters.h"

namespace serval {

template <class Made>
std::unique_ptr<Generator> make_generator(const Parameters& parameters, KeyChoice keys) {
  return std::make_unique<Made>(parameters, std::move(keys));
}

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

}  // namespace serval
