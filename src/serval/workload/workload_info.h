#pragma once
// What there is to know of a workload before it runs: a row of the table in workload.h. Every workload's file
// has its own row, beside the code that reads the parameters.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "serval/workload/generator.h"
#include "serval/workload/key_choice.h"
#include "serval/workload/parameters.h"

namespace serval {

struct WorkloadInfo {
  // What keys hold before the first write: the number 0, an empty list, or nothing at all.
  enum class Data { Registers, Lists, Rows };
  // Plans: single keys, no request depends on an answer, and the simulated database runs them, too. Scripts:
  // real databases only, unless plans_rows.
  enum class Form { Plans, Scripts };

  std::string_view name{};
  std::string_view description{};  // One line.
  std::vector<ParameterInfo> parameters{};
  std::unique_ptr<Generator> (*make)(const Parameters& parameters, KeyChoice keys) = nullptr;
  Data data = Data::Registers;
  Form form = Form::Plans;
  bool needs_ranges = false;  // Scan, UpdateRange or DeleteRange.
  bool plans_rows = false;    // It has plans over rows and ranges, too, for the simulated database.
  // On a real database, where nobody asks for another number or distribution (key_choice.h). 0: the size
  // follows from the parameters alone.
  std::uint64_t keys = 1000;
  std::string_view distribution = "uniform";
  std::vector<std::string_view> aliases{};
  // What must hold of the rows in every committed state, a few words, and the levels that keep it, each by
  // itself (docs/levels.md). Empty: the workload has no invariant.
  std::string_view invariant{};
  std::vector<std::string_view> kept_at{};
};

}  // namespace serval
