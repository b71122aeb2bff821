// Sources: Leopard, Table I and its guideline for lock and read modes by statement, and the manuals of
// the databases. docs/mirror.md names them.
#include <string>
#include <utility>
#include <vector>

#include "serval/online/profile_rows.h"

namespace serval::online {
namespace {

std::vector<Profile> make_rows() {
  std::vector<Profile> rows;
  add_single_node_profiles(rows);
  add_distributed_profiles(rows);
  add_abstract_profiles(rows);
  return rows;
}

}  // namespace

Profile statement_row(std::string_view database, std::string_view isolation, std::string_view protocol) {
  return {.database = std::string(database),
          .isolation = std::string(isolation),
          .level = Level::ReadCommitted,
          .protocol = std::string(protocol),
          .snapshot = SnapshotPoint::Statement};
}

Profile snapshot_row(std::string_view database, std::string_view isolation, std::string_view protocol,
                     Level level) {
  return {.database = std::string(database),
          .isolation = std::string(isolation),
          .level = level,
          .protocol = std::string(protocol),
          .snapshot = SnapshotPoint::FirstStatement,
          .first_updater_wins = true,
          .cycles = CycleRule::Snapshot};
}

Profile serializable_row(Profile row, Certifier certifier) {
  row.level = Level::Serializable;
  row.cycles = CycleRule::Serial;
  row.certifier = certifier;
  return row;
}

Profile innodb_row(std::string_view database, std::string_view isolation, SnapshotPoint snapshot) {
  Profile row = statement_row(database, isolation, "2PL+MVCC");
  row.locking_read = row.writing_read = ReadMode::Locking;
  row.snapshot = snapshot;
  row.equal_writes_vanish = true;
  return row;
}

std::span<const Profile> all_profiles() {
  static const std::vector<Profile> rows = make_rows();
  return rows;
}

}  // namespace serval::online
