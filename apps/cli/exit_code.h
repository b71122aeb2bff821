#pragma once
// The exit codes of the process. docs/cli.md lists them too.

#include <algorithm>
#include <array>
#include <span>

namespace serval::cli {

enum ExitCode : int {
  kHolds = 0,
  kViolated = 1,
  kUndecided = 2,
  kBadInput = 3,  // Also: an output file that cannot be written.
  kDatabaseFailure = 4,
  kUsage = 64,
  kBug = 70,
  kHungUp = 129,
  kInterrupted = 130,
  kTerminated = 143,
};

// The exit code for several files. A violation must not be masked by anything else.
inline int worse(int one, int other) {
  constexpr std::array kWorstFirst{1, 70, 129, 130, 143, 64, 4, 3, 2, 0};
  return std::min(one, other, [&](int left, int right) {
    return std::ranges::find(kWorstFirst, left) < std::ranges::find(kWorstFirst, right);
  });
}

}  // namespace serval::cli
