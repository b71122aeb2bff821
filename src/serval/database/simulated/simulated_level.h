#pragma once
// The isolation levels of the simulated database. Each is named for the level that every history of it has by
// construction (levels/level.h), as long as no bug is switched on and nothing is planted.
//
// The store numbers its update commits 1, 2, 3, ... ; a snapshot is such a number and shows exactly the
// commits up to it. Three choices make a level:
//
//   what a read sees      the newest write (dirty), the newest commit, or the transaction's snapshot;
//   how old a snapshot    taken at the first operation: of the newest commit; of any recent commit that is
//   may be                not older than what the session saw or did; of any recent commit;
//   what a commit checks  nothing; that nobody else committed to the keys it writes since its snapshot; the
//                         same for the keys it reads as well.
//
// Writes take effect together at the commit, in the order of the commits (the dirty level also holds a write
// lock from the write to the end), so every ww and wr dependency follows the commit order: no G0, no G1.
//
//   level                        reads     snapshot  commit checks    hence
//   read-uncommitted             dirty     -         write locks      no G0: ww follows the commits
//   read-committed               newest    -         nothing          no G1: wr follows the commits, too
//   prefix-consistency           snapshot  newest    nothing          a snapshot is a prefix of the commits
//   snapshot-isolation           snapshot  any       writes           and first committer wins
//   strong-session-snapshot-...  snapshot  session   writes           and contains what the session did
//   strong-snapshot-isolation    snapshot  newest    writes           and all that had returned by then
//   serializable                 snapshot  any *     writes + reads   an update has seen all before its
//   commit strong-session-serializable  snapshot  session * writes + reads   and so has its session's past
//   strict-serializable          snapshot  newest    writes + reads   and all that had returned by then
//
//   * of transactions that only read; updates take the newest. A transaction that only reads is placed right
//     after its snapshot and needs no check.
//
// A conflict aborts the transaction at once; nobody waits, so there are no deadlocks.

#include <cstdint>
#include <span>
#include <string_view>

namespace serval {

enum class SimulatedLevel : std::uint8_t {
  ReadUncommitted,
  ReadCommitted,
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
  enum class Checks : std::uint8_t { Nothing, Writes, WritesAndReads };

  SimulatedLevel level;
  std::string_view name;  // Also the name of the level it promises.
  Reads reads;
  Snapshots snapshots;
  Checks checks;
  std::string_view description;  // One line.
};

std::span<const SimulatedLevelInfo> all_simulated_levels();  // Weakest first.
const SimulatedLevelInfo& info(SimulatedLevel level);
// By name; throws InputError with the nearest names.
SimulatedLevel parse_simulated_level(std::string_view name);

}  // namespace serval
