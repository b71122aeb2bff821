#include "serval/database/simulated/simulated_bug.h"

#include <array>

#include "serval/workload/parameters.h"

namespace serval {

std::span<const SimulatedBugInfo> all_simulated_bugs() {
  using Kind = SimulatedBugKind;
  static const std::array<SimulatedBugInfo, 9> table = {{
      {Kind::DirtyRead,
       "dirty-read",
       "a read returns what a transaction that is still running has written",
       {"read-committed"}},
      {Kind::DirtyWrite,
       "dirty-write",
       "two concurrent transactions that write the same two keys both commit, one winning one key, one the "
       "other",
       {"read-uncommitted"}},
      {Kind::LostUpdate,
       "lost-update",
       "a commit does not notice that another transaction has changed the keys it writes",
       {"repeatable-read", "snapshot-isolation"}},
      {Kind::StaleSnapshot,
       "stale-snapshot",
       "a transaction reads a snapshot from before its session's last commit",
       {"monotonic-reads", "read-your-writes"}},
      {Kind::FracturedCommit,
       "fractured-commit",
       "half of a commit becomes visible earlier than the other half",
       {"monotonic-atomic-view"}},
      {Kind::SkippedValidation,
       "skipped-validation",
       "a commit checks nothing (at read-uncommitted: takes no lock)",
       {"repeatable-read", "snapshot-isolation"}},
      {Kind::AbortedButVisible,
       "aborted-but-visible",
       "the client is told that its transaction aborted, but its writes stay",
       {"read-committed"}},
      {Kind::WriteSkew,
       "write-skew",
       "a commit does not notice that the keys it only read have changed",
       {"repeatable-read"}},
      {Kind::LongFork,
       "long-fork",
       "two replicas stop exchanging commits for a while; each session sees those of its own replica",
       {"prefix-consistency", "repeatable-read", "snapshot-isolation"}},
  }};
  return table;
}

const SimulatedBugInfo& info(SimulatedBugKind kind) {
  return all_simulated_bugs()[static_cast<std::size_t>(kind)];
}

SimulatedBug parse_simulated_bug(std::string_view spec) {
  static constexpr std::array<ParameterInfo, 2> parameters = {{
      {"probability", "how often it strikes when it can", 0.01, 0, 1, ParameterInfo::Number::Real},
      {"limit", "how often it strikes in total; 0: no limit", 0, 0, 1e15},
  }};
  std::vector<ChoiceInfo> rows;
  for (const SimulatedBugInfo& row : all_simulated_bugs()) rows.push_back({row.name, parameters});
  const Choice choice = parse_choice("bug", spec, rows);
  return {.kind = all_simulated_bugs()[choice.row].kind,
          .probability = choice.parameters["probability"],
          .limit = choice.parameters.whole("limit")};
}

}  // namespace serval
