// Profiles without a manufacturer: the simulated database, and what a level requires of any database.
#include <string>
#include <vector>

#include "serval/online/profile_rows.h"

namespace serval::online {
namespace {

// See docs/simulated-database.md.
void add_simulated(std::vector<Profile>& rows) {
  const auto add = [&](std::string_view isolation, Level level, Freshness freshness) -> Profile& {
    Profile row = snapshot_row("simulated", isolation, "MVCC", level);
    row.write_lock = LockMode::None;
    row.basis = Basis::Definition;
    row.freshness = freshness;
    return rows.emplace_back(row);
  };
  for (const Level level : {Level::ReadUncommitted, Level::ReadCommitted, Level::PrefixConsistency}) {
    Profile& row = add(name_of(level), level, Freshness::Current);
    row.first_updater_wins = false;
    row.cycles = level == Level::PrefixConsistency ? CycleRule::Prefix : CycleRule::InformationFlow;
    if (level != Level::PrefixConsistency) row.snapshot = SnapshotPoint::Statement;
    if (level == Level::ReadUncommitted)
      row.plain_read = row.writing_read = row.locking_read = ReadMode::Uncommitted;
  }
  rows[rows.size() - 3].write_lock = LockMode::Exclusive;
  for (const Level level :
       {Level::SnapshotIsolation, Level::StrongSessionSnapshotIsolation, Level::StrongSnapshotIsolation,
        Level::Serializable, Level::StrongSessionSerializable, Level::StrictSerializable}) {
    Profile& row = add(name_of(level), level, uses_real_time(level) ? Freshness::Current : Freshness::Any);
    if (implies(level, Level::Serializable)) row.cycles = CycleRule::Serial;
    row.keeps_sessions = uses_session_order(level);
  }
}

// For databases without a row: what the level requires, and that the versions of a key follow real time.
void add_generic(std::vector<Profile>& rows) {
  for (const LevelInfo& level : all_levels()) {
    const bool reads_committed = implies(level.level, Level::ReadCommitted);
    if (!reads_committed && !implies(level.level, Level::ReadUncommitted)) continue;
    if (level.level == Level::Linearizable) continue;
    const bool snapshot = implies(level.level, Level::SnapshotIsolation);
    const bool serial = implies(level.level, Level::RepeatableRead);
    const bool prefix = implies(level.level, Level::PrefixConsistency);
    const auto read = reads_committed ? ReadMode::Consistent : ReadMode::Uncommitted;
    rows.push_back(
        {.database = "generic",
         .isolation = std::string(level.name),
         .level = level.level,
         .protocol = "any",
         .basis = Basis::Definition,
         .plain_read = read,
         .locking_read = read,
         .writing_read = read,
         .write_lock = LockMode::None,
         .snapshot = SnapshotPoint::Anytime,
         .install = InstallPoint::Anytime,
         .one_state_a_statement = false,
         .one_clock = snapshot && uses_real_time(level.level),
         .freshness = snapshot && uses_real_time(level.level) ? Freshness::Current : Freshness::Any,
         .keeps_sessions = (snapshot || prefix) && uses_session_order(level.level),
         .first_updater_wins = false,
         .one_update_a_version = !serial && implies(level.level, Level::CursorStability),
         .cycles = serial     ? CycleRule::Serial
                   : snapshot ? CycleRule::Snapshot
                   : prefix   ? CycleRule::Prefix
                              : CycleRule::InformationFlow});
  }
}

}  // namespace

void add_abstract_profiles(std::vector<Profile>& rows) {
  add_simulated(rows);
  add_generic(rows);
}

}  // namespace serval::online
