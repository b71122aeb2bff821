#pragma once
// serval check --engine mirror: one file, its operations fed to the mirrored mechanisms in the order in which
// they were asked for (docs/mirror.md).

#include <chrono>
#include <cstdint>
#include <string>

#include "reading.h"
#include "serval/online/choose_profile.h"

namespace serval::cli {

struct MirrorPlan {
  online::ProfileChoice profile;  // Empty: what the file's facts say.
  ReadingFlags reading;
  std::chrono::nanoseconds timeout;
  std::string timeout_text;  // As given.
  std::uint64_t memory_limit = 0;
  std::size_t most_violations = 10;
  std::uint32_t threads = 1;
  bool json = false, quiet = false, unknown_passes = false;
  ProgressMode progress = ProgressMode::Auto;
};

// Prints the report and returns the exit code.
int check_file_by_mirror(const MirrorPlan& plan, const std::string& path);

}  // namespace serval::cli
