#include "serval/database/simulated/shared_store.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/workload/aggregate.h"

namespace serval::simulated {
namespace {

using Bug = SimulatedBugKind;
using Kind = Request::Kind;
using Pending = SharedStore::PendingWrite;

Position back_from(Position position, Position steps) { return position - std::min(position, steps); }

bool writes_to(const SharedStore::Transaction& transaction, const RowKey& row) {
  return std::ranges::find(transaction.writes, row, &Pending::row) != transaction.writes.end();
}

Answer::Row row_of(std::uint64_t key, const RowContent& content) {
  return {key, content.tag, content.columns};
}

bool matches(const Request& range, std::uint64_t key, const RowContent& content) {
  if (!content.present) return false;
  const std::int64_t value =
      range.column == Request::kKey ? static_cast<std::int64_t>(key) : content.columns.at(range.column);
  return range.low <= value && value <= range.high;
}

}  // namespace

SharedStore::SharedStore(SimulatedLevel level, std::span<const SimulatedBug> bugs, std::uint64_t seed,
                         const Schema& schema)
    : level_(info(level)), bugs_(bugs, Random(seed).next()), random_(seed), store_(schema) {}

SharedStore::Session SharedStore::open_session(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  return sessions_.insert(sessions_.end(), Transaction{.replica = static_cast<std::uint8_t>(number % 2)});
}

void SharedStore::close_session(Session session) {
  const std::lock_guard lock(mutex_);
  if (session->open) finish(*session);
  sessions_.erase(session);
}

void SharedStore::begin(Session session) {
  const std::lock_guard lock(mutex_);
  *session =
      Transaction{.replica = session->replica, .open = true, .begin = position_, .floor = session->floor};
}

std::uint64_t SharedStore::fired(Bug kind) const {
  const std::lock_guard lock(mutex_);
  return bugs_.fired(kind);
}

// Snapshots.

Position SharedStore::choose_snapshot(const Transaction& transaction) {
  using Snapshots = SimulatedLevelInfo::Snapshots;
  constexpr double kLagging = 0.5, kLaggingIfChecked = 0.1;  // Of updates, most old snapshots are refused.
  if (bugs_.fires(Bug::StaleSnapshot))
    return std::max(store_.horizon(), back_from(position_, 1 + bugs_.random().below(max_lag())));
  const bool checked = level_.checks == SimulatedLevelInfo::Checks::WritesAndReads;
  if (level_.snapshots == Snapshots::Newest || !random_.chance(checked ? kLaggingIfChecked : kLagging))
    return position_;
  const Position floor = level_.snapshots == Snapshots::Session ? transaction.floor : 0;
  return std::max({floor, store_.horizon(), back_from(position_, random_.below(max_lag() + 1))});
}

void SharedStore::join_fork(View& view, const Transaction& transaction) {
  const bool open = fork_begin_ != kNoPosition && position_ < fork_end_;
  if (!open) {
    fork_begin_ = kNoPosition;
    if (!bugs_.fires(Bug::LongFork)) return;
    fork_begin_ = position_;
    fork_end_ = position_ + 4 * sessions_.size();
  }
  view = {.snapshot = position_, .fork = fork_begin_, .replica = transaction.replica};
}

View SharedStore::take_view(const Transaction& transaction) {
  if (level_.reads != SimulatedLevelInfo::Reads::Snapshot) return View{};
  View view{.snapshot = choose_snapshot(transaction)};
  join_fork(view, transaction);
  return view;
}

// The newest commit, where a transaction has no snapshot.
std::optional<Position> SharedStore::state_seen(const View& view) const {
  if (level_.reads == SimulatedLevelInfo::Reads::Dirty || view.fork != kNoPosition) return std::nullopt;
  return view.snapshot == kNoPosition ? position_ : view.snapshot;
}

// Requests.

void SharedStore::apply(const Pending& write, RowContent& content) const {
  if (write.kind == Pending::Kind::Append) return content.list.push_back(write.tag);
  if (write.kind == Pending::Kind::Erase) {
    content = {};
    return;
  }
  if (!content.present) content.columns = store_.initial_columns(write.row.table);
  if (!write.columns.empty()) content.columns = write.columns;
  content.present = true;
  content.tag = write.tag;
}

void SharedStore::apply_all(const Transaction& writer, const RowKey& row, RowContent& content) const {
  for (std::size_t i = writer.installed; i < writer.writes.size(); ++i)
    if (writer.writes[i].row == row) apply(writer.writes[i], content);
}

// The other transaction whose uncommitted write a read of the row returns; null: none, as it should be.
const SharedStore::Transaction* SharedStore::dirty_writer(const Transaction& transaction, const RowKey& row) {
  for (const Transaction& other : sessions_) {
    if (!other.open || &other == &transaction || !writes_to(other, row)) continue;
    const bool dirty = level_.reads == SimulatedLevelInfo::Reads::Dirty || bugs_.fires(Bug::DirtyRead);
    return dirty ? &other : nullptr;
  }
  return nullptr;
}

RowContent SharedStore::read(Transaction& transaction, const RowKey& row, const Request& request) {
  const RowVersion& version = store_.visible(row, *transaction.view);
  RowContent content = version.content;
  transaction.reads.push_back(row);
  if (request.locks) transaction.locked.push_back(row);
  if (const Transaction* dirty = dirty_writer(transaction, row)) apply_all(*dirty, row, content);
  apply_all(transaction, row, content);
  return content;
}

// The dirty level locks what it writes. Where commits check nothing, appends and writes of rows with columns
// do so as well, and go to what the transaction sees: its own reads would be of a list that never was, and an
// update of some columns would bring back a deleted row. Nobody waits for a lock.
void SharedStore::write(Transaction& transaction, Pending write) {
  const bool keeps_a_part =
      write.kind == Pending::Kind::Append || !store_.initial_columns(write.row.table).empty();
  const bool adds = keeps_a_part && level_.checks == SimulatedLevelInfo::Checks::Nothing;
  if (adds || level_.reads == SimulatedLevelInfo::Reads::Dirty) {
    const bool locked = std::ranges::any_of(sessions_, [&](const Transaction& other) {
      return other.open && &other != &transaction && writes_to(other, write.row);
    });
    if ((locked || is_outdated(transaction, write.row)) && !bugs_.fires(Bug::SkippedValidation))
      throw Conflict(fmt::format("row {} is locked or has changed", write.row.key));
  }
  transaction.writes.push_back(std::move(write));
}

Answer SharedStore::answer(Transaction& transaction, const Request& request) {
  const RowKey row{request.table, request.key};
  const Pending put{row, Pending::Kind::Put, request.tag, request.columns};
  if (request.kind == Kind::Write || request.kind == Kind::Append) {
    const auto kind = request.kind == Kind::Write ? Pending::Kind::Put : Pending::Kind::Append;
    write(transaction, {row, kind, request.tag, request.columns});
    return {};
  }
  const RowContent seen = read(transaction, row, request);
  Answer out;
  if (seen.present) out.rows.push_back(row_of(request.key, seen));
  switch (request.kind) {
    case Kind::ReadList:
      out.list = seen.list;
      return out;
    case Kind::Update:
      out.applied = seen.present;
      break;
    case Kind::Insert:
      out.applied = !seen.present;
      break;
    case Kind::CompareAndSet:
      out.applied = seen.present && seen.tag == request.expected;
      break;
    case Kind::Delete:
      out.applied = seen.present;
      if (seen.present) write(transaction, {row, Pending::Kind::Erase, 0, {}});
      return out;
    default:
      return out;
  }
  if (out.applied) write(transaction, put);
  return out;
}

// Rows that may lie within the range: committed ones, and those of open transactions.
std::vector<std::uint64_t> SharedStore::candidates(const Transaction& transaction,
                                                   const Request& range) const {
  const bool by_key = range.column == Request::kKey;
  if (by_key && range.high < 0) return {};
  const std::uint64_t low = by_key ? static_cast<std::uint64_t>(std::max<std::int64_t>(range.low, 0)) : 0;
  const std::uint64_t high =
      by_key ? static_cast<std::uint64_t>(range.high) : std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> keys = store_.keys(range.table, low, high);
  const bool sees_others = level_.reads == SimulatedLevelInfo::Reads::Dirty;
  for (const Transaction& other : sessions_)
    if (&other == &transaction || (other.open && sees_others))
      for (const Pending& write : other.writes)
        if (write.row.table == range.table) keys.push_back(write.row.key);
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

Answer SharedStore::answer_range(Transaction& transaction, const Request& request) {
  Answer out;
  Scanned scanned{request, {}};
  for (const std::uint64_t key : candidates(transaction, request)) {
    const RowKey row{request.table, key};
    const RowVersion& version = store_.visible(row, *transaction.view);
    if (matches(request, key, version.content)) scanned.rows.emplace_back(key, version.position);
    const std::size_t reads = transaction.reads.size();
    RowContent content = read(transaction, row, request);
    if (!matches(request, key, content)) {
      transaction.reads.resize(reads);  // The range itself is checked.
      if (request.locks) transaction.locked.pop_back();
      continue;
    }
    if (request.kind == Kind::DeleteRange) write(transaction, {row, Pending::Kind::Erase, 0, {}});
    if (request.kind == Kind::UpdateRange) {
      const Pending put{row, Pending::Kind::Put, request.tag, request.columns};
      write(transaction, put);
      apply(put, content);
    }
    out.rows.push_back(row_of(key, content));
  }
  transaction.scans.push_back(std::move(scanned));
  if (request.kind != Kind::Scan) out.matched = out.changed = static_cast<std::int64_t>(out.rows.size());
  answer_aggregate(request, out);
  return out;
}

Answer SharedStore::perform(Session session, const Request& request) {
  const std::lock_guard lock(mutex_);
  expects(session->open && request.table < store_.table_count(), "an open transaction and a table");
  if (!session->view) session->view = take_view(*session);
  session->looked_at = state_seen(*session->view);
  ++steps_;
  if (!half_committed_.empty()) stepped_.notify_all();
  try {
    return is_range(request.kind) ? answer_range(*session, request) : answer(*session, request);
  } catch (const Conflict&) {
    finish(*session);
    throw;
  }
}

// Commit.

bool SharedStore::is_outdated(const Transaction& transaction, const RowKey& row) const {
  return store_.newest(row).position != store_.visible(row, *transaction.view).position;
}

// Also where a row came into the range and is gone again: the state that was seen is not the one before the
// commit, though the answer would be the same.
bool SharedStore::is_outdated(const Transaction& transaction, const Scanned& scanned) const {
  std::vector<std::pair<std::uint64_t, Position>> now;
  for (const std::uint64_t key : candidates(transaction, scanned.range)) {
    for (const RowVersion& later :
         store_.installed_after({scanned.range.table, key}, transaction.view->snapshot))
      if (matches(scanned.range, key, later.content)) return true;
    const RowVersion& version = store_.newest({scanned.range.table, key});
    if (matches(scanned.range, key, version.content)) now.emplace_back(key, version.position);
  }
  return now != scanned.rows;
}

bool SharedStore::overlooks(Bug kind) { return bugs_.fires(kind) || bugs_.fires(Bug::SkippedValidation); }

bool SharedStore::has_conflict(const Transaction& transaction) {
  using Checks = SimulatedLevelInfo::Checks;
  if (level_.checks == Checks::Nothing || transaction.writes.empty()) return false;
  const auto outdated = [&](const RowKey& row) { return is_outdated(transaction, row); };
  const auto outdated_write = [&](const Pending& write) { return outdated(write.row); };
  if (std::ranges::any_of(transaction.writes, outdated_write) && !overlooks(Bug::LostUpdate)) return true;
  if (std::ranges::any_of(transaction.locked, outdated)) return true;
  if (level_.checks == Checks::Writes) return false;
  const auto outdated_read = [&](const RowKey& row) { return !writes_to(transaction, row) && outdated(row); };
  const auto outdated_scan = [&](const Scanned& scanned) { return is_outdated(transaction, scanned); };
  const bool found = std::ranges::any_of(transaction.reads, outdated_read) ||
                     std::ranges::any_of(transaction.scans, outdated_scan);
  return found && !overlooks(Bug::WriteSkew);
}

// Even where commits check nothing, nobody overtakes the second half of a fractured commit.
bool SharedStore::awaits_half_commit(const Transaction& transaction) const {
  for (const Transaction* half : half_committed_)
    for (std::size_t i = half->installed; i < half->writes.size(); ++i)
      if (writes_to(transaction, half->writes[i].row)) return true;
  return false;
}

// All writes of one row go into one version.
void SharedStore::install(Transaction& transaction, std::size_t until) {
  ++position_;
  for (std::size_t& i = transaction.installed; i < until; ++i) {
    const Pending& write = transaction.writes[i];
    RowVersion version = store_.newest(write.row);
    const bool again = version.position == position_;
    apply(write, version.content);
    version.position = position_;
    version.replica = transaction.replica;
    if (again)
      store_.replace_newest(write.row, std::move(version));
    else
      store_.install(write.row, std::move(version));
  }
  transaction.committed = position_;
  if (position_ % std::max<std::size_t>(sessions_.size(), 1) == 0) move_horizon();
}

// G0 needs two rows that one concurrent transaction has written both: that one wins the first row.
bool SharedStore::commit_dirty_write(Transaction& transaction) {
  std::vector<Pending>& writes = transaction.writes;
  for (std::size_t i = 1; i < writes.size(); ++i) {
    const RowKey lost = writes[0].row;
    const Position first = store_.newest(lost).position;
    const bool same_writer =
        writes[i].row != lost && first == store_.newest(writes[i].row).position && first > transaction.begin;
    if (!same_writer || awaits_half_commit(transaction) || !bugs_.fires(Bug::DirtyWrite)) continue;
    // Of a register nothing is left: it was overwritten before anybody could look.
    std::vector<std::int64_t> appended;
    for (const Pending& write : writes)
      if (write.row == lost && write.kind == Pending::Kind::Append) appended.push_back(write.tag);
    if (!appended.empty() && !store_.append_below_newest(lost, appended)) return false;
    std::erase_if(writes, [&](const Pending& write) { return write.row == lost; });
    install(transaction, writes.size());
    finish(transaction);
    return true;
  }
  return false;
}

// Long enough for somebody to look; but not for ever, where nobody does.
void SharedStore::install_in_halves(Transaction& transaction, std::unique_lock<std::mutex>& lock) {
  constexpr std::uint64_t kSteps = 20;
  install(transaction, 1);
  half_committed_.push_back(&transaction);
  const std::uint64_t until = steps_ + kSteps;
  stepped_.wait_for(lock, std::chrono::milliseconds(20), [&] { return steps_ >= until; });
  std::erase(half_committed_, &transaction);
  install(transaction, transaction.writes.size());
  finish(transaction);
}

SharedStore::Ended SharedStore::commit(Session session) {
  std::unique_lock lock(mutex_);
  Transaction& transaction = *session;
  expects(transaction.open, "an open transaction");
  ++steps_;
  if (commit_dirty_write(transaction)) return Ended::Committed;
  if (has_conflict(transaction) || awaits_half_commit(transaction)) {
    finish(transaction);
    throw Conflict("another transaction has changed what this one read or writes");
  }
  if (transaction.writes.empty()) {
    finish(transaction);
    return Ended::Committed;
  }
  if (transaction.writes.front().row != transaction.writes.back().row && bugs_.fires(Bug::FracturedCommit)) {
    install_in_halves(transaction, lock);
    return Ended::Committed;
  }
  install(transaction, transaction.writes.size());
  finish(transaction);
  return bugs_.fires(Bug::AbortedButVisible) ? Ended::SaidToAbort : Ended::Committed;
}

void SharedStore::roll_back(Session session) {
  const std::lock_guard lock(mutex_);
  if (session->open) finish(*session);
}

void SharedStore::finish(Transaction& transaction) {
  transaction.open = false;
  const Position seen =
      transaction.view && transaction.view->snapshot != kNoPosition ? transaction.view->snapshot : 0;
  transaction.floor = std::max({transaction.floor, seen, transaction.committed.value_or(0)});
}

void SharedStore::move_horizon() {
  Position horizon = std::min(back_from(position_, max_lag()), fork_begin_);
  for (const Transaction& transaction : sessions_)
    if (transaction.open && transaction.view)
      horizon = std::min({horizon, transaction.view->snapshot, transaction.view->fork});
  store_.forget_before(horizon);
}

}  // namespace serval::simulated
