#include <gtest/gtest.h>

#include "serval/database/simulated/simulate.h"
#include "serval/online/mirror_history.h"

namespace serval::online {
namespace {

History run(std::string_view level, std::uint64_t seed, std::string workload,
            std::uint64_t transactions = 300, std::vector<SimulatedBug> bugs = {}) {
  return simulate({.workload = std::move(workload),
                   .sessions = 8,
                   .transactions = transactions,
                   .keys = 12,
                   .level = parse_simulated_level(level),
                   .bugs = std::move(bugs),
                   .seed = seed,
                   .abort_share = 0.1,
                   .indeterminate_share = seed % 3 == 0 ? 0.05 : 0.0,
                   .times = SimulationOptions::Times::Operations});
}

class Correct : public testing::TestWithParam<const char*> {};

TEST_P(Correct, RunsRaiseNoAlarm) {
  const Profile* profile = find_profile(std::string("simulated:") + GetParam());
  ASSERT_NE(profile, nullptr);
  for (const char* workload : {"mini", "general", "registers", "blindw-rw", "list-append", "lightweight"})
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const OnlineResult result = mirror_history(run(GetParam(), seed, workload), *profile);
      ASSERT_FALSE(result.violated()) << workload << " seed " << seed << "\n"
                                      << result.violations.front().spell();
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, Correct,
                         testing::Values("read-uncommitted", "read-committed", "prefix-consistency",
                                         "snapshot-isolation", "strong-session-snapshot-isolation",
                                         "strong-snapshot-isolation", "serializable",
                                         "strong-session-serializable", "strict-serializable"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace serval::online
