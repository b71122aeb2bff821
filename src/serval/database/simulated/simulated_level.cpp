#include "serval/database/simulated/simulated_level.h"

#include <array>
#include <vector>

#include "serval/workload/parameters.h"

namespace serval {

std::span<const SimulatedLevelInfo> all_simulated_levels() {
  using Level = SimulatedLevel;
  using Reads = SimulatedLevelInfo::Reads;
  using Snapshots = SimulatedLevelInfo::Snapshots;
  using Checks = SimulatedLevelInfo::Checks;
  static constexpr std::array<SimulatedLevelInfo, 9> table = {{
      {Level::ReadUncommitted, "read-uncommitted", Reads::Dirty, Snapshots::Newest, Checks::Nothing,
       "reads see uncommitted writes; write locks until the end"},
      {Level::ReadCommitted, "read-committed", Reads::NewestCommit, Snapshots::Newest, Checks::Nothing,
       "every read sees the newest commit; updates may be lost"},
      {Level::PrefixConsistency, "prefix-consistency", Reads::Snapshot, Snapshots::Newest, Checks::Nothing,
       "reads from one snapshot; updates may be lost"},
      {Level::SnapshotIsolation, "snapshot-isolation", Reads::Snapshot, Snapshots::Any, Checks::Writes,
       "first committer wins; a snapshot may miss even the session's own past"},
      {Level::StrongSessionSnapshotIsolation, "strong-session-snapshot-isolation", Reads::Snapshot,
       Snapshots::Session, Checks::Writes, "first committer wins; a snapshot contains the session's past"},
      {Level::StrongSnapshotIsolation, "strong-snapshot-isolation", Reads::Snapshot, Snapshots::Newest,
       Checks::Writes, "first committer wins; a snapshot contains every commit so far"},
      {Level::Serializable, "serializable", Reads::Snapshot, Snapshots::Any, Checks::WritesAndReads,
       "commits check their reads; transactions that only read may see an old state"},
      {Level::StrongSessionSerializable, "strong-session-serializable", Reads::Snapshot, Snapshots::Session,
       Checks::WritesAndReads,
       "commits check their reads; transactions that only read see the session's past at least"},
      {Level::StrictSerializable, "strict-serializable", Reads::Snapshot, Snapshots::Newest,
       Checks::WritesAndReads, "commits check their reads; every snapshot is the newest"},
  }};
  return table;
}

const SimulatedLevelInfo& info(SimulatedLevel level) {
  return all_simulated_levels()[static_cast<std::size_t>(level)];
}

SimulatedLevel parse_simulated_level(std::string_view name) {
  std::vector<ChoiceInfo> rows;
  for (const SimulatedLevelInfo& row : all_simulated_levels()) rows.push_back({row.name, {}});
  return all_simulated_levels()[parse_choice("simulated level", name, rows).row].level;
}

}  // namespace serval
