#pragma once
// The model flags of serval check.

#include <optional>
#include <string>

#include "arguments.h"
#include "serval/model/model.h"

namespace serval::cli {

struct ModelFlags {
  std::string model;
  std::string total_amount;
  bool allow_negative_balances = false;
  std::string group_size;
  bool no_stale_reads = false;
  std::string initial;
  std::string failed_cas;
};
void declare_model_flags(Arguments& arguments, ModelFlags& flags);

// None without --model. Throws UsageError for an unknown model, and for flags of another model.
std::optional<Model> choose_model(const ModelFlags& flags);
// The options from the flags, without a budget.
ModelOptions model_options(const ModelFlags& flags);

// A row of the table by its name. Throws UsageError with the nearest names.
const ModelInfo& model_row(const std::string& name);

}  // namespace serval::cli
