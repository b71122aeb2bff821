#pragma once
// Findings of a run beyond its recording: broken invariants of the workload, a lost database, a violation
// found during the run. They are part of the verdict, the exit code and both reports.
//
//   if (is_broken(findings)) ...
//   permissions(findings, Level::SnapshotIsolation) ==
//       {"snapshot-isolation permits this: only serializable guarantees this invariant"}

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serval/base/json_writer.h"
#include "serval/levels/level.h"

namespace serval {

struct RunFindings {
  std::string workload;
  std::string invariant;             // "no slot is taken twice"; empty: the workload has none.
  std::vector<std::string> kept_at;  // Each of these levels guarantees it.
  std::uint64_t looks = 0;           // Checks of the invariant, during the run and at its end.
  std::uint64_t broken_in_all = 0;
  std::vector<std::string> broken;  // The first of them, one sentence each.
  std::string isolation;            // As requested from the database.
  std::string promises;             // The level that this isolation promises, or empty.
  std::string loss;                 // How the database was lost, or empty.
  // The violation found in a prefix of the recording during the run, or empty. It remains a violation,
  // whatever follows.
  std::string found_on_the_way;
  // What the mirror found (run --live): the total, and the first findings. The mirror checks more than
  // the level requires, so the recording may still satisfy the level.
  std::uint64_t mirrored_in_all = 0;
  std::vector<std::string> mirrored;
  std::vector<std::string> notices;
  int exit_code = 0;  // Of the run alone, independent of its recording.
};

inline bool is_broken(const RunFindings& run) { return run.broken_in_all > 0; }
inline bool is_broken(const std::optional<RunFindings>& run) { return run && is_broken(*run); }
// Whether the run itself shows a violation, independent of its recording.
inline bool shows_violation(const std::optional<RunFindings>& run) {
  return run && (is_broken(*run) || !run->found_on_the_way.empty() || run->mirrored_in_all > 0);
}

// Whether the required level and the isolation of the database permit the broken invariant: one sentence
// each; the second only if it differs.
std::vector<std::string> permissions(const RunFindings& run, std::optional<Level> asked);

// The level at which a check shows the transactions that broke the invariant. None if the required level
// guarantees the invariant, because then the check was already made.
std::optional<Level> level_that_keeps(const RunFindings& run, std::optional<Level> asked);

// {isolation, promises, loss, invariants}; at most `most` sentences.
void write_json(JsonWriter& json, const RunFindings& run, std::optional<Level> asked, std::size_t most);

}  // namespace serval
