#pragma once
// serval check --engine mirror: one file, its operations fed to the mirrored mechanisms in the order in which
// they were asked for (docs/mirror.md).

#include <chrono>
#include <cstdint>
#include <string>

#include "reading.h"
#include "serval/online/profile.h"

namespace serval::cli {

struct MirrorPlan {
  std::string profile;  // As given; empty: what the file's facts say.
  std::optional<Level> level;
  ReadingFlags reading;
  std::chrono::nanoseconds timeout;
  std::string timeout_text;  // As given.
  std::uint64_t memory_limit = 0;
  std::size_t most_violations = 10;
  std::uint32_t threads = 1;
  bool json = false, quiet = false, unknown_passes = false;
  ProgressMode progress = ProgressMode::Auto;
};

// "postgres:serializable"; throws UsageError with the nearest names.
const online::Profile& choose_profile(const std::string& name);
// What the level itself promises; throws UsageError, with the levels that have a profile.
const online::Profile& profile_of_level(Level level);
// By name, or by a run's facts, or the generic one of a level; throws UsageError where nothing fits.
const online::Profile& profile_for(const MirrorPlan& plan, const History& history);

// Prints the report and returns the exit code.
int check_file_by_mirror(const MirrorPlan& plan, const std::string& path);

}  // namespace serval::cli
