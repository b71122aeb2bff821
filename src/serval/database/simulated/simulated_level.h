#pragma once
// The isolation levels of the simulated databases: one table for all of them. Each level is named after the
// level that every one of its histories has by construction (levels/level.h), unless a bug is switched on or
// an anomaly is planted.
//
// The store numbers its update commits 1, 2, 3, ... A snapshot is such a number and shows exactly the commits
// up to it. Four rules make a level:
//
//   reads      what a read sees: the newest write (dirty), the newest commit, or the transaction's snapshot.
//   snapshots  how old a snapshot may be. It is taken at the first operation: the newest commit, a recent one
//              that is not older than what the session saw or did, or any recent one.
//   checks     what a commit checks: nothing; or that the keys it writes, the keys it reads, or both have no
//              newer version than the one the transaction saw. Ranges count as reads.
//   locks      which writes lock their key until the transaction ends: none; those that keep a part of what
//              they overwrite (rows with columns, and appends of sessions in threads); or all.
//
//   level                     reads     snapshots  checks            locks    data
//   read-uncommitted          dirty     -          nothing           all      keys
//   read-committed            newest    -          nothing           partial  keys, rows
//   repeatable-read           newest    -          reads, no ranges  none     rows
//   prefix-consistency        snapshot  newest     nothing           partial  keys
//   snapshot-isolation        snapshot  any        writes            none     keys, rows
//   strong-session-sn.-is.    snapshot  session    writes            none     keys, rows
//   strong-snapshot-is.       snapshot  newest     writes            none     keys, rows
//   serializable              snapshot  any *      writes and reads  none     keys, rows
//   strong-session-ser.       snapshot  session *  writes and reads  none     keys, rows
//   strict-serializable       snapshot  newest     writes and reads  none     keys, rows
//
//   * Read-only transactions; updates take the newest. A read-only transaction is placed right after its
//     snapshot and needs no check. (Sessions in threads do not know in advance: see shared_store.h.)
//
// Writes take effect together, at the commit, so every ww and wr dependency follows the commit order: no G0,
// no G1. At the serializable levels an update has seen every commit before its own, so the commit order is a
// serial order. Repeatable-read is PL-2.99: no G2-item, but the rows of a range may change.
//
// A conflict aborts the transaction at once. No transaction waits for a lock, so there are no deadlocks.

#include <cstdint>
#include <span>
#include <string_view>

namespace serval {

enum class SimulatedLevel : std::uint8_t {
  ReadUncommitted,
  ReadCommitted,
  RepeatableRead,
  PrefixConsistency,
  SnapshotIsolation,
  StrongSessionSnapshotIsolation,
  StrongSnapshotIsolation,
  Serializable,
  StrongSessionSerializable,
  StrictSerializable,
};

struct SimulatedLevelInfo {
  enum class Reads : std::uint8_t { Dirty, NewestCommit, Snapshot };
  enum class Snapshots : std::uint8_t { Newest, Session, Any };
  enum class Checks : std::uint8_t { Nothing, Reads, Writes, WritesAndReads };
  enum class Locks : std::uint8_t { None, Partial, All };
  enum class Data : std::uint8_t { Keys, Rows, Both };

  SimulatedLevel level;
  std::string_view name;  // Also the name of the level it promises.
  Reads reads;
  Snapshots snapshots;
  Checks checks;
  Locks locks;
  Data data;                     // Rows: of workloads with ranges, in simulate() only.
  std::string_view description;  // One line.
};

// Weakest first. Levels of keys are also those of sessions in threads.
std::span<const SimulatedLevelInfo> all_simulated_levels();
std::span<const SimulatedLevelInfo> all_row_levels();
const SimulatedLevelInfo& info(SimulatedLevel level);
// By name, among the levels of keys or of rows; throws InputError with the nearest names.
SimulatedLevel parse_simulated_level(std::string_view name);
SimulatedLevel parse_row_level(std::string_view name);

}  // namespace serval
