#pragma once
// The simulated database itself: performs one step of one transaction at a time, by the rules of its level
// (simulated_level.h), except where a bug strikes (simulated_bug.h). Knows no clock.

#include <cstdint>
#include <vector>

#include "serval/base/random.h"
#include "serval/database/simulated/bug_triggers.h"
#include "serval/database/simulated/running_transaction.h"
#include "serval/database/simulated/simulated_level.h"
#include "serval/database/simulated/version_store.h"
#include "serval/history/value.h"
#include "serval/workload/workload.h"

namespace serval::simulated {

class SimulatedDatabase {
 public:
  // `values` interns the lists that reads return; it outlives the database.
  SimulatedDatabase(SimulatedLevel level, WorkloadInfo::Data data, std::span<const SimulatedBug> bugs,
                    std::uint32_t sessions, std::uint64_t seed, ValuePool& values);

  Position position() const noexcept { return position_; }
  Value fresh_value() { return Value::integer(++last_value_); }
  const BugTriggers& bugs() const noexcept { return bugs_; }

  void begin(RunningTransaction& transaction);

  enum class Answer : std::uint8_t { Done, Conflict };
  // Appends what happened to transaction.operations. After a conflict, roll back.
  Answer perform(RunningTransaction& transaction, const PlannedOperation& planned, Interval time);

  enum class CommitAnswer : std::uint8_t { Committed, Aborted, HalfWay };
  // HalfWay (a fractured commit): call again, later. Conflict and abort roll back.
  CommitAnswer commit(RunningTransaction& transaction);
  void roll_back(RunningTransaction& transaction);

  // Nothing runs; what begins from now on sees everything until now.
  void quiesce();

 private:
  struct Session {
    RunningTransaction* open = nullptr;
    Position floor = 0;  // The newest state that it saw or made.
  };

  View take_view(const RunningTransaction& transaction);
  Position choose_snapshot(const RunningTransaction& transaction);
  void join_fork(View& view, const RunningTransaction& transaction);

  Value read(RunningTransaction& transaction, Key key);
  Value read_list(RunningTransaction& transaction, Key key);
  Version committed_version(RunningTransaction& transaction, Key key);
  const RunningTransaction* dirty_writer(const RunningTransaction& transaction, Key key);
  Answer write(RunningTransaction& transaction, Key key, Value value);
  Answer read_modify_write(RunningTransaction& transaction, Key key, Interval time);
  Answer insert(RunningTransaction& transaction, Key key, Interval time);
  Answer compare_and_set(RunningTransaction& transaction, Key key, Interval time);
  Answer append(RunningTransaction& transaction, Key key, Interval time);

  bool has_conflict(const RunningTransaction& transaction);
  bool showed_other_order(const RunningTransaction& transaction) const;
  bool overlooks(SimulatedBugKind kind);
  bool is_outdated(const RunningTransaction& transaction, Key key) const;
  bool awaits_half_commit(const RunningTransaction& transaction) const;
  bool commit_dirty_write(RunningTransaction& transaction);
  void install_below(RunningTransaction& transaction, Key lost);
  void install(RunningTransaction& transaction, std::size_t until);
  CommitAnswer install_rest(RunningTransaction& transaction);
  void finish(RunningTransaction& transaction);
  void move_horizon();
  std::uint8_t replica_of(std::uint32_t session) const { return static_cast<std::uint8_t>(session % 2); }

  const SimulatedLevelInfo& level_;
  WorkloadInfo::Data data_;
  BugTriggers bugs_;
  Random random_;
  ValuePool& values_;
  VersionStore store_;
  std::vector<Session> sessions_;
  std::vector<const RunningTransaction*> half_committed_;
  Position max_lag_;         // How many commits an old snapshot may lag behind.
  Position position_ = 0;    // Of the newest commit.
  Position rest_floor_ = 0;  // Of the last rest; no snapshot is older.
  Position fork_begin_ = kNoPosition;
  Position fork_end_ = 0;
  std::int64_t last_value_ = 0;
};

}  // namespace serval::simulated
