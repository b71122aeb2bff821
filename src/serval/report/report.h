#pragma once
// Everything a report prints about one checked file, gathered by the command. text_report and json_report
// turn it into words.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serval/check/check.h"
#include "serval/history/history.h"
#include "serval/report/run_findings.h"

namespace serval {

struct BudgetUse {
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::optional<double> timeout_seconds;  // None: no limit.
  std::optional<std::uint64_t> memory_limit_bytes;
};

enum class Verification : std::uint8_t { NotAsked, Passed };

struct Report {
  std::string version;               // Of Serval.
  std::string path;                  // As given; "-" for standard input.
  std::string format;                // Of the file; empty when reading never got so far.
  const History* history = nullptr;  // Null when reading did not finish.
  std::optional<Level> asked;        // None: every level was surveyed.
  CheckResult result;                // What the headline is about.
  std::optional<Survey> survey;      // The other levels, where they were looked at.
  std::vector<std::string> notices;  // What the reader skipped or repaired.
  Verification verification = Verification::NotAsked;
  std::optional<RunFindings> run;  // Of a recording that was made just now.
  std::size_t max_findings = 10;   // Shown of broken invariants.
  BudgetUse budget;
  int exit_code = 0;
};

// What is known of each level after this check: a level that holds carries every level it implies, a refuted
// one refutes every level that implies it. Each list runs from the strongest level to the weakest.
struct Standing {
  std::vector<Level> holds, refuted, open;
  std::optional<Level> strongest_holding;  // The first of `holds`.
  std::vector<Level> strongest;            // Of `holds`: those that no other of them implies.
  std::vector<Level> weakest_refuted;      // Of `refuted`: those that imply no other of them ("not").
  std::vector<Level> also_refuted;         // The rest of `refuted`, weakest first ("also not").
};
Standing standing(const Report& report);

// "valid", "violation" or "unknown".
std::string_view headline(const Verdict& verdict);
// The same for all that the report is about: a broken invariant is a violation, whatever the level.
std::string_view headline(const Report& report);
// The level of the first line: the one asked, else the one that the survey settled on, else "any".
// "invariant" where the violation is of the workload's invariant alone.
std::string_view headline_level(const Report& report);

}  // namespace serval
