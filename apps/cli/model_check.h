#pragma once
// serval check --model: one file, judged by a model.

#include <memory>
#include <string>

#include "file_check.h"

namespace serval::cli {

std::unique_ptr<FileCheck> check_by_model(const CheckPlan& plan, const std::string& path);

// For a Jepsen file that a model fits: "this looks like a counter log; to check it, add --model counter",
// and the name of the model. Empty for any other file, and for standard input, which cannot be read
// twice.
struct ModelHint {
  std::string words, model;
};
ModelHint model_hint_for(const std::string& path, const ReadingFlags& flags, Budget& budget);

}  // namespace serval::cli
