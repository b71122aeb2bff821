// Databases that spread their rows over nodes. Most have no single clock: only the versions of one key
// follow real time, and a statement may see different keys at different moments.
#include <vector>

#include "serval/online/profile_rows.h"

namespace serval::online {
namespace {

Profile with_clocks_of_nodes(Profile row) {
  row.one_clock = row.one_state_a_statement = false;
  return row;
}

void add_yugabytedb(std::vector<Profile>& rows) {
  for (const std::string_view isolation : {"read-uncommitted", "read-committed"})
    rows.push_back(with_clocks_of_nodes(statement_row("yugabytedb", isolation, "2PL+MVCC")));
  const Profile snapshot = with_clocks_of_nodes(snapshot_row("yugabytedb", "repeatable-read", "2PL+MVCC"));
  rows.push_back(snapshot);
  rows.push_back(serializable_row(snapshot, Certifier::SerializableSnapshot));
  rows.back().isolation = "serializable";
  rows.back().protocol = "2PL+MVCC+SSI";
}

void add_tidb(std::vector<Profile>& rows) {
  for (const auto& [isolation, point] : {std::pair{"read-committed", SnapshotPoint::Statement},
                                         std::pair{"repeatable-read", SnapshotPoint::Begin}}) {
    rows.push_back(innodb_row("tidb", isolation, point));
    rows.back().equal_writes_vanish = false;
  }
  Profile optimistic = snapshot_row("tidb-optimistic", "repeatable-read", "Percolator");
  optimistic.snapshot = SnapshotPoint::Begin;
  optimistic.write_lock = LockMode::None;
  optimistic.certifier = Certifier::Percolator;
  rows.push_back(optimistic);
}

// Writes take no locks, and every node has its own clock.
void add_cockroachdb(std::vector<Profile>& rows) {
  Profile row = with_clocks_of_nodes(
      serializable_row(snapshot_row("cockroachdb", "serializable", "TO+MVCC"), Certifier::TimestampOrder));
  row.write_lock = LockMode::None;
  row.locking_read = ReadMode::Locking;
  row.first_updater_wins = false;
  row.snapshot = SnapshotPoint::Anytime;  // A transaction may move to a later timestamp.
  rows.push_back(row);
}

void add_oceanbase(std::vector<Profile>& rows) {
  rows.push_back(statement_row("oceanbase", "read-committed", "2PL+MVCC"));
  for (const std::string_view isolation : {"repeatable-read", "serializable"})
    rows.push_back(snapshot_row("oceanbase", isolation, "2PL+MVCC"));
}

// One sequencer orders all commits. A transaction gets its read version with its first read, and buffers
// its writes until the commit, which fails if something that it read has changed. Snapshot reads are not
// compared at the commit, so `snapshot` forbids only what one snapshot excludes.
void add_foundationdb(std::vector<Profile>& rows) {
  Profile row =
      serializable_row(snapshot_row("foundationdb", "serializable", "OCC+MVCC"), Certifier::Optimistic);
  row.level = Level::StrictSerializable;
  row.snapshot = SnapshotPoint::FirstConsistentRead;
  row.write_lock = LockMode::None;
  row.first_updater_wins = false;
  rows.push_back(row);
  row.isolation = "snapshot";
  row.level = Level::PrefixConsistency;
  row.cycles = CycleRule::Prefix;
  row.certifier = Certifier::None;
  rows.push_back(row);
}

// External consistency: each transaction takes effect at one moment between its begin and its end.
// Mutations are buffered, so their locks are taken by the commit only; strong read-only transactions read
// at a timestamp, without locks. Nothing is promised about stale reads. At repeatable read only writers of
// the same row exclude each other.
void add_spanner(std::vector<Profile>& rows) {
  Profile row = serializable_row(snapshot_row("spanner", "serializable", "2PL+MVCC"), Certifier::None);
  row.level = Level::StrictSerializable;
  row.snapshot = SnapshotPoint::Anytime;
  row.write_lock = LockMode::None;
  row.first_updater_wins = false;
  rows.push_back(row);
  Profile snapshot = snapshot_row("spanner", "repeatable-read", "OCC+MVCC");
  snapshot.snapshot = SnapshotPoint::FirstConsistentRead;
  snapshot.write_lock = LockMode::None;
  rows.push_back(snapshot);
}

// READ COMMITTED only. The documentation says neither that the partitions of a table are read at one
// moment nor how soon a commit is visible on all of them.
void add_singlestore(std::vector<Profile>& rows) {
  Profile row = with_clocks_of_nodes(innodb_row("singlestore", "read-committed", SnapshotPoint::Statement));
  row.freshness = Freshness::Any;
  rows.push_back(row);
}

// Commits reach the other transaction engines by messages, so a read may be old. REPEATABLE READ and
// SERIALIZABLE are other names of CONSISTENT READ.
void add_nuodb(std::vector<Profile>& rows) {
  Profile committed = with_clocks_of_nodes(statement_row("nuodb", "read-committed", "2PL+MVCC"));
  committed.locking_read = committed.writing_read = ReadMode::Locking;
  committed.freshness = Freshness::Any;
  rows.push_back(committed);
  for (const std::string_view isolation : {"consistent-read", "repeatable-read", "serializable"}) {
    rows.push_back(with_clocks_of_nodes(snapshot_row("nuodb", isolation, "2PL+MVCC")));
    rows.back().freshness = Freshness::Any;
  }
}

}  // namespace

void add_distributed_profiles(std::vector<Profile>& rows) {
  add_yugabytedb(rows);
  add_tidb(rows);
  add_cockroachdb(rows);
  add_oceanbase(rows);
  add_foundationdb(rows);
  add_spanner(rows);
  add_singlestore(rows);
  add_nuodb(rows);
}

}  // namespace serval::online
