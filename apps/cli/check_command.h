#pragma once
// Checks files, for serval check and for the verbs that record files.

#include <optional>
#include <string>
#include <vector>

#include "model_flags.h"
#include "reading.h"
#include "serval/report/run_findings.h"

namespace serval::cli {

struct CheckFlags {
  std::vector<std::string> paths;
  std::string level;
  ModelFlags model;
  ReadingFlags reading;
  bool json = false;
  std::string timeout = "10m";
  std::string memory_limit;
  std::string engine = "auto";
  std::string profile;  // For the engine mirror.
  std::string threads;
  std::vector<std::string> assumptions;
  std::string transaction_order;
  std::string expected_order;  // Empty: by timestamps.
  bool verify = false;
  std::string oracle = "interpreter";  // For predicates.
  std::string max_anomalies;           // Empty: 10, or 1 in the text of a survey.
  bool quiet = false;
  bool verbose = false;
  bool explain_engine = false;
  bool no_certificate = false;
  std::string colour = "auto";
  std::string unknown = "fail";
  std::optional<RunFindings> run;  // Findings of the run that recorded the file.
  std::string report_folder;       // Also write report.txt and report.json here, unless empty.
};

// Checks the files in order and prints their reports. Returns the exit code of the whole command.
int check_files(const CheckFlags& flags);

}  // namespace serval::cli
