#pragma once
// What a run knows besides its recording: invariants of the workload that were broken, a database that went
// away, a violation that was found on the way. Part of the verdict, the exit code and both reports.
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
  std::vector<std::string> kept_at;  // Levels that keep it, each by itself.
  std::uint64_t looks = 0;           // At the invariant, while the run went on and at its end.
  std::uint64_t broken_in_all = 0;
  std::vector<std::string> broken;  // The first of them, a sentence each.
  std::string isolation;            // As asked of the database.
  std::string promises;             // The level that it is documented to keep, or empty.
  std::string loss;                 // How the database was lost, or empty.
  // The violation that was found in a part of the recording while it grew, or empty. It stands, whatever
  // becomes of the whole.
  std::string found_on_the_way;
  // What the mirrored mechanisms found (run --live), in all and the first of them. They know more than the
  // level says: a recording may satisfy the level nevertheless.
  std::uint64_t mirrored_in_all = 0;
  std::vector<std::string> mirrored;
  std::vector<std::string> notices;
  int exit_code = 0;  // Of the run alone, whatever its recording shows.
};

inline bool is_broken(const RunFindings& run) { return run.broken_in_all > 0; }
inline bool is_broken(const std::optional<RunFindings>& run) { return run && is_broken(*run); }
// Whether the run itself shows a violation, whatever its recording does.
inline bool shows_violation(const std::optional<RunFindings>& run) {
  return run && (is_broken(*run) || !run->found_on_the_way.empty() || run->mirrored_in_all > 0);
}

// Whether the level that was asked for, and the isolation of the database, let the invariant break: a
// sentence each, the second where it differs.
std::vector<std::string> permissions(const RunFindings& run, std::optional<Level> asked);

// The level at which a check names the transactions that broke the invariant. None where the level that was
// asked for keeps it, so that such a check has been made.
std::optional<Level> level_that_keeps(const RunFindings& run, std::optional<Level> asked);

// {isolation, promises, loss, invariants}; at most `most` sentences.
void write_json(JsonWriter& json, const RunFindings& run, std::optional<Level> asked, std::size_t most);

}  // namespace serval
