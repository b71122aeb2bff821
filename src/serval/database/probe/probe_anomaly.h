#pragma once
// The tests of Hermitage (Kleppmann 2014): for each anomaly a schedule of two or three clients, and the
// observations that show the anomaly.
//
//   "r1(x) r2(x) w1(x) w2(x) c1 c2"       both read x, then both write it, then both commit
//
//   r1(x) w1(x)   client 1 reads, writes x            s1       scans for rows whose value is 30 to 39
//   i1(p)         inserts p, with the value 30        c1 a1    commits, aborts        |   another schedule
//
// Initially x and y exist with values outside 30 to 39; p and q do not exist. All clients begin before
// the first step, in order.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "serval/workload/request.h"
#include "serval/workload/schema.h"

namespace serval {

struct ProbeStep {
  enum class What : std::uint8_t { Begin, Perform, Commit, RollBack };
  std::size_t client = 0;  // From 0.
  What what = What::Begin;
  Request request;  // Its tag is the number of the step, from 1.
};

// The result of running a schedule.
struct ProbePlay {
  std::vector<ProbeStep> steps;
  std::vector<std::optional<Answer>> answers;  // By step; none if it failed or was not reached.
  std::vector<bool> committed;                 // By client.
  std::vector<Answer::Row> finally;            // x and y afterwards.
};

// Whether every row of `finally` was written by a transaction that committed, or by none if none of them
// wrote the key.
bool finally_shows_commits(const ProbePlay& play);

struct ProbeAnomaly {
  std::string_view name;         // "G-single"
  std::string_view description;  // One line.
  std::string_view schedules;    // Separated by " | ".
  bool (*happened)(const ProbePlay& play);

  bool needs_ranges() const { return schedules.find('s') != std::string_view::npos; }
};

std::span<const ProbeAnomaly> all_probe_anomalies();
// Schedules that are not anomalies, but show a mechanism: needed for a profile only.
std::span<const ProbeAnomaly> mechanism_probes();

// The steps of each schedule, after a begin for each client.
std::vector<std::vector<ProbeStep>> probe_steps(std::string_view schedules);

// The table of the schedules. Without ranges it has no further column, because a write would have to read
// it.
enum class ProbeRows : std::uint8_t { Plain, WithValues };
Schema probe_schema(ProbeRows rows);
inline constexpr std::uint64_t kProbeX = 1, kProbeY = 2;

}  // namespace serval
