#pragma once
// Everything a report prints about one checked file, gathered by the command. text_report and json_report
// turn it into words.

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

// The level that the verdict is about, and who chose it.
struct Gate {
  enum class Origin : std::uint8_t { Asked, Promised };  // By the user; by the recording.
  Level level;
  Origin origin = Origin::Asked;
};
std::string_view name_of(Gate::Origin origin);

struct Report {
  std::string version;               // Of Serval.
  std::string path;                  // As given; "-" for standard input.
  std::string format;                // Of the file; empty when reading never got so far.
  const History* history = nullptr;  // Null when reading did not finish.
  Clock clock = Clock::Nanoseconds;  // What the times of the history are.
  std::optional<Gate> gate;          // None: every level was surveyed.
  CheckResult result;                // What the headline is about.
  std::optional<Survey> survey;      // The other levels, where they were looked at.
  std::vector<std::string> notices;  // What the reader skipped or repaired.
  std::string model;                 // The one that would know more of this history; empty where none.
  std::string model_hint;            // Which model would know more of this history; empty where none.
  Verification verification = Verification::NotAsked;
  std::optional<RunFindings> run;  // Of a recording that was made just now.
  std::size_t max_findings = 10;   // Shown of anomalies and of broken invariants.
  BudgetUse budget;
  int exit_code = 0;
};

// Every level holds of a history in which nothing is known to have happened, and that says nothing of the
// database: why such a history is not judged. None for every other history.
std::optional<Undecided> nothing_to_judge(const History& history);

std::optional<Level> level_of_gate(const Report& report);

// What is known of each level after this check: a level that holds carries every level it implies, a refuted
// one refutes every level that implies it. Lists run from the strongest level to the weakest, but `strongest`
// and `greatest` begin with the levels that most people know.
struct Standing {
  std::vector<Level> holds, refuted, open;
  std::vector<Level> greatest;         // Of `holds`: those that no other of them implies.
  std::vector<Level> strongest;        // The same, where the levels above were examined, too; else empty.
  std::vector<Level> weakest_refuted;  // Of `refuted`: those that imply no other of them ("not").
  std::vector<Level> also_refuted;     // The rest of `refuted`, weakest first ("also not").
};
Standing standing(const Report& report);

// Valid and Violation are about the gate. Without one, Valid says that the history has no anomaly, Anomaly
// that it has one, whichever level forbids it.
enum class Headline : std::uint8_t { Valid, Violation, Anomaly, Unknown };
Headline level_headline(const Report& report);
// The same for all that the report is about: a broken invariant is a violation, whatever the level.
Headline headline(const Report& report);
std::string_view name_of(Headline headline);  // "valid", "violation", "anomaly", "unknown"

// What stands behind the path on the first line: the gate; else the level that holds, or
// "strongest=snapshot-isolation found=1 write-skew", or "any" when nothing is known of any level.
// "invariant" where the violation is of the workload's invariant alone.
std::string headline_subject(const Report& report);

// What the report tells of, at most `max_findings`: the anomalies of the violated gate, or without one those
// of all levels that were surveyed, every kind once before any kind twice, the best known first.
struct ShownAnomaly {
  Level level;  // Whose search found it.
  const Anomaly* anomaly;
};
std::vector<ShownAnomaly> shown_anomalies(const Report& report);

// How many anomalies of each kind: those of the violated gate, or without one all that were found.
const std::map<AnomalyKind, std::uint64_t>& counts_of(const Report& report);
// "3 lost-update", one for each kind: wrong reads and versions, then the best known, then the rest by
// severity.
std::vector<std::string> format_counts(const std::map<AnomalyKind, std::uint64_t>& counts);

// How many clients ran, where the recording says so. It may have more sessions: of new connections, and one
// that reads all lists at the end.
std::optional<std::uint64_t> clients_of(const History& history);

// What a reader might misunderstand otherwise: words that vendors use differently, models that know more.
std::vector<std::string> remarks(const Report& report);

}  // namespace serval
