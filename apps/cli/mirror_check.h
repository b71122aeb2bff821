#pragma once
// serval check --engine mirror: feeds the operations of one file to the mirror, in the order of their
// invocations (docs/mirror.md).

#include <chrono>
#include <cstdint>
#include <string>

#include "reading.h"
#include "serval/online/choose_profile.h"

namespace serval::cli {

struct MirrorPlan {
  online::ProfileChoice profile;  // Empty: by the facts in the file.
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
