#pragma once
// The switchable bugs of the simulated database: each breaks one mechanism, now and then.
//
//   options.bugs = {parse_simulated_bug("lost-update"),
//   parse_simulated_bug("dirty-read:probability=0.5,limit=1")};
//
// A bug gets its chance whenever its mechanism is used; `probability` says how often it takes it, `limit` how
// often in all (1: a single shot). Whether the history then shows an anomaly depends on what others do at
// that moment: few keys, or a skewed key distribution, make it likely.

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
  // The weakest levels (by the names of levels/level.h) that it breaks; whatever implies one of them breaks,
  // too.
  std::vector<std::string_view> breaks;
};

struct SimulatedBug {
  SimulatedBugKind kind;
  double probability = 0.01;
  std::uint64_t limit = 0;  // How often it may fire; 0: without limit.
};

std::span<const SimulatedBugInfo> all_simulated_bugs();
const SimulatedBugInfo& info(SimulatedBugKind kind);
// "name" or "name:probability=0.1,limit=1"; throws InputError with the nearest names.
SimulatedBug parse_simulated_bug(std::string_view spec);

}  // namespace serval
