#include "serval/database/simulated/simulated_database.h"

#include <algorithm>
#include <utility>

#include "serval/base/contract.h"

namespace serval::simulated {
namespace {

using Bug = SimulatedBugKind;
using Data = WorkloadInfo::Data;
using Kind = PlannedOperation::Kind;

// The version of a list is its length.
Value initial_version(Data data) { return data == Data::Rows ? Value::nil() : Value::integer(0); }

const RunningTransaction::PendingWrite* find_write(const RunningTransaction& transaction, Key key) {
  const auto found = std::ranges::find(transaction.writes, key, &RunningTransaction::PendingWrite::key);
  return found == transaction.writes.end() ? nullptr : &*found;
}

Position back_from(Position position, Position steps) { return position - std::min(position, steps); }

}  // namespace

SimulatedDatabase::SimulatedDatabase(SimulatedLevel level, Data data, std::span<const SimulatedBug> bugs,
                                     std::uint32_t sessions, std::uint64_t seed, ValuePool& values)
    : level_(info(level)),
      data_(data),
      bugs_(bugs, Random(seed).next()),
      random_(seed),
      values_(values),
      store_(initial_version(data)),
      sessions_(sessions),
      max_lag_(2 * Position{sessions} + 8) {}

void SimulatedDatabase::begin(RunningTransaction& transaction) {
  sessions_[transaction.session].open = &transaction;
  for (const PlannedOperation& planned : transaction.plan.operations) {
    if (planned.kind != Kind::CompareAndSet) continue;
    const Value known = store_.newest(planned.key).value;
    transaction.guesses.push_back(known.is_nil() ? Value::integer(0) : known);
  }
}

void SimulatedDatabase::quiesce() {
  rest_floor_ = position_;
  fork_begin_ = kNoPosition;
  fork_end_ = position_;
  for (Session& session : sessions_) session.floor = position_;
}

// Snapshots.

Position SimulatedDatabase::choose_snapshot(const RunningTransaction& transaction) {
  using Snapshots = SimulatedLevelInfo::Snapshots;
  if (bugs_.fires(Bug::StaleSnapshot))
    return std::max(rest_floor_, back_from(position_, 1 + bugs_.random().below(max_lag_)));
  const bool may_lag =
      level_.snapshots != Snapshots::Newest &&
      (level_.checks != SimulatedLevelInfo::Checks::WritesAndReads || transaction.plan.only_reads());
  if (!may_lag || random_.chance(0.5)) return position_;
  const Position floor = level_.snapshots == Snapshots::Session ? sessions_[transaction.session].floor : 0;
  return std::max({floor, rest_floor_, back_from(position_, random_.below(max_lag_ + 1))});
}

void SimulatedDatabase::join_fork(View& view, const RunningTransaction& transaction) {
  const bool open = fork_begin_ != kNoPosition && position_ < fork_end_;
  if (!open) {
    fork_begin_ = kNoPosition;
    if (!bugs_.fires(Bug::LongFork)) return;
    fork_begin_ = position_;
    fork_end_ = position_ + 4 * sessions_.size();
  }
  view = {.snapshot = position_, .fork = fork_begin_, .replica = replica_of(transaction.session)};
}

View SimulatedDatabase::take_view(const RunningTransaction& transaction) {
  if (level_.reads != SimulatedLevelInfo::Reads::Snapshot) return View{};
  View view{.snapshot = choose_snapshot(transaction)};
  join_fork(view, transaction);
  return view;
}

// Operations.

// The other transaction whose uncommitted write a read of the key returns; null: none, as it should be.
const RunningTransaction* SimulatedDatabase::dirty_writer(const RunningTransaction& transaction, Key key) {
  const std::uint32_t writer = store_.dirty(key).session;
  if (writer == DirtyWrite::kNobody || writer == transaction.session) return nullptr;
  const bool dirty = level_.reads == SimulatedLevelInfo::Reads::Dirty || bugs_.fires(Bug::DirtyRead);
  return dirty ? sessions_[writer].open : nullptr;
}

Version SimulatedDatabase::committed_version(RunningTransaction& transaction, Key key) {
  transaction.reads.push_back(key);
  return store_.visible(key, *transaction.view);
}

Value SimulatedDatabase::read(RunningTransaction& transaction, Key key) {
  if (const auto* own = find_write(transaction, key)) return own->value;
  if (dirty_writer(transaction, key) != nullptr) return store_.dirty(key).value;
  return committed_version(transaction, key).value;
}

Value SimulatedDatabase::read_list(RunningTransaction& transaction, Key key) {
  const RunningTransaction* dirty = dirty_writer(transaction, key);
  const Version beneath = committed_version(transaction, key);
  if (find_write(transaction, key) != nullptr) transaction.shown_lists.push_back({key, beneath.position});
  const auto length = static_cast<std::size_t>(beneath.value.as_integer());
  const std::span<const Value> committed = store_.elements(key, length);
  std::vector<Value> elements(committed.begin(), committed.end());
  const auto add_appends_of = [&](const RunningTransaction& writer) {
    for (const auto& write : writer.writes)
      if (write.key == key) elements.push_back(write.value);
  };
  if (dirty != nullptr) add_appends_of(*dirty);
  add_appends_of(transaction);
  return elements.empty() ? Value::nil() : values_.list(elements);
}

// The dirty level locks what it writes; nobody waits for a lock.
SimulatedDatabase::Answer SimulatedDatabase::write(RunningTransaction& transaction, Key key, Value value) {
  const std::uint32_t holder = store_.dirty(key).session;
  const bool locked = level_.reads == SimulatedLevelInfo::Reads::Dirty && holder != DirtyWrite::kNobody &&
                      holder != transaction.session;
  if (locked && !bugs_.fires(Bug::SkippedValidation)) return Answer::Conflict;
  store_.set_dirty(key, {transaction.session, value});
  const auto found = std::ranges::find(transaction.writes, key, &RunningTransaction::PendingWrite::key);
  if (found != transaction.writes.end() && data_ != Data::Lists)
    found->value = value;
  else
    transaction.writes.push_back({key, value});
  return Answer::Done;
}

SimulatedDatabase::Answer SimulatedDatabase::read_modify_write(RunningTransaction& transaction, Key key,
                                                               Interval time) {
  const Value seen = read(transaction, key);
  const Value value = fresh_value();
  if (write(transaction, key, value) == Answer::Conflict) return Answer::Conflict;
  transaction.operations.push_back({OperationKind::Read, key, seen, Value::nil(), time});
  transaction.operations.push_back({OperationKind::Write, key, value, Value::nil(), time});
  return Answer::Done;
}

SimulatedDatabase::Answer SimulatedDatabase::append(RunningTransaction& transaction, Key key, Interval time) {
  const Value value = fresh_value();
  if (write(transaction, key, value) == Answer::Conflict) return Answer::Conflict;
  transaction.operations.push_back({OperationKind::Append, key, value, Value::nil(), time});
  return Answer::Done;
}

SimulatedDatabase::Answer SimulatedDatabase::insert(RunningTransaction& transaction, Key key, Interval time) {
  const Value seen = read(transaction, key);
  if (!seen.is_nil()) {
    transaction.operations.push_back({OperationKind::InsertMiss, key, seen, Value::nil(), time});
    return Answer::Done;
  }
  const Value value = fresh_value();
  if (write(transaction, key, value) == Answer::Conflict) return Answer::Conflict;
  transaction.operations.push_back({OperationKind::Insert, key, value, Value::nil(), time});
  return Answer::Done;
}

SimulatedDatabase::Answer SimulatedDatabase::compare_and_set(RunningTransaction& transaction, Key key,
                                                             Interval time) {
  const Value expected = transaction.guesses.front();
  transaction.guesses.erase(transaction.guesses.begin());
  const Value seen = read(transaction, key);
  if (seen != expected) {
    transaction.operations.push_back({OperationKind::CompareAndSetMiss, key, seen, expected, time});
    return Answer::Done;
  }
  const Value value = fresh_value();
  if (write(transaction, key, value) == Answer::Conflict) return Answer::Conflict;
  transaction.operations.push_back({OperationKind::CompareAndSet, key, value, expected, time});
  return Answer::Done;
}

SimulatedDatabase::Answer SimulatedDatabase::perform(RunningTransaction& transaction,
                                                     const PlannedOperation& planned, Interval time) {
  if (!transaction.view) transaction.view = take_view(transaction);
  const Key key = planned.key;
  switch (planned.kind) {
    case Kind::Read:
      transaction.operations.push_back(
          {OperationKind::Read, key, read(transaction, key), Value::nil(), time});
      return Answer::Done;
    case Kind::ReadList:
      transaction.operations.push_back(
          {OperationKind::ReadList, key, read_list(transaction, key), Value::nil(), time});
      return Answer::Done;
    case Kind::Write: {
      const Value value = fresh_value();
      if (write(transaction, key, value) == Answer::Conflict) return Answer::Conflict;
      transaction.operations.push_back({OperationKind::Write, key, value, Value::nil(), time});
      return Answer::Done;
    }
    case Kind::ReadModifyWrite:
      return read_modify_write(transaction, key, time);
    case Kind::Append:
      return append(transaction, key, time);
    case Kind::CompareAndSet:
      return compare_and_set(transaction, key, time);
    case Kind::Insert:
      return insert(transaction, key, time);
  }
  broken_contract("a kind of planned operation", __FILE__, __LINE__);
}

// Commit.

bool SimulatedDatabase::is_outdated(const RunningTransaction& transaction, Key key) const {
  return store_.newest(key).position != store_.visible(key, *transaction.view).position;
}

bool SimulatedDatabase::overlooks(Bug kind) {
  return bugs_.fires(kind) || bugs_.fires(Bug::SkippedValidation);
}

// Whoever read a list with its own appends at the end has said where they stand; once another's are there,
// they must not be installed. (Databases lock the row for that.)
bool SimulatedDatabase::showed_other_order(const RunningTransaction& transaction) const {
  return std::ranges::any_of(transaction.shown_lists, [&](const RunningTransaction::ShownList& shown) {
    return store_.newest(shown.key).position != shown.beneath;
  });
}

bool SimulatedDatabase::has_conflict(const RunningTransaction& transaction) {
  using Checks = SimulatedLevelInfo::Checks;
  if (level_.checks == Checks::Nothing && showed_other_order(transaction)) return true;
  if (level_.checks == Checks::Nothing || transaction.writes.empty()) return false;
  const auto outdated_write = [&](const auto& write) { return is_outdated(transaction, write.key); };
  if (std::ranges::any_of(transaction.writes, outdated_write) && !overlooks(Bug::LostUpdate)) return true;
  if (level_.checks == Checks::Writes) return false;
  const auto outdated_read = [&](Key key) {
    return find_write(transaction, key) == nullptr && is_outdated(transaction, key);
  };
  return std::ranges::any_of(transaction.reads, outdated_read) && !overlooks(Bug::WriteSkew);
}

// Even where commits check nothing, nobody overtakes the second half of a fractured commit.
bool SimulatedDatabase::awaits_half_commit(const RunningTransaction& transaction) const {
  for (const RunningTransaction* half : half_committed_)
    for (std::size_t i = half->installed_writes; i < half->writes.size(); ++i)
      if (find_write(transaction, half->writes[i].key) != nullptr) return true;
  return false;
}

void SimulatedDatabase::install(RunningTransaction& transaction, std::size_t until) {
  const Version version{++position_, Value::nil(), replica_of(transaction.session)};
  for (std::size_t& i = transaction.installed_writes; i < until; ++i) {
    const auto& [key, value] = transaction.writes[i];
    if (data_ == Data::Lists)
      store_.append(key, value, version);
    else
      store_.install(key, {version.position, value, version.replica});
    store_.clear_dirty(key, transaction.session);
  }
  transaction.commit_position = position_;
  if (position_ % sessions_.size() == 0) move_horizon();
}

SimulatedDatabase::CommitAnswer SimulatedDatabase::install_rest(RunningTransaction& transaction) {
  std::erase(half_committed_, &transaction);
  install(transaction, transaction.writes.size());
  finish(transaction);
  return CommitAnswer::Committed;
}

// G0 needs two keys that one concurrent transaction has written both: that one wins the first key.
bool SimulatedDatabase::commit_dirty_write(RunningTransaction& transaction) {
  const auto& writes = transaction.writes;
  for (std::size_t i = 1; i < writes.size(); ++i) {
    const Position first = store_.newest(writes[0].key).position;
    const Position other = store_.newest(writes[i].key).position;
    const bool same_writer =
        writes[i].key != writes[0].key && first == other && first > transaction.begin_position;
    if (!same_writer || awaits_half_commit(transaction) || !bugs_.fires(Bug::DirtyWrite)) continue;
    install_below(transaction, writes[0].key);
    return true;
  }
  return false;
}

void SimulatedDatabase::install_below(RunningTransaction& transaction, Key lost) {
  for (const auto& [key, value] : transaction.writes) {
    if (key != lost) continue;
    if (data_ == Data::Lists)
      store_.append_below_newest(key, value);
    else
      store_.install_below_newest(key, value);
    store_.clear_dirty(key, transaction.session);
  }
  std::erase_if(transaction.writes, [lost](const auto& write) { return write.key == lost; });
  install_rest(transaction);
}

SimulatedDatabase::CommitAnswer SimulatedDatabase::commit(RunningTransaction& transaction) {
  if (transaction.installed_writes > 0)  // Long enough, on average four steps, for somebody to look.
    return bugs_.random().chance(0.75) ? CommitAnswer::HalfWay : install_rest(transaction);
  if (commit_dirty_write(transaction)) return CommitAnswer::Committed;
  if (has_conflict(transaction) || awaits_half_commit(transaction)) {
    roll_back(transaction);
    return CommitAnswer::Aborted;
  }
  if (transaction.writes.empty()) {
    finish(transaction);
    return CommitAnswer::Committed;
  }
  const bool two_keys = transaction.writes.front().key != transaction.writes.back().key;
  if (two_keys && bugs_.fires(Bug::FracturedCommit)) {
    install(transaction, 1);
    half_committed_.push_back(&transaction);
    return CommitAnswer::HalfWay;
  }
  install_rest(transaction);
  return bugs_.fires(Bug::AbortedButVisible) ? CommitAnswer::Aborted : CommitAnswer::Committed;
}

void SimulatedDatabase::roll_back(RunningTransaction& transaction) { finish(transaction); }

void SimulatedDatabase::finish(RunningTransaction& transaction) {
  for (const auto& write : transaction.writes) store_.clear_dirty(write.key, transaction.session);
  Session& session = sessions_[transaction.session];
  session.open = nullptr;
  const Position seen =
      transaction.view && transaction.view->snapshot != kNoPosition ? transaction.view->snapshot : 0;
  session.floor = std::max({session.floor, seen, transaction.commit_position.value_or(0)});
}

void SimulatedDatabase::move_horizon() {
  Position horizon = std::min(back_from(position_, max_lag_), fork_begin_);
  for (const Session& session : sessions_)
    if (session.open != nullptr && session.open->view)
      horizon = std::min({horizon, session.open->view->snapshot, session.open->view->fork});
  store_.forget_before(horizon);
}

}  // namespace serval::simulated
