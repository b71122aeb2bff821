#pragma once
// The parts from which the table of profiles is made: the usual kinds of rows, and the groups of databases.
//
//   rows.push_back(statement_row("oracle", "read-committed", "2PL+MVCC"));

#include <string_view>
#include <vector>

#include "serval/online/profile.h"

namespace serval::online {

// Each statement sees what was committed when it began; writes wait for locks.
Profile statement_row(std::string_view database, std::string_view isolation, std::string_view protocol);
// Snapshot isolation with write locks; the first updater wins.
Profile snapshot_row(std::string_view database, std::string_view isolation, std::string_view protocol,
                     Level level = Level::SnapshotIsolation);
// The same row, if its certifier or its locks also prevent all other cycles.
Profile serializable_row(Profile row, Certifier certifier);
// Writes and locking reads see the current state, plain reads a snapshot. So updates may be lost at
// repeatable read, by design.
Profile innodb_row(std::string_view database, std::string_view isolation, SnapshotPoint snapshot);

// Databases with one primary node: PostgreSQL, InnoDB, Oracle, ...
void add_single_node_profiles(std::vector<Profile>& rows);
// Databases whose rows are spread over nodes: TiDB, Spanner, FoundationDB, ...
void add_distributed_profiles(std::vector<Profile>& rows);
// The simulated database, and levels without a database.
void add_abstract_profiles(std::vector<Profile>& rows);

}  // namespace serval::online
