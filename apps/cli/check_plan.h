#pragma once
// What serval check is to do, from its parsed flags or from a verb that has recorded a file.
//
//   CheckPlan plan;
//   plan.level = Level::Serializable;
//   return check_files(plan, {"history.jsonl"});

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assumptions.h"
#include "clock_error.h"
#include "memory_limit.h"
#include "output.h"
#include "predicate_oracle.h"
#include "progress.h"
#include "reading.h"
#include "serval/check/check_options.h"
#include "serval/levels/level.h"
#include "serval/model/model.h"
#include "serval/online/profile.h"
#include "serval/report/run_findings.h"
#include "serval/report/text_report.h"

namespace serval::cli {

// A model in place of a level.
struct ModelPlan {
  Model model = Model::Bank;
  ModelOptions options;
};

// The mirror in place of the engines of check().
struct MirrorPlan {
  online::ProfileChoice profile;  // Empty: by the facts in the file.
  std::uint32_t threads = 1;
};

struct CheckPlan {
  ReadingFlags reading;
  ProgressMode progress = ProgressMode::Auto;
  std::chrono::nanoseconds timeout = std::chrono::minutes(10);
  std::string timeout_text = "10m";  // As given.
  std::uint64_t memory_limit = default_memory_limit();

  std::optional<ModelPlan> model;
  std::optional<MirrorPlan> mirror;
  std::optional<Level> level;  // None: the level that the recording promises, else a survey of all levels.
  bool surveys = false;        // A survey, regardless of what the recording promises.
  Engine engine = Engine::Auto;
  bool use_certificate = true;
  Assumptions assumptions;
  std::vector<PlaceOfTransaction> transaction_order;
  std::string expected_order;  // Empty: none is required.
  ClockError clock_error;
  PredicateOracle oracle = PredicateOracle::Interpreter;
  std::string oracle_address;  // Of a server.
  bool verify = false;
  std::size_t max_anomalies = 10;

  bool unknown_passes = false;
  bool json = false;
  TextOptions text;
  std::optional<RunFindings> run;  // Findings of the run that recorded the file.
  std::string report_folder;       // Also write report.txt and report.json here, unless empty.
};

// The values of --max-anomalies, --color and -q, for all verbs that check. Throws UsageError.
struct ReportFlags {
  std::string max_anomalies;  // Empty: 10, or 1 in the text of a survey.
  std::string colour = "auto";
  bool quiet = false;
};
void apply(const ReportFlags& flags, CheckPlan& plan);

// Checks the files in order and prints their reports. Returns the exit code of the whole command.
int check_files(const CheckPlan& plan, const std::vector<std::string>& paths);

}  // namespace serval::cli
