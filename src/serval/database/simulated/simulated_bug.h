#pragma once
// The switchable bugs of the simulated database: each breaks one mechanism, now and then.
//
//   options.bugs = {parse_simulated_bug("lost-update"),
//                   parse_simulated_bug("dirty-read:probability=0.5,limit=1")};
//
// Whenever its mechanism is used, a bug strikes with its `probability`, at most `limit` times in total.
// Whether the history then shows an anomaly depends on what other transactions do at that moment: few keys,
// or a skewed key distribution, make it likely.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace serval {

enum class SimulatedBugKind : std::uint8_t {
  DirtyRead,
  DirtyWrite,
  LostUpdate,
  StaleSnapshot,
  FracturedCommit,
  SkippedValidation,
  AbortedButVisible,
  WriteSkew,
  LongFork,
};

struct SimulatedBugInfo {
  SimulatedBugKind kind;
  std::string_view name;
  std::string_view description;  // What goes wrong, one sentence.
  // The weakest levels that it breaks, by the names of levels/level.h. It also breaks every level that
  // implies one of them.
  std::vector<std::string_view> breaks;
};

struct SimulatedBug {
  SimulatedBugKind kind;
  double probability = 0.01;
  std::uint64_t limit = 0;  // How often it may strike; 0: no limit.
};

std::span<const SimulatedBugInfo> all_simulated_bugs();
const SimulatedBugInfo& info(SimulatedBugKind kind);
// "name" or "name:probability=0.1,limit=1"; throws InputError with the nearest names.
SimulatedBug parse_simulated_bug(std::string_view spec);

}  // namespace serval
