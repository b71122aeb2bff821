#pragma once
// Checking files, for serval check and for what records files.

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
  std::string profile;  // Of the engine mirror.
  std::string threads;
  std::vector<std::string> assumptions;
  std::string transaction_order;
  std::string expected_order;  // Empty: by timestamps.
  bool verify = false;
  std::string oracle = "interpreter";  // Of predicates.
  std::string max_anomalies;           // Empty: 10, of a survey's text 1.
  bool quiet = false;
  bool verbose = false;
  bool explain_engine = false;
  bool no_certificate = false;
  std::string colour = "auto";
  std::string unknown = "fail";
  std::optional<RunFindings> run;  // What made the file knows of it besides.
  std::string report_folder;  // Where the report goes as well, as report.txt and report.json; empty: nowhere.
};

// Checks one file after the other and prints their reports. The exit code of all.
int check_files(const CheckFlags& flags);

}  // namespace serval::cli
