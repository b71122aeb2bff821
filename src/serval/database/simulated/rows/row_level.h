#pragma once
// The isolation levels of the simulated table of rows, where predicates count. Each is named for the level
// that every history of it has by construction (levels/level.h), as long as no bug is switched on and nothing
// planted. Commits are numbered; a snapshot is such a number.
//
//   level               a statement sees           a commit checks
//   read-committed      the newest commit          nothing; rows are locked from their write to the end
//   repeatable-read     the newest commit          that the rows it read are still the newest: no
//                                                  G2-item, but ranges may have changed (PL-2.99)
//   snapshot-isolation  a snapshot, may be old     the rows it writes
//   strong-session-...  a snapshot of its session's past at least
//   strong-...          the newest snapshot
//   serializable        a snapshot, may be old *   the rows it writes and reads, and the ranges
//   strong-session-...  a snapshot of its session's past at least *
//   strict-...          the newest snapshot
//
//   * of transactions that only read, which are placed right after their snapshot and need no check.

#include <cstdint>
#include <span>
#include <string_view>

namespace serval {

struct RowLevelInfo {
  enum class Reads : std::uint8_t { NewestCommit, Snapshot };
  enum class Snapshots : std::uint8_t { Newest, Session, Any };
  enum class Checks : std::uint8_t { Nothing, Reads, Writes, All };

  std::string_view name;  // Also the name of the level it promises.
  Reads reads;
  Snapshots snapshots;
  Checks checks;
};

std::span<const RowLevelInfo> all_row_levels();  // Weakest first.
// By name; throws InputError with the nearest names.
const RowLevelInfo& parse_row_level(std::string_view name);

}  // namespace serval
