#pragma once
// The simulated table of rows: performs one step of one transaction at a time, by the rules of its level
// (row_level.h), except where a bug strikes. Knows no clock. Evaluates ranges itself, in whole numbers: it
// shares nothing with the room that checkers evaluate predicates with.

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "serval/base/random.h"
#include "serval/database/simulated/bug_triggers.h"
#include "serval/database/simulated/rows/row_level.h"
#include "serval/database/simulated/rows/row_transaction.h"
#include "serval/database/simulated/rows/row_versions.h"

namespace serval::simulated {

class RowDatabase {
 public:
  // Whether to note the version of every row that a range looked at.
  enum class Looks : std::uint8_t { Forgotten, Noted };

  // `values` interns the rows; it outlives the database.
  RowDatabase(const RowLevelInfo& level, std::span<const SimulatedBug> bugs, std::uint32_t sessions,
              std::uint64_t seed, Looks looks, ValuePool& values);

  Position position() const noexcept { return position_; }
  const BugTriggers& bugs() const noexcept { return bugs_; }

  void begin(RowTransaction& transaction);
  enum class Answer : std::uint8_t { Done, Conflict };
  // Appends what happened to transaction.operations. After a conflict, roll back.
  Answer perform(RowTransaction& transaction, const RowRequest& request, Interval time);
  // Rolls back where there is a conflict.
  Answer commit(RowTransaction& transaction);
  void roll_back(RowTransaction& transaction);

  // For planted transactions: the statement sees what has committed by now, and the commit checks nothing.
  void perform_newest(RowTransaction& transaction, const RowRequest& request, Interval time);
  void commit_unchecked(RowTransaction& transaction);
  // Nothing runs; what begins from now on sees everything until now.
  void quiesce();

 private:
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
  struct Session {
    RowTransaction* open = nullptr;
    Position floor = 0;  // The newest state that it saw or made.
  };
  struct Commit {
    Position position;
    Key key;
    RowContents before, after;
  };
  using PendingRow = RowTransaction::PendingRow;

  Position statement_snapshot(RowTransaction& transaction);
  Position choose_snapshot(const RowTransaction& transaction);
  PendingRow read(RowTransaction& transaction, Key key, Position snapshot);
  Answer write(RowTransaction& transaction, const PendingRow& row);
  Value format(const RowContents& row, std::int64_t tag);
  std::vector<PendingRow> matching(RowTransaction& transaction, const RowRange& range, Position snapshot);

  Answer perform_on_row(RowTransaction& transaction, const RowRequest& request, Interval time,
                        Position snapshot);
  Answer perform_on_range(RowTransaction& transaction, const RowRequest& request, Interval time,
                          Position snapshot);
  Answer change(RowTransaction& transaction, std::span<const PendingRow> rows,
                RecordedRowOperation& operation);
  static Value aggregate(const RowRequest& request, std::span<const PendingRow> rows);
  void note_looks(RecordedRowOperation& operation) const;

  bool has_conflict(const RowTransaction& transaction);
  bool overlooks(SimulatedBugKind kind) {
    return bugs_.fires(kind) || bugs_.fires(SimulatedBugKind::SkippedValidation);
  }
  bool writes_are_outdated(const RowTransaction& transaction) const;
  bool reads_are_outdated(const RowTransaction& transaction) const;
  bool ranges_are_outdated(const RowTransaction& transaction) const;
  void install(RowTransaction& transaction);
  void finish(RowTransaction& transaction);
  void move_horizon();

  const RowLevelInfo& level_;
  Looks looks_;
  BugTriggers bugs_;
  Random random_;
  ValuePool& values_;
  RowVersions rows_;
  std::vector<Session> sessions_;
  std::vector<std::uint32_t> lock_holders_;  // By key; sessions.
  std::deque<Commit> recent_;                // Ascending by position.
  Position max_lag_;
  Position position_ = 0;    // Of the newest commit.
  Position rest_floor_ = 0;  // Of the last rest; no snapshot is older.
  std::int64_t last_tag_ = 0;
};

}  // namespace serval::simulated
