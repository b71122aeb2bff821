#pragma once
// SQLite's certificate: the commit order of its single writer. A separate row counts the commits. A
// writer holds the write lock, so its count is its position in the order; a reader finds in that row how
// many commits it sees. So no log has to be read afterwards:
//
//   begin; select n from serval_commits              -- 41: what the transaction sees
//   ...; update serval_commits set n = n + 1 returning n; commit      -- 42: its commit timestamp

#include <cstdint>

namespace serval::sqlite {

// OfCommits: only writers use the row. OfStates: readers too; not at read uncommitted, where a
// transaction does not see one state.
enum class CommitCount : std::uint8_t { None, OfCommits, OfStates };

inline constexpr const char* kMakeCommitCount = "create table serval_commits (n integer not null)";
inline constexpr const char* kBeginCommitCount = "insert into serval_commits values (0)";
inline constexpr const char* kDropCommitCount = "drop table if exists serval_commits";
inline constexpr const char* kReadCommitCount = "select n from serval_commits";
inline constexpr const char* kCountCommit = "update serval_commits set n = n + 1 returning n";

}  // namespace serval::sqlite
