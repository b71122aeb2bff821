#pragma once
// Which mechanisms a database uses at an isolation level, and how: data, one row a database and level
// (Leopard, Table I; docs/mirror.md is the same table for people). Traces do not know this, profiles do.
//
//   const Profile& profile = *find_profile("postgres:repeatable-read");
//   profile.first_updater_wins == true
//
// A row promises only what the database promises whatever its clock, network and plans do: what is not
// certain is left out, because a promise that does not hold is a false alarm.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/levels/level.h"
#include "serval/stream/record.h"

namespace serval::online {

// When the state that consistent reads see is fixed.
enum class SnapshotPoint : std::uint8_t {
  Statement,            // Each statement sees what was committed when it began to run.
  FirstStatement,       // Of the transaction, whatever it is.
  FirstConsistentRead,  // Writes and locking reads before it do not count.
  Begin,                // At the begin, or when the first statement asks for it.
  Anytime,              // Somewhere between the begin and the end.
};

// When what a transaction wrote becomes what others read.
enum class InstallPoint : std::uint8_t {
  Commit,   // While the commit runs.
  Anytime,  // Somewhere between the begin and the end: as much as levels with real time say.
};

// What cycles of dependencies the level forbids.
enum class CycleRule : std::uint8_t {
  InformationFlow,  // Of ww and wr.
  Prefix,           // Of what one snapshot a transaction allows, whoever else wrote the same.
  Snapshot,         // Of ww, wr and rw, unless two rw follow each other.
  Serial,           // All.
};

// The database's own rule for the same purpose; counted as a hint, never a verdict.
enum class Certifier : std::uint8_t {
  None,
  SerializableSnapshot,  // SSI: two rw in a row, the last of the three committed first.
  TimestampOrder,        // TO: a dependency from a newer to an older commit.
  Optimistic,            // OCC: something read was overwritten before the commit.
  Percolator,            // Something written was overwritten since the start.
};

// How old the state may be that a read sees.
enum class Freshness : std::uint8_t {
  Current,  // As of its moment: whatever was acknowledged before is there.
  Any,      // Any state of the past.
};

struct Profile {
  std::string_view database;   // "postgres"
  std::string_view isolation;  // As the vendor calls it: "repeatable-read"
  Level level;                 // What that is.
  std::string_view protocol;   // "2PL+MVCC+SSI"

  ReadMode plain_read = ReadMode::Consistent;    // SELECT.
  ReadMode locking_read = ReadMode::Consistent;  // SELECT ... FOR UPDATE, and refused inserts.
  ReadMode writing_read = ReadMode::Consistent;  // What an UPDATE replaces.
  LockMode plain_lock = LockMode::None;          // SELECT.
  LockMode write_lock = LockMode::Exclusive;
  SnapshotPoint snapshot = SnapshotPoint::Statement;
  InstallPoint install = InstallPoint::Commit;
  // Rows of one statement are of one state. Otherwise each is of a moment of its own.
  bool one_state_a_statement = true;
  // One clock orders commits of different keys. Without it only the versions of each key are in real time.
  bool one_clock = true;
  Freshness freshness = Freshness::Current;
  bool keeps_sessions = false;  // A transaction comes after those before it in its session.
  bool first_updater_wins = false;
  // Of those that read a version and write the key next, one commits. Where first_updater_wins or the cycles
  // say so already, this is not set.
  bool one_update_a_version = false;
  // An update that leaves a row as it is writes nothing: the transaction goes on seeing its snapshot's row.
  bool equal_writes_vanish = false;
  CycleRule cycles = CycleRule::InformationFlow;
  Certifier certifier = Certifier::None;

  std::string name() const;  // "postgres:repeatable-read"
};

std::span<const Profile> all_profiles();
// "postgres:serializable"; case, "-", "_" and " " do not matter. "generic:LEVEL" takes aliases of levels.
const Profile* find_profile(std::string_view name);
// The row of the same database for what a transaction asked for; null where there is none.
const Profile* sibling(const Profile& profile, StatedLevel level);
// For a run's facts: {"database": "PostgreSQL", "isolation": "repeatable-read", ...}; null where none fits.
const Profile* profile_of_run(const std::map<std::string, std::string>& facts);
// The names nearest to a misspelled one, best first, at most three.
std::vector<std::string> suggest_profiles(std::string_view misspelled);

}  // namespace serval::online
