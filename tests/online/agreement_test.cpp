// Check refutes whatever the mirror reports as a violation. It knows only when transactions began and
// ended. So do the generic profiles, which makes the two comparable. The generic profile of a level
// without real time still assumes that the versions of a key follow real time, so its violations refute
// the strong variant of the level.
#include <gtest/gtest.h>

#include "sample.h"
#include "serval/check/check.h"
#include "serval/database/simulated/simulate.h"
#include "serval/online/mirror_history.h"

namespace serval::online {
namespace {

struct Pair {
  const char* generic;
  Level refuted;
};

History weak_run(std::uint64_t seed, const char* level, const char* workload, const char* bug) {
  SimulationOptions options{
      .workload = workload,
      .sessions = 5,
      .transactions = 60,
      .keys = 6,
      .level = parse_simulated_level(level),
      .seed = seed,
      .indeterminate_share = seed % 4 == 0 ? 0.1 : 0.0,
      .times = seed % 2 == 0 ? SimulationOptions::Times::Operations : SimulationOptions::Times::Transactions};
  if (bug != nullptr) options.bugs = {parse_simulated_bug(bug)};
  return simulate(options);
}

class Agreement : public testing::TestWithParam<Pair> {};

TEST_P(Agreement, ViolationsAreRefutedByCheck) {
  const Profile& profile = *find_profile(GetParam().generic);
  std::uint64_t found = 0, held = 0;
  for (const char* level : {"read-committed", "prefix-consistency", "snapshot-isolation", "serializable",
                            "strong-snapshot-isolation", "strict-serializable"})
    for (const char* workload : {"mini", "general", "registers"})
      for (const char* bug :
           {static_cast<const char*>(nullptr), "dirty-read:probability=0.1", "stale-snapshot:probability=0.3",
            "lost-update:probability=0.5", "write-skew:probability=0.5", "dirty-write:probability=0.5",
            "fractured-commit:probability=0.3", "long-fork:probability=0.1"})
        for (const std::uint64_t seed : fresh_seeds(6)) {
          const History history = weak_run(seed, level, workload, bug);
          const OnlineResult result = mirror_history(history, profile);
          if (!result.violated()) {
            ++held;
            continue;
          }
          ++found;
          ASSERT_TRUE(violated(check(history, GetParam().refuted).verdict))
              << level << " " << workload << " " << (bug != nullptr ? bug : "") << " seed " << seed << "\n"
              << result.violations.front().format();
        }
  EXPECT_GT(found, 20u);
  EXPECT_GT(held, 20u);
}

INSTANTIATE_TEST_SUITE_P(
    Levels, Agreement,
    testing::Values(Pair{"generic:read-committed", Level::StrongReadCommitted},
                    Pair{"generic:prefix-consistency", Level::StrongSnapshotIsolation},
                    Pair{"generic:snapshot-isolation", Level::StrongSnapshotIsolation},
                    Pair{"generic:strong-snapshot-isolation", Level::StrongSnapshotIsolation},
                    Pair{"generic:serializable", Level::StrictSerializable},
                    Pair{"generic:strong-session-serializable", Level::StrictSerializable},
                    Pair{"generic:strict-serializable", Level::StrictSerializable}),
    [](const auto& test) {
      std::string name = test.param.generic;
      std::erase_if(name, [](char c) { return c == '-' || c == ':'; });
      return name;
    });

}  // namespace
}  // namespace serval::online
