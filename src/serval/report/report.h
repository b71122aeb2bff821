#pragma once
// Everything that a report says about one checked file, collected by the command. text_report and
// json_report print it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serval/check/check.h"
#include "serval/history/history.h"
#include "serval/report/explanation.h"
#include "serval/report/run_findings.h"

namespace serval {

struct BudgetUse {
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::optional<double> timeout_seconds;  // None: no limit.
  std::optional<std::uint64_t> memory_limit_bytes;
};

enum class Verification : std::uint8_t { NotAsked, Passed };

// The required level, and who chose it.
struct Gate {
  enum class Origin : std::uint8_t { Asked, Promised };  // By the user; by the recording.
  Level level;
  Origin origin = Origin::Asked;
};
std::string_view name_of(Gate::Origin origin);

struct Report {
  std::string version;               // Of Serval.
  std::string path;                  // As given; "-" for standard input.
  std::string format;                // Of the file; empty if not yet known.
  const History* history = nullptr;  // Null if the file was not read completely.
  Clock clock = Clock::Nanoseconds;  // The meaning of the times.
  std::optional<Gate> gate;          // None: all levels were surveyed.
  CheckResult result;                // The verdict of the headline.
  std::optional<Survey> survey;      // The other levels, if they were checked.
  std::vector<std::string> notices;  // What the reader skipped or repaired.
  std::string model;                 // A model that fits this history better; empty if none.
  std::string model_hint;            // The hint to use that model; empty if none.
  Verification verification = Verification::NotAsked;
  std::optional<RunFindings> run;  // If the recording was just made.
  std::size_t max_findings = 10;   // Limit for anomalies, and for broken invariants.
  BudgetUse budget;
  int exit_code = 0;
};

// Why a history without committed transactions is not judged: every level holds vacuously, which says
// nothing about the database. None for every other history.
std::optional<Undecided> nothing_to_judge(const History& history);

std::optional<Level> level_of_gate(const Report& report);

// What is known about each level after this check. If a level holds, so does every level that it implies;
// if a level is refuted, so is every level that implies it. Lists run from the strongest level to the
// weakest, but `strongest` and `greatest` begin with the best-known levels.
struct Standing {
  std::vector<Level> holds, refuted, open;
  std::vector<Level> greatest;         // Members of `holds` that no other member implies.
  std::vector<Level> strongest;        // The same if the stronger levels were checked too; else empty.
  std::vector<Level> weakest_refuted;  // Members of `refuted` that imply no other member ("not").
  std::vector<Level> also_refuted;     // The rest of `refuted`, weakest first ("also not").
};
Standing standing(const Report& report);

// Valid and Violation refer to the gate. Without one, Valid means that the history has no anomaly, and
// Anomaly that it has one, whichever level forbids it.
enum class Headline : std::uint8_t { Valid, Violation, Anomaly, Unknown };
Headline level_headline(const Report& report);
// The same for the whole report: a broken invariant is a violation at every level.
Headline headline(const Report& report);
std::string_view name_of(Headline headline);  // "valid", "violation", "anomaly", "unknown"

// What follows the path on the first line: the gate; without one the level that holds, or
// "strongest=snapshot-isolation found=1 write-skew", or "any" if nothing is known about any level.
// "invariant" if only the workload's invariant is violated.
std::string headline_subject(const Report& report);

// The anomalies to report, at most `max_findings`: those of the violated gate, or without one those of
// all surveyed levels. Every kind appears once before any appears twice; the best-known kinds come first.
struct ShownAnomaly {
  Level level;  // The level whose check found it.
  const Anomaly* anomaly;
};
std::vector<ShownAnomaly> shown_anomalies(const Report& report);

// The number of anomalies by kind: those of the violated gate, or without one all that were found.
const std::map<AnomalyKind, std::uint64_t>& counts_of(const Report& report);
// "3 lost-update", one per kind: wrong reads and versions, then the best-known kinds, then the rest by
// severity.
std::vector<std::string> format_counts(const std::map<AnomalyKind, std::uint64_t>& counts);

// The number of clients, if the recording has it. There may be more sessions: new connections, and one
// that reads all lists at the end.
std::optional<std::uint64_t> clients_of(const History& history);

// The report as one JSON object on one line, schema "serval.report/2", without a newline. Fields are only
// added; an incompatible change gets a new schema name. docs/cli.md describes every field.
std::string json_report(const Report& report);

// Notes that prevent misunderstandings: names that vendors use differently, models that fit better.
std::vector<std::string> remarks(const Report& report);

}  // namespace serval
