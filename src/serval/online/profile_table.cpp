// Sources: Leopard, Table I and its guideline for lock and read modes by statement, and the manuals of
// the databases. docs/mirror.md gives the source of each row.
#include <vector>

#include "serval/online/profile.h"

namespace serval::online {
namespace {

using enum SnapshotPoint;
constexpr auto kLocking = ReadMode::Locking;
constexpr auto kUncommitted = ReadMode::Uncommitted;

// Snapshot isolation with write locks; the first updater wins.
Profile snapshot_row(std::string_view database, std::string_view isolation, std::string_view protocol,
                     Level level = Level::SnapshotIsolation) {
  return {.database = database,
          .isolation = isolation,
          .level = level,
          .protocol = protocol,
          .snapshot = FirstStatement,
          .first_updater_wins = true,
          .cycles = CycleRule::Snapshot};
}

Profile serializable_row(Profile row, Certifier certifier) {
  row.level = Level::Serializable;
  row.cycles = CycleRule::Serial;
  row.certifier = certifier;
  return row;
}

// Each statement sees what was committed when it began; writes wait for locks.
Profile statement_row(std::string_view database, std::string_view isolation, std::string_view protocol) {
  return {.database = database,
          .isolation = isolation,
          .level = Level::ReadCommitted,
          .protocol = protocol,
          .snapshot = Statement};
}

// YugabyteDB has several nodes with their own clocks: only the versions of a single key follow real time.
void add_postgres(std::vector<Profile>& rows, std::string_view database) {
  for (const std::string_view isolation : {"read-uncommitted", "read-committed"})
    rows.push_back(statement_row(database, isolation, "2PL+MVCC"));
  rows.push_back(snapshot_row(database, "repeatable-read", "2PL+MVCC"));
  rows.push_back(serializable_row(snapshot_row(database, "serializable", "2PL+MVCC+SSI"),
                                  Certifier::SerializableSnapshot));
  for (Profile& row : rows)
    if (row.database == "yugabytedb") row.one_clock = row.one_state_a_statement = false;
}

// InnoDB: writes and locking reads see the current state, plain reads a snapshot. So updates may be lost
// at repeatable read, by design.
Profile innodb_row(std::string_view database, std::string_view isolation, SnapshotPoint snapshot) {
  Profile row = statement_row(database, isolation, "2PL+MVCC");
  row.locking_read = row.writing_read = kLocking;
  row.snapshot = snapshot;
  row.equal_writes_vanish = database != "tidb";
  return row;
}

void add_innodb(std::vector<Profile>& rows, std::string_view database) {
  Profile uncommitted = innodb_row(database, "read-uncommitted", Statement);
  uncommitted.level = Level::ReadUncommitted;
  uncommitted.plain_read = kUncommitted;
  rows.push_back(uncommitted);
  rows.push_back(innodb_row(database, "read-committed", Statement));
  rows.push_back(innodb_row(database, "repeatable-read", FirstConsistentRead));
  Profile serializable = innodb_row(database, "serializable", Statement);
  serializable.level = Level::Serializable;
  serializable.plain_read = kLocking;
  serializable.plain_lock = LockMode::Shared;
  serializable.cycles = CycleRule::Serial;
  rows.push_back(serializable);
}

void add_mariadb_snapshot(std::vector<Profile>& rows) {
  Profile row = innodb_row("mariadb-snapshot", "repeatable-read", FirstConsistentRead);
  row.level = Level::SnapshotIsolation;
  row.first_updater_wins = true;
  // Locking reads before the first plain read see the current state, so a cycle proves nothing.
  rows.push_back(row);
}

void add_tidb(std::vector<Profile>& rows) {
  rows.push_back(innodb_row("tidb", "read-committed", Statement));
  rows.push_back(innodb_row("tidb", "repeatable-read", Begin));
  Profile optimistic = snapshot_row("tidb-optimistic", "repeatable-read", "Percolator");
  optimistic.snapshot = Begin;
  optimistic.write_lock = LockMode::None;
  optimistic.certifier = Certifier::Percolator;
  rows.push_back(optimistic);
}

void add_rocksdb(std::vector<Profile>& rows) {
  for (const std::string_view database : {"rocksdb", "rocksdb-optimistic"}) {
    const bool locks = database == "rocksdb";
    Profile committed = statement_row(database, "read-committed", locks ? "2PL+MVCC" : "OCC+MVCC");
    committed.locking_read = committed.writing_read = kLocking;
    Profile snapshot = snapshot_row(database, "snapshot-isolation", locks ? "2PL+MVCC" : "OCC+MVCC");
    snapshot.snapshot = Begin;
    Profile serializable = serializable_row(committed, locks ? Certifier::None : Certifier::Optimistic);
    serializable.isolation = "serializable";
    serializable.plain_read = kLocking;
    if (locks) serializable.plain_lock = LockMode::Exclusive;
    for (Profile* row : {&committed, &snapshot, &serializable}) {
      if (!locks) row->write_lock = LockMode::None;
      rows.push_back(*row);
    }
  }
}

void add_others(std::vector<Profile>& rows) {
  // One writer at a time; no other transaction commits between the first statement of a transaction and
  // its commit.
  Profile sqlite = serializable_row(snapshot_row("sqlite", "serializable", "2PL"), Certifier::None);
  rows.push_back(sqlite);
  sqlite.isolation = "deferred";  // Others may commit in between; then this transaction can only read.
  rows.push_back(sqlite);
  sqlite.isolation = "read-uncommitted";  // With a shared cache.
  sqlite.level = Level::ReadUncommitted;
  sqlite.plain_read = sqlite.locking_read = sqlite.writing_read = kUncommitted;
  sqlite.first_updater_wins = false;
  sqlite.cycles = CycleRule::InformationFlow;
  rows.push_back(sqlite);

  // Writes take no locks, and every node has its own clock.
  Profile cockroach =
      serializable_row(snapshot_row("cockroachdb", "serializable", "TO+MVCC"), Certifier::TimestampOrder);
  cockroach.write_lock = LockMode::None;
  cockroach.locking_read = kLocking;
  cockroach.one_clock = cockroach.one_state_a_statement = false;
  cockroach.first_updater_wins = false;
  cockroach.snapshot = Anytime;  // A transaction may move to a later timestamp.
  rows.push_back(cockroach);

  for (const std::string_view database : {"oracle", "oceanbase"}) {
    rows.push_back(statement_row(database, "read-committed", "2PL+MVCC"));
    rows.push_back(
        snapshot_row(database, database == "oracle" ? "serializable" : "repeatable-read", "2PL+MVCC"));
  }
  rows.push_back(snapshot_row("oceanbase", "serializable", "2PL+MVCC"));

  // Read locks end with the read, so each row may be read at a different moment.
  Profile server = statement_row("sqlserver", "read-committed", "2PL");
  server.plain_read = server.locking_read = server.writing_read = kLocking;
  server.one_state_a_statement = false;
  rows.push_back(server);
  server.plain_lock = LockMode::Shared;
  server.level = Level::RepeatableRead;
  server.isolation = "repeatable-read";
  server.cycles = CycleRule::Serial;
  rows.push_back(server);
  server.level = Level::Serializable;
  server.isolation = "serializable";
  rows.push_back(server);
  rows.push_back(snapshot_row("sqlserver", "snapshot", "2PL+MVCC"));
  rows.push_back(statement_row("sqlserver-versioned", "read-committed", "2PL+MVCC"));
}

// See docs/simulated-database.md.
void add_simulated(std::vector<Profile>& rows) {
  const auto add = [&](std::string_view isolation, Level level, Freshness freshness) -> Profile& {
    Profile row = snapshot_row("simulated", isolation, "MVCC", level);
    row.write_lock = LockMode::None;
    row.freshness = freshness;
    return rows.emplace_back(row);
  };
  for (const Level level : {Level::ReadUncommitted, Level::ReadCommitted, Level::PrefixConsistency}) {
    Profile& row = add(name_of(level), level, Freshness::Current);
    row.first_updater_wins = false;
    row.cycles = level == Level::PrefixConsistency ? CycleRule::Prefix : CycleRule::InformationFlow;
    if (level != Level::PrefixConsistency) row.snapshot = Statement;
    if (level == Level::ReadUncommitted) row.plain_read = row.writing_read = row.locking_read = kUncommitted;
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
    const auto read = reads_committed ? ReadMode::Consistent : kUncommitted;
    rows.push_back(
        {.database = "generic",
         .isolation = level.name,
         .level = level.level,
         .protocol = "any",
         .plain_read = read,
         .locking_read = read,
         .writing_read = read,
         .write_lock = LockMode::None,
         .snapshot = Anytime,
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

std::vector<Profile> make_rows() {
  std::vector<Profile> rows;
  for (const std::string_view database : {"postgres", "yugabytedb"}) add_postgres(rows, database);
  for (const std::string_view database : {"mariadb", "mysql"}) add_innodb(rows, database);
  add_mariadb_snapshot(rows);
  add_tidb(rows);
  add_rocksdb(rows);
  add_others(rows);
  add_simulated(rows);
  add_generic(rows);
  return rows;
}

}  // namespace

std::span<const Profile> all_profiles() {
  static const std::vector<Profile> rows = make_rows();
  return rows;
}

}  // namespace serval::online
