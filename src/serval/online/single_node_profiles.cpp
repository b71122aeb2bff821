// Databases that have one primary node, or run inside the process. Rows for a cluster (Aurora, PolarDB)
// hold for sessions on its writer: readers lag behind.
#include <string>
#include <vector>

#include "serval/online/profile_rows.h"

namespace serval::online {
namespace {

constexpr auto kLocking = ReadMode::Locking;
constexpr auto kUncommitted = ReadMode::Uncommitted;

void add_postgres(std::vector<Profile>& rows, std::string_view database, Basis basis) {
  const auto add = [&](Profile row) {
    row.basis = basis;
    rows.push_back(std::move(row));
  };
  for (const std::string_view isolation : {"read-uncommitted", "read-committed"})
    add(statement_row(database, isolation, "2PL+MVCC"));
  add(snapshot_row(database, "repeatable-read", "2PL+MVCC"));
  add(serializable_row(snapshot_row(database, "serializable", "2PL+MVCC+SSI"),
                       Certifier::SerializableSnapshot));
}

// Unlike PostgreSQL: SERIALIZABLE is REPEATABLE READ, without SSI. The manual discourages READ UNCOMMITTED
// and does not say what it shows.
void add_opengauss(std::vector<Profile>& rows) {
  Profile uncommitted = statement_row("opengauss", "read-uncommitted", "2PL+MVCC");
  uncommitted.level = Level::ReadUncommitted;
  uncommitted.plain_read = uncommitted.locking_read = uncommitted.writing_read = kUncommitted;
  rows.push_back(uncommitted);
  rows.push_back(statement_row("opengauss", "read-committed", "2PL+MVCC"));
  for (const std::string_view isolation : {"repeatable-read", "serializable"})
    rows.push_back(snapshot_row("opengauss", isolation, "2PL+MVCC"));
}

void add_innodb(std::vector<Profile>& rows, std::string_view database, Basis basis) {
  const auto add = [&](Profile row) {
    row.basis = basis;
    rows.push_back(std::move(row));
  };
  Profile uncommitted = innodb_row(database, "read-uncommitted", SnapshotPoint::Statement);
  uncommitted.level = Level::ReadUncommitted;
  uncommitted.plain_read = kUncommitted;
  add(uncommitted);
  add(innodb_row(database, "read-committed", SnapshotPoint::Statement));
  add(innodb_row(database, "repeatable-read", SnapshotPoint::FirstConsistentRead));
  Profile serializable = innodb_row(database, "serializable", SnapshotPoint::Statement);
  serializable.level = Level::Serializable;
  serializable.plain_read = kLocking;
  serializable.plain_lock = LockMode::Shared;
  serializable.cycles = CycleRule::Serial;
  add(serializable);
}

void add_mariadb_snapshot(std::vector<Profile>& rows) {
  Profile row = innodb_row("mariadb-snapshot", "repeatable-read", SnapshotPoint::FirstConsistentRead);
  row.level = Level::SnapshotIsolation;
  row.first_updater_wins = true;
  row.basis = Basis::Tests;
  // Locking reads before the first plain read see the current state, so a cycle proves nothing.
  rows.push_back(row);
}

void add_rocksdb(std::vector<Profile>& rows) {
  for (const std::string_view database : {"rocksdb", "rocksdb-optimistic"}) {
    const bool locks = database == "rocksdb";
    Profile committed = statement_row(database, "read-committed", locks ? "2PL+MVCC" : "OCC+MVCC");
    committed.locking_read = committed.writing_read = kLocking;
    Profile snapshot = snapshot_row(database, "snapshot-isolation", locks ? "2PL+MVCC" : "OCC+MVCC");
    snapshot.snapshot = SnapshotPoint::Begin;
    Profile serializable = serializable_row(committed, locks ? Certifier::None : Certifier::Optimistic);
    serializable.isolation = "serializable";
    serializable.plain_read = kLocking;
    if (locks) serializable.plain_lock = LockMode::Exclusive;
    for (Profile* row : {&committed, &snapshot, &serializable}) {
      if (!locks) row->write_lock = LockMode::None;
      row->basis = Basis::Tests;
      rows.push_back(*row);
    }
  }
}

void add_sqlite(std::vector<Profile>& rows) {
  // One writer at a time; no other transaction commits between the first statement of a transaction and
  // its commit.
  Profile sqlite = serializable_row(snapshot_row("sqlite", "serializable", "2PL"), Certifier::None);
  sqlite.basis = Basis::Tests;
  rows.push_back(sqlite);
  sqlite.isolation = "deferred";  // Others may commit in between; then this transaction can only read.
  rows.push_back(sqlite);
  sqlite.isolation = "read-uncommitted";  // With a shared cache.
  sqlite.level = Level::ReadUncommitted;
  sqlite.plain_read = sqlite.locking_read = sqlite.writing_read = kUncommitted;
  sqlite.first_updater_wins = false;
  sqlite.cycles = CycleRule::InformationFlow;
  rows.push_back(sqlite);
}

void add_sqlserver(std::vector<Profile>& rows) {
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

}  // namespace

void add_single_node_profiles(std::vector<Profile>& rows) {
  add_postgres(rows, "postgres", Basis::Tests);
  add_postgres(rows, "aurora-postgres", Basis::Documentation);
  add_opengauss(rows);
  add_innodb(rows, "mariadb", Basis::Tests);
  add_mariadb_snapshot(rows);
  for (const std::string_view database : {"mysql", "aurora-mysql", "polardb"})
    add_innodb(rows, database, Basis::Documentation);
  add_rocksdb(rows);
  add_sqlite(rows);
  rows.push_back(statement_row("oracle", "read-committed", "2PL+MVCC"));
  rows.push_back(snapshot_row("oracle", "serializable", "2PL+MVCC"));
  add_sqlserver(rows);
  // SERIALIZABLE is REPEATABLE READ: a snapshot for the transaction, without a certifier.
  rows.push_back(statement_row("sap-hana", "read-committed", "2PL+MVCC"));
  for (const std::string_view isolation : {"repeatable-read", "serializable"})
    rows.push_back(snapshot_row("sap-hana", isolation, "2PL+MVCC"));
}

}  // namespace serval::online
