#include "serval/database/simulated/store.h"

#include <algorithm>

#include "serval/base/contract.h"

namespace serval::simulated {
namespace {

using Bug = SimulatedBugKind;
using Reads = SimulatedLevelInfo::Reads;
using Snapshots = SimulatedLevelInfo::Snapshots;
using Checks = SimulatedLevelInfo::Checks;

Position back_from(Position position, Position steps) { return position - std::min(position, steps); }

// The share of snapshots that are the newest. With an old one, a checked update would usually fail. So a
// known update never gets an old one, and a transaction that may be an update rarely does.
double share_of_newest(const SimulatedLevelInfo& level, Transaction::Intent intent) {
  constexpr double kAll = 1, kMost = 0.9, kHalf = 0.5;
  if (level.snapshots == Snapshots::Newest) return kAll;
  if (level.checks != Checks::WritesAndReads || intent == Transaction::Intent::OnlyReads) return kHalf;
  return intent == Transaction::Intent::Update ? kAll : kMost;
}

}  // namespace

const PendingWrite* Transaction::find_write(Key key) const {
  const auto found = std::ranges::find(writes, key, &PendingWrite::key);
  return found == writes.end() ? nullptr : &*found;
}

void Transaction::restart() {
  view.reset();
  commit_position.reset();
  reads.clear();
  locked.clear();
  lists_shown.clear();
  writes.clear();
  installed = 0;
}

// Sessions.

Store::Store(const Options& options)
    : bugs_(options.bugs, Random(options.seed).next()),
      level_(info(options.level)),
      has_ranges_(options.has_ranges),
      checks_written_reads_(options.checks_written_reads),
      random_(options.seed),
      versions_(options.initial),
      sessions_(options.sessions),
      session_count_(options.sessions) {}

std::uint32_t Store::open_session() {
  ++session_count_;
  auto slot = std::ranges::find(sessions_, true, &Session::closed);
  if (slot == sessions_.end()) slot = sessions_.insert(slot, Session{});
  *slot = Session{};
  return static_cast<std::uint32_t>(slot - sessions_.begin());
}

void Store::close_session(std::uint32_t session) {
  --session_count_;
  sessions_[session].closed = true;
}

void Store::begin(Transaction& transaction) {
  transaction.begin_position = position_;
  sessions_[transaction.session].open = &transaction;
}

void Store::end(Transaction& transaction) {
  for (const PendingWrite& write : transaction.writes) versions_.clear_writer(write.key, transaction.session);
  Session& session = sessions_[transaction.session];
  session.open = nullptr;
  const Position seen =
      transaction.view && transaction.view->snapshot != kNoPosition ? transaction.view->snapshot : 0;
  session.floor = std::max({session.floor, seen, transaction.commit_position.value_or(0)});
}

void Store::quiesce() {
  rest_floor_ = position_;
  fork_begin_ = kNoPosition;
  fork_end_ = position_;
  for (Session& session : sessions_) session.floor = position_;
}

// Snapshots.

Position Store::choose_snapshot(const Transaction& transaction) {
  const Position oldest = std::max(rest_floor_, versions_.horizon());
  if (bugs_.fires(Bug::StaleSnapshot))
    return std::max(oldest, back_from(position_, 1 + bugs_.random().below(max_lag())));
  const double newest = share_of_newest(level_, transaction.intent);
  if (newest == 1 || random_.chance(newest)) return position_;
  const Position floor = level_.snapshots == Snapshots::Session ? sessions_[transaction.session].floor : 0;
  return std::max({floor, oldest, back_from(position_, random_.below(max_lag() + 1))});
}

void Store::join_fork(View& view, const Transaction& transaction) {
  const bool open = fork_begin_ != kNoPosition && position_ < fork_end_;
  if (!open) {
    fork_begin_ = kNoPosition;
    if (!bugs_.fires(Bug::LongFork)) return;
    fork_begin_ = position_;
    fork_end_ = position_ + 4 * Position{session_count_};
  }
  view = {.snapshot = position_, .fork = fork_begin_, .replica = replica_of(transaction)};
}

const View& Store::view_of(Transaction& transaction) {
  if (transaction.view) return *transaction.view;
  transaction.view.emplace();
  if (level_.reads == Reads::Snapshot) {
    transaction.view->snapshot = choose_snapshot(transaction);
    join_fork(*transaction.view, transaction);
  }
  return *transaction.view;
}

std::optional<Position> Store::state_seen(const View& view) const {
  if (level_.reads == Reads::Dirty || view.fork != kNoPosition) return std::nullopt;
  return view.snapshot == kNoPosition ? position_ : view.snapshot;
}

void Store::move_horizon() {
  Position horizon = std::min(back_from(position_, max_lag()), fork_begin_);
  for (const Session& session : sessions_)
    if (session.open != nullptr && session.open->view)
      horizon = std::min({horizon, session.open->view->snapshot, session.open->view->fork});
  horizon = std::max(horizon, versions_.horizon());  // More sessions may lag further than before.
  versions_.forget_before(horizon);
  while (!recent_.empty() && recent_.front().position <= horizon) recent_.pop_front();
}

// Reads and writes.

VersionId Store::read(Transaction& transaction, Key key) {
  const VersionId seen = versions_.visible(key, *transaction.view);
  transaction.reads.push_back({key, versions_[seen].position});
  return seen;
}

const Transaction* Store::dirty_writer(const Transaction& transaction, Key key) {
  const bool dirty =
      is_locked(transaction, key) && (level_.reads == Reads::Dirty || bugs_.fires(Bug::DirtyRead));
  return dirty ? sessions_[versions_.writer(key)].open : nullptr;
}

bool Store::is_locked(const Transaction& transaction, Key key) const {
  const std::uint32_t writer = versions_.writer(key);
  return writer != kNoSession && writer != transaction.session;
}

void Store::write(Transaction& transaction, const PendingWrite& write) {
  versions_.set_writer(write.key, transaction.session);
  const auto own = write.append ? transaction.writes.end()
                                : std::ranges::find(transaction.writes, write.key, &PendingWrite::key);
  if (own == transaction.writes.end())
    transaction.writes.push_back(write);
  else
    *own = write;
}

// Conflicts.

bool Store::is_outdated(const Transaction& transaction, Key key) const {
  return versions_[versions_.newest(key)].position !=
         versions_[versions_.visible(key, *transaction.view)].position;
}

bool Store::overlooks(Bug kind) { return bugs_.fires(kind) || bugs_.fires(Bug::SkippedValidation); }

// A transaction that read a list with its own appends at the end has shown their position. If others
// have appended since, its own must not be installed. (Databases lock the row for this.)
bool Store::showed_other_order(const Transaction& transaction) const {
  return std::ranges::any_of(transaction.lists_shown, [&](const Transaction::Read& shown) {
    return versions_[versions_.newest(shown.key)].position != shown.position;
  });
}

bool Store::reads_are_outdated(const Transaction& transaction) const {
  return std::ranges::any_of(transaction.reads, [&](const Transaction::Read& read) {
    return versions_[versions_.newest(read.key)].position != read.position &&
           (checks_written_reads_ || transaction.find_write(read.key) == nullptr);
  });
}

bool Store::has_conflict(const Transaction& transaction) {
  if (level_.checks == Checks::Nothing) return showed_other_order(transaction);
  if (level_.checks == Checks::Reads) return reads_are_outdated(transaction) && !overlooks(Bug::WriteSkew);
  if (transaction.writes.empty()) return false;
  const auto outdated = [&](const auto& touched) { return is_outdated(transaction, touched.key); };
  if (std::ranges::any_of(transaction.writes, outdated) && !overlooks(Bug::LostUpdate)) return true;
  if (std::ranges::any_of(transaction.locked, outdated)) return true;
  if (level_.checks == Checks::Writes) return false;
  return (reads_are_outdated(transaction) || ranges_are_outdated(transaction)) && !overlooks(Bug::WriteSkew);
}

// Even if commits check nothing, no commit overtakes the second half of a fractured one.
bool Store::awaits_half_commit(const Transaction& transaction) const {
  for (const Transaction* half : half_committed_)
    for (std::size_t i = half->installed; i < half->writes.size(); ++i)
      if (transaction.find_write(half->writes[i].key) != nullptr) return true;
  return false;
}

// Commit.

void Store::install(Transaction& transaction, std::size_t until) {
  const std::size_t from = transaction.installed;
  const Version version{.position = ++position_, .replica = replica_of(transaction)};
  for (std::size_t& i = transaction.installed; i < until; ++i) {
    PendingWrite& write = transaction.writes[i];
    Version next = version;
    next.value = write.value;
    write.version =
        write.append ? versions_.append(write.key, write.value, next) : versions_.install(write.key, next);
    versions_.clear_writer(write.key, transaction.session);
    if (has_ranges_) recent_.push_back({position_, write.key, write.version, replica_of(transaction)});
  }
  transaction.commit_position = position_;
  note_installed(transaction, std::span(transaction.writes).subspan(from, until - from));
  if (position_ % session_count_ == 0) move_horizon();
}

void Store::complete(Transaction& transaction) {
  std::erase(half_committed_, &transaction);
  if (!transaction.writes.empty()) install(transaction, transaction.writes.size());
  end(transaction);
}

// Its appends end up before those of the winner. For a register nothing is left: it was overwritten
// before any read.
void Store::lose_first_key(Transaction& transaction) {
  const Key lost = transaction.writes.front().key;
  for (const PendingWrite& write : transaction.writes)
    if (write.key == lost && write.append) versions_.append_below_newest(lost, write.value);
  versions_.clear_writer(lost, transaction.session);
  std::erase_if(transaction.writes, [lost](const PendingWrite& write) { return write.key == lost; });
}

// G0 needs two keys that were both written by one concurrent transaction, which then wins the first key.
bool Store::commit_dirty_write(Transaction& transaction) {
  if (!bugs_.may_fire(Bug::DirtyWrite)) return false;
  const std::vector<PendingWrite>& writes = transaction.writes;
  for (std::size_t i = 1; i < writes.size(); ++i) {
    const Position first = versions_[versions_.newest(writes[0].key)].position;
    const Position other = versions_[versions_.newest(writes[i].key)].position;
    const bool same_writer =
        writes[i].key != writes[0].key && first == other && first > transaction.begin_position;
    if (!same_writer || awaits_half_commit(transaction) || !bugs_.fires(Bug::DirtyWrite)) continue;
    lose_first_key(transaction);
    complete(transaction);
    return true;
  }
  return false;
}

Store::CommitAnswer Store::commit(Transaction& transaction) {
  if (transaction.installed > 0) {  // Four steps on average: long enough for others to see it.
    if (bugs_.random().chance(0.75)) return CommitAnswer::HalfWay;
    complete(transaction);
    return CommitAnswer::Committed;
  }
  if (commit_dirty_write(transaction)) return CommitAnswer::Committed;
  if (has_conflict(transaction) || awaits_half_commit(transaction)) {
    roll_back(transaction);
    return CommitAnswer::Conflict;
  }
  const bool updates = !transaction.writes.empty();
  const bool two_keys = updates && transaction.writes.front().key != transaction.writes.back().key;
  if (two_keys && bugs_.fires(Bug::FracturedCommit)) {
    install(transaction, 1);
    half_committed_.push_back(&transaction);
    return CommitAnswer::HalfWay;
  }
  complete(transaction);
  const bool lies = updates && bugs_.fires(Bug::AbortedButVisible);
  return lies ? CommitAnswer::SaidToAbort : CommitAnswer::Committed;
}

}  // namespace serval::simulated
