#pragma once
// serval check --model: reads, checks and reports one file.

#include <chrono>
#include <cstdint>
#include <string>

#include "model_flags.h"
#include "progress.h"
#include "reading.h"
#include "serval/report/text_report.h"

namespace serval::cli {

struct ModelPlan {
  Model model = Model::Bank;
  ModelOptions options;
  ReadingFlags reading;
  std::chrono::nanoseconds timeout;
  std::string timeout_text;  // As given.
  std::uint64_t memory_limit = 0;
  bool json = false, verify = false, unknown_passes = false;
  ProgressMode progress = ProgressMode::Auto;
  TextOptions text;
};

// Prints the report and returns the exit code. `so_far` is the exit code of the files before.
int check_file_by_model(const ModelPlan& plan, const std::string& path, int so_far);

// For a Jepsen file that a model fits: "this looks like a counter log; to check it, add --model counter",
// and the name of the model. Empty for any other file, and for standard input, which cannot be read
// twice.
struct ModelHint {
  std::string words, model;
};
ModelHint model_hint_for(const std::string& path, const ReadingFlags& flags, Budget& budget);

}  // namespace serval::cli
