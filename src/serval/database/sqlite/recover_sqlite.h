#pragma once
// SQLite's certificate: the order of commits of its single writer. A row of its own counts them. Who writes
// holds the lock of the one writer, so the count that its transaction makes is its place in the order; and
// whoever reads finds in that row how many commits it sees. So the log needs no reading afterwards:
//
//   begin; select n from serval_commits              -- 41: what the transaction looks at
//   ...; update serval_commits set n = n + 1 returning n; commit      -- 42: its commit timestamp

#include "serval/database/recovery.h"

namespace serval::sqlite {

// OfCommits: only writers count. OfStates: readers look, too; not at read uncommitted, where there is no one
// state that a transaction sees.
enum class CommitCount : std::uint8_t { None, OfCommits, OfStates };

inline constexpr const char* kMakeCommitCount = "create table serval_commits (n integer not null)";
inline constexpr const char* kBeginCommitCount = "insert into serval_commits values (0)";
inline constexpr const char* kDropCommitCount = "drop table if exists serval_commits";
inline constexpr const char* kReadCommitCount = "select n from serval_commits";
inline constexpr const char* kCountCommit = "update serval_commits set n = n + 1 returning n";

class SqliteRecovery final : public Recovery {
 public:
  void read(const std::function<void(const LoggedTransaction&)>&) override {}
  Order order() const override { return Order::CommitTimestamps; }
};

}  // namespace serval::sqlite
