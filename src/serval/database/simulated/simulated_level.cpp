#include "serval/database/simulated/simulated_level.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "serval/workload/parameters.h"

namespace serval {
namespace {

using Level = SimulatedLevel;
using Info = SimulatedLevelInfo;
using Reads = Info::Reads;
using Snapshots = Info::Snapshots;
using Checks = Info::Checks;
using Locks = Info::Locks;
using Data = Info::Data;

constexpr std::array<Info, 10> kLevels = {{
    {Level::ReadUncommitted, "read-uncommitted", Reads::Dirty, Snapshots::Newest, Checks::Nothing, Locks::All,
     Data::Keys, "reads see uncommitted writes; write locks until the end"},
    {Level::ReadCommitted, "read-committed", Reads::NewestCommit, Snapshots::Newest, Checks::Nothing,
     Locks::Partial, Data::Both, "every read sees the newest commit; updates may be lost"},
    {Level::RepeatableRead, "repeatable-read", Reads::NewestCommit, Snapshots::Newest, Checks::Reads,
     Locks::None, Data::Rows, "commits check the rows they read, but not the ranges"},
    {Level::PrefixConsistency, "prefix-consistency", Reads::Snapshot, Snapshots::Newest, Checks::Nothing,
     Locks::Partial, Data::Keys, "reads from one snapshot; updates may be lost"},
    {Level::SnapshotIsolation, "snapshot-isolation", Reads::Snapshot, Snapshots::Any, Checks::Writes,
     Locks::None, Data::Both, "first committer wins; a snapshot may miss even the session's own past"},
    {Level::StrongSessionSnapshotIsolation, "strong-session-snapshot-isolation", Reads::Snapshot,
     Snapshots::Session, Checks::Writes, Locks::None, Data::Both,
     "first committer wins; a snapshot contains the session's past"},
    {Level::StrongSnapshotIsolation, "strong-snapshot-isolation", Reads::Snapshot, Snapshots::Newest,
     Checks::Writes, Locks::None, Data::Both,
     "first committer wins; a snapshot contains every commit so far"},
    {Level::Serializable, "serializable", Reads::Snapshot, Snapshots::Any, Checks::WritesAndReads,
     Locks::None, Data::Both, "commits check their reads; transactions that only read may see an old state"},
    {Level::StrongSessionSerializable, "strong-session-serializable", Reads::Snapshot, Snapshots::Session,
     Checks::WritesAndReads, Locks::None, Data::Both,
     "commits check their reads; transactions that only read see the session's past at least"},
    {Level::StrictSerializable, "strict-serializable", Reads::Snapshot, Snapshots::Newest,
     Checks::WritesAndReads, Locks::None, Data::Both,
     "commits check their reads; every snapshot is the newest"},
}};

std::vector<Info> levels_except(Data data) {
  std::vector<Info> out;
  std::ranges::copy_if(kLevels, std::back_inserter(out), [=](const Info& row) { return row.data != data; });
  return out;
}

Level parse(std::string_view kind, std::string_view name, std::span<const Info> levels) {
  std::vector<ChoiceInfo> rows;
  for (const Info& row : levels) rows.push_back({row.name, {}});
  return levels[parse_choice(kind, name, rows).row].level;
}

}  // namespace

std::span<const SimulatedLevelInfo> all_simulated_levels() {
  static const std::vector<Info> levels = levels_except(Data::Rows);
  return levels;
}

std::span<const SimulatedLevelInfo> all_row_levels() {
  static const std::vector<Info> levels = levels_except(Data::Keys);
  return levels;
}

const SimulatedLevelInfo& info(SimulatedLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

SimulatedLevel parse_simulated_level(std::string_view name) {
  return parse("simulated level", name, all_simulated_levels());
}

SimulatedLevel parse_row_level(std::string_view name) {
  return parse("level of simulated rows", name, all_row_levels());
}

}  // namespace serval
