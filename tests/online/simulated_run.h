#pragma once
// Histories of the simulated database, with the times of operations, for tests of the mirror.

#include "serval/database/simulated/simulate.h"

namespace serval::online {

struct Run {
  const char* level;
  const char* workload;
  std::uint64_t seed;
  const char* bug = nullptr;
  std::uint64_t keys = 12;
  std::uint64_t transactions = 300;
};

inline History history_of(const Run& run) {
  SimulationOptions options{.workload = run.workload,
                            .sessions = 8,
                            .transactions = run.transactions,
                            .keys = run.keys,
                            .level = parse_simulated_level(run.level),
                            .seed = run.seed,
                            .abort_share = 0.1,
                            .indeterminate_share = run.seed % 3 == 0 ? 0.05 : 0.0,
                            .times = SimulationOptions::Times::Operations};
  if (run.bug != nullptr) options.bugs = {parse_simulated_bug(run.bug)};
  return simulate(options);
}

}  // namespace serval::online
