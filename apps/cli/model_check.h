#pragma once
// serval check --model: one file, read, judged and reported.

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

// Prints the report and returns the exit code; `so_far` is that of the files before.
int check_file_by_model(const ModelPlan& plan, const std::string& path, int so_far);

// "this looks like a counter log; to check it, add --model counter" for a Jepsen file that a model fits, and
// the name of that model; "" for any other, and for standard input, which cannot be read twice.
struct ModelHint {
  std::string words, model;
};
ModelHint model_hint_for(const std::string& path, const ReadingFlags& flags, Budget& budget);

}  // namespace serval::cli
