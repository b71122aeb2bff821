#pragma once
// Runs a workload against a database, for serval run, record and demo.

#include <string>
#include <vector>

#include "check_plan.h"

namespace serval::cli {

// As on the command line; docs/cli.md has the table.
struct RunFlags {
  std::string address;
  std::vector<std::string> nodes;
  std::string workload = "list-append";
  std::string isolation;
  std::string level;
  std::string clients = "8";
  std::string time, transactions;
  std::string keys, distribution;
  std::string rate;
  std::string seed;
  std::string aborts = "0.02";
  std::string out;
  std::string progress = "auto";
  bool json = false;
  bool verify = false;
  ReportFlags report;
  bool keep_tables = false;
  bool checks = true;
  bool no_live = false;
  bool stop_on_violation = false;
  bool server_ids = false;
  bool certificate = false, no_certificate = false;
  bool force = false;
  bool live = false;                   // Verify with the mirror during the run.
  std::string profile;                 // For the mirror; empty: by the driver.
  std::string oracle = "interpreter";  // Of predicates.
};

// Runs, records, checks and reports. Returns the exit code.
int run_database(const RunFlags& flags);

}  // namespace serval::cli
