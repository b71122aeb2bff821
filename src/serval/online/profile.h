#pragma once
// Which mechanisms a database uses at an isolation level: a table with one row per database and level
// (Leopard, Table I; docs/mirror.md shows the same table). Traces do not contain this information.
//
//   const Profile& profile = *find_profile("postgres:repeatable-read");
//   profile.first_updater_wins == true
//
// A row states only what the database guarantees regardless of clocks, network and query plans. Anything
// uncertain is left out, because a wrong promise would cause false alarms. Users add rows as files
// (profile_file.h).

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/levels/level.h"
#include "serval/stream/record.h"

namespace serval::online {

// When the snapshot of consistent reads is taken.
enum class SnapshotPoint : std::uint8_t {
  Statement,            // Each statement sees what was committed when it began to run.
  FirstStatement,       // By the first statement of the transaction, of any kind.
  FirstConsistentRead,  // By the first plain read; writes and locking reads do not count.
  Begin,                // At the begin, or lazily by the first statement.
  Anytime,              // At any time between the begin and the end.
};

// When the writes of a transaction become visible.
enum class InstallPoint : std::uint8_t {
  Commit,   // While the commit runs.
  Anytime,  // At any time between the begin and the end, which is all that levels with real time require.
};

// Which cycles of dependencies the level forbids.
enum class CycleRule : std::uint8_t {
  InformationFlow,  // Of ww and wr.
  Prefix,           // Those impossible with one snapshot per transaction, even without write conflicts.
  Snapshot,         // Of ww, wr and rw, unless two rw follow each other.
  Serial,           // All.
};

// The database's own rule against such cycles; counted as a hint, never a verdict.
enum class Certifier : std::uint8_t {
  None,
  SerializableSnapshot,  // SSI: two rw in a row, the last of the three committed first.
  TimestampOrder,        // TO: a dependency from a newer to an older commit.
  Optimistic,            // OCC: something read was overwritten before the commit.
  Percolator,            // Something written was overwritten since the start.
};

// How old a snapshot may be.
enum class Freshness : std::uint8_t {
  Current,  // It contains everything that was acknowledged before.
  Any,      // Any state of the past.
};

// How it is known that the database keeps these promises.
enum class Basis : std::uint8_t {
  Documentation,  // Its documentation says so; nobody has compared it with the database.
  Tests,          // Serval's tests ran every workload on the real database without an alarm.
  Definition,     // The level or the simulated database is defined so.
  Probe,          // `serval probe` saw the database keep them.
};

struct Profile {
  std::string database;   // "postgres"
  std::string isolation;  // The vendor's name: "repeatable-read"
  Level level;            // The corresponding level.
  std::string protocol;   // "2PL+MVCC+SSI"
  Basis basis = Basis::Documentation;

  ReadMode plain_read = ReadMode::Consistent;    // SELECT.
  ReadMode locking_read = ReadMode::Consistent;  // SELECT ... FOR UPDATE, and refused inserts.
  ReadMode writing_read = ReadMode::Consistent;  // What an UPDATE replaces.
  LockMode plain_lock = LockMode::None;          // SELECT.
  LockMode write_lock = LockMode::Exclusive;
  SnapshotPoint snapshot = SnapshotPoint::Statement;
  InstallPoint install = InstallPoint::Commit;
  // A statement reads all rows from one state. Otherwise each row may be read at a different moment.
  bool one_state_a_statement = true;
  // One clock orders commits across keys. Without it only the versions of a single key follow real time.
  bool one_clock = true;
  Freshness freshness = Freshness::Current;
  bool keeps_sessions = false;  // Transactions of a session are ordered.
  bool first_updater_wins = false;
  // Of several transactions that read a version and then write the key, only one commits. Not set if
  // first_updater_wins or the cycles imply it.
  bool one_update_a_version = false;
  // An update that does not change a row writes nothing: the transaction still sees the row of its
  // snapshot.
  bool equal_writes_vanish = false;
  CycleRule cycles = CycleRule::InformationFlow;
  Certifier certifier = Certifier::None;

  std::string name() const;  // "postgres:repeatable-read"
  friend bool operator==(const Profile&, const Profile&) = default;
};

std::span<const Profile> all_profiles();
// "postgres:serializable"; case, "-", "_" and " " do not matter. "generic:LEVEL" takes aliases of levels.
const Profile* find_profile(std::string_view name);
// The row of the same database for the level of a transaction; null if there is none. A profile from a file
// has no other rows: what the database promises at other levels is unknown.
const Profile* sibling(const Profile& profile, StatedLevel level);
// By the facts of a run: {"database": "PostgreSQL", "isolation": "repeatable-read", ...}; null if none
// fits.
const Profile* profile_of_run(const std::map<std::string, std::string>& facts);

// The names nearest to a misspelled one, best first, at most three.
std::vector<std::string> suggest_profiles(std::string_view misspelled);

// Chooses a profile by file, by name, by level, or by the facts of a recording.
//
//   choose_profile({.name = "postgres:serializable"}, {});
//   choose_profile({}, history.facts());
struct ProfileChoice {
  std::string name = {};                     // "postgres:serializable"; empty: not chosen by name.
  std::optional<Level> level = {};           // Instead of a name: what this level requires of any database.
  std::shared_ptr<const Profile> file = {};  // Instead of a name: read from a file.

  bool empty() const noexcept { return name.empty() && !level && file == nullptr; }
};

// The file has priority, then the name, the level and the facts. The result lives as long as the choice.
// Throws UsageError if nothing fits, with the nearest names or with the levels that have a profile.
const Profile& choose_profile(const ProfileChoice& choice, const std::map<std::string, std::string>& facts);

}  // namespace serval::online
