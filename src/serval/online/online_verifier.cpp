#include "serval/online/online_verifier.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace serval::online {

namespace {

// When the last operation was asked for that was answered before the end.
Time last_answered(const LiveTransaction& transaction) {
  Time last = transaction.begin;
  for (const Access& access : transaction.accesses)
    if (access.time.end < transaction.end.end) last = std::max(last, access.time.begin);
  return last;
}

}  // namespace

using State = LiveTransaction::State;

OnlineVerifier::OnlineVerifier(const Profile& profile, OnlineOptions options)
    : options_(options),
      state_(profile, options.most_violations),
      intake_(profile, state_.keys, state_.states),
      read_judge_(state_,
                  [this](std::uint32_t key, const StoredValue& value) { return find_writer(key, value); }),
      write_judge_(state_) {}

void OnlineVerifier::accept(const Record& record) {
  ++state_.statistics.records;
  if (record.kind == RecordKind::Initial) return intake_.note_initial(record);
  if (record.time.begin > frontier_) advance(record.time.begin);
  if (record.kind == RecordKind::Heartbeat) return;
  LiveTransaction& transaction = open(record);
  if (record.kind == RecordKind::Operation) {
    ++state_.statistics.operations;
    intake_.note(record, transaction);
  } else if (ends_transaction(record.kind)) {
    end(record);
  }
}

// The transaction of a record: the one that its session has open, or a new one.
LiveTransaction& OnlineVerifier::open(const Record& record) {
  if (record.session >= open_.size()) open_.resize(record.session + 1, kNobody);
  std::uint32_t& slot = open_[record.session];
  if (slot != kNobody && slots_[slot].number == record.transaction) return slots_[slot];
  if (slot != kNobody) lose(record.session);
  open_[record.session] = take_slot();
  LiveTransaction& transaction = slots_[open_[record.session]];
  intake_.begin(record, transaction);
  return transaction;
}

// Its end is missing: it may have taken effect.
void OnlineVerifier::lose(std::uint32_t session) {
  const LiveTransaction& transaction = slots_[open_[session]];
  Record lost;
  lost.kind = RecordKind::Indeterminate;
  lost.session = session;
  lost.transaction = transaction.number;
  lost.time = {transaction.last_operation, kUnknownEnd};
  end(lost);
}

std::uint32_t OnlineVerifier::take_slot() {
  if (free_slots_.empty()) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void OnlineVerifier::end(const Record& record) {
  const std::uint32_t slot = std::exchange(open_[record.session], kNobody);
  LiveTransaction& transaction = slots_[slot];
  intake_.close(record, transaction);
  install(transaction);
  if (transaction.state == State::Indeterminate) {
    transaction.restart();
    free_slots_.push_back(slot);
  } else {
    waiting_.push_back({transaction.end.end, slot});
    std::ranges::push_heap(waiting_, std::greater<>{});
  }
  if (++ends_since_look_ >= kEndsBetweenLooks) look_for_garbage();
}

// What a transaction that has ended leaves behind: versions, and locks that others may contradict.
void OnlineVerifier::install(LiveTransaction& transaction) {
  switch (transaction.state) {
    case State::Committed:
      ++state_.statistics.committed;
      if (transaction.in_graph)
        transaction.participant = state_.certifier.add(
            {.transaction = transaction.number, .session = transaction.session, .commit = transaction.end});
      break;
    case State::Aborted:
      ++state_.statistics.aborted;
      break;
    default:
      ++state_.statistics.indeterminate;
  }
  ++state_.walk;
  for (const Access& access : transaction.accesses) {
    const bool writes = access.kind == Access::Kind::Write;
    if (writes && transaction.state != State::Aborted) install_version(transaction, access);
    if (writes && transaction.state == State::Aborted) note_aborted_write(transaction, access);
    // One statement alone may hold its locks for no longer than it runs.
    const bool holds = access.lock != LockMode::None && transaction.statements > 1;
    const bool by_version = writes && transaction.state == State::Committed;
    if (holds && !by_version && transaction.state != State::Indeterminate) note_lock(transaction, access);
  }
}

void OnlineVerifier::install_version(LiveTransaction& transaction, const Access& access) {
  KeyState& key = state_.states[access.key];
  key.had_delete |= access.value.is_nil();
  if (key.stamp == state_.walk) {
    Version& own = key.versions.back();
    own.value = access.value;
    own.uncertain &= access.maybe || transaction.state == State::Indeterminate;
    return;
  }
  key.stamp = state_.walk;
  if (options_.forgets) trim(key);
  const Profile& profile = *transaction.profile;
  Version version{.value = access.value,
                  .transaction = transaction.number,
                  .writer = transaction.participant,
                  .install = transaction.end,
                  .acquire = access.time,
                  .release_begin = transaction.end.begin,
                  .session = transaction.session,
                  .exclusive = profile.write_lock == LockMode::Exclusive,
                  .first_updater_wins = profile.first_updater_wins && transaction.has_snapshot,
                  .verified = transaction.state == State::Indeterminate,
                  .uncertain = access.maybe || transaction.state == State::Indeterminate};
  if (profile.install == InstallPoint::Anytime) version.install.begin = transaction.begin;
  if (version.first_updater_wins) version.snapshot_end = transaction.snapshot.end;
  if (version.uncertain)
    key.has_uncertain = true;
  else
    key.longest_commit = std::max(key.longest_commit, transaction.end.end - transaction.end.begin);
  key.versions.push_back(std::move(version));
}

// A transaction that aborted was alive when its last answered operation was asked for, and perhaps no longer.
void OnlineVerifier::note_lock(const LiveTransaction& transaction, const Access& access) {
  if (access.kind == Access::Kind::Read && access.value.is_nil()) return;  // There is no row to lock.
  KeyState& key = state_.states[access.key];
  if (key.is_column) return;
  for (const Lock& lock : key.locks)
    if (lock.transaction == transaction.number && lock.mode >= access.lock) return;
  if (options_.forgets)
    std::erase_if(key.locks, [&](const Lock& lock) { return lock.verified && lock.release.end < horizon_; });
  Interval release = transaction.end;
  if (transaction.state == State::Aborted) {
    if (access.time.end >= transaction.end.end) return;  // What ended it: perhaps it never got its lock.
    release.begin = last_answered(transaction);
  }
  key.locks.push_back({.transaction = transaction.number,
                       .session = transaction.session,
                       .mode = access.lock,
                       .acquire = access.time,
                       .release = release});
}

void OnlineVerifier::note_aborted_write(const LiveTransaction& transaction, const Access& access) {
  if (aborted_writes_.size() >= kRememberedAborts) aborted_writes_.pop_front();
  aborted_writes_.push_back({access.key,
                             access.value,
                             {.transaction = transaction.number,
                              .session = transaction.session,
                              .action = "write, and abort later",
                              .time = access.time}});
}

// Every record that begins before `frontier` has come.
void OnlineVerifier::advance(Time frontier) {
  frontier_ = frontier;
  if (waiting_.empty() || waiting_.front().end >= frontier) return;
  // What may be installed before its commit begins has to be known, too.
  if (state_.profile.install == InstallPoint::Anytime) frontier = std::min(frontier, earliest_open());
  while (!waiting_.empty() && waiting_.front().end < frontier) {
    const std::uint32_t slot = waiting_.front().slot;
    std::ranges::pop_heap(waiting_, std::greater<>{});
    waiting_.pop_back();
    judge(slot);
  }
}

Time OnlineVerifier::earliest_open() const {
  Time earliest = kUnknownEnd;
  for (const std::uint32_t slot : open_)
    if (slot != kNobody) earliest = std::min(earliest, slots_[slot].begin);
  return earliest;
}

void OnlineVerifier::judge(std::uint32_t slot) {
  LiveTransaction& transaction = slots_[slot];
  Interval snapshot = transaction.snapshot;
  if (transaction.state == State::Committed) snapshot = read_judge_.judge(transaction);
  write_judge_.judge(transaction, snapshot.end);
  if (!transaction.regions.empty()) judge_regions(transaction);
  if (!transaction.participant.is_none()) {
    if (state_.profile.keeps_sessions) link_to_session(transaction);
    state_.certifier.complete(transaction.participant);
  }
  transaction.restart();
  free_slots_.push_back(slot);
}

void OnlineVerifier::judge_regions(LiveTransaction& transaction) {
  if (options_.forgets) state_.regions.forget_before(horizon_);
  Interval release = transaction.end;
  if (transaction.state == State::Aborted) release.begin = last_answered(transaction);
  for (RegionLock& region : transaction.regions) {
    if (transaction.state == State::Aborted && region.lock.acquire.end >= transaction.end.end) continue;
    region.lock.transaction = transaction.number;
    region.lock.session = transaction.session;
    region.lock.release = release;
    state_.regions.judge(std::move(region), [&](Violation found) { state_.report(std::move(found)); });
  }
}

// Transactions of a session are judged in its order: each ends before the next begins, or at the same tick.
void OnlineVerifier::link_to_session(const LiveTransaction& transaction) {
  if (transaction.session >= last_of_session_.size()) last_of_session_.resize(transaction.session + 1);
  Participant& last = last_of_session_[transaction.session];
  if (!last.is_none()) state_.depend(Dependency::Session, last, transaction.participant, 0);
  last = transaction.participant;
}

void OnlineVerifier::look_for_garbage() {
  ends_since_look_ = 0;
  if (!options_.forgets) return;
  Time horizon = std::min(frontier_, earliest_open());
  for (const Waiting& waiting : waiting_) horizon = std::min(horizon, slots_[waiting.slot].begin);
  if (state_.profile.freshness == Freshness::Any) horizon -= options_.retention;
  horizon_ = std::max(horizon_, horizon);
  state_.certifier.forget_before(horizon_);
}

// Leopard V-A: a version that was certainly overwritten before any snapshot that is still to be judged. Those
// that perhaps never were, nor will be, stay.
void OnlineVerifier::trim(KeyState& key) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t last = kNone;  // Certainly installed before the horizon, and after all before it.
  std::size_t garbage = 0;   // Those before it.
  for (std::size_t i = 0; i < key.versions.size(); ++i) {
    const Version& version = key.versions[i];
    if (version.uncertain) continue;
    if (!version.verified || version.install.end >= horizon_) break;
    if (last != kNone && order_of(key.versions[last], version, key) != VersionOrder::Before) break;
    garbage += last != kNone ? 1 : 0;
    last = i;
  }
  if (garbage == 0) return;
  key.forgot = true;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < key.versions.size(); ++i)
    if (i >= last || key.versions[i].uncertain) {
      if (kept != i) key.versions[kept] = std::move(key.versions[i]);
      ++kept;
    }
  key.versions.resize(kept);
}

std::vector<CitedRecord> OnlineVerifier::find_writer(std::uint32_t key, const StoredValue& value) const {
  std::vector<CitedRecord> found;
  const std::string name = state_.keys.spell(key);
  for (const LiveTransaction& transaction : slots_)
    for (const Access& access : transaction.accesses)
      if (access.kind == Access::Kind::Write && access.key == key && access.value == value)
        found.push_back({.transaction = transaction.number,
                         .session = transaction.session,
                         .action = fmt::format("write {} = {}", name, value.spell()),
                         .time = access.time});
  for (const AbortedWrite& write : aborted_writes_)
    if (write.key == key && write.value == value) found.push_back(write.record);
  return found;
}

OnlineStatistics OnlineVerifier::statistics() const {
  OnlineStatistics out = state_.statistics;
  out.hints = state_.certifier.hints();
  out.keys = state_.states.size();
  for (const KeyState& key : state_.states) {
    out.versions += key.versions.size();
    out.locks += key.locks.size();
  }
  out.locks += state_.regions.size();
  out.vertices = state_.certifier.graph().vertex_count();
  out.edges = state_.certifier.graph().edge_count();
  for (const std::uint32_t slot : open_) out.open_transactions += slot != kNobody ? 1 : 0;
  return out;
}

OnlineResult OnlineVerifier::finish() {
  for (std::uint32_t session = 0; session < open_.size(); ++session)
    if (open_[session] != kNobody) lose(session);
  advance(kUnknownEnd);
  return {.violations = state_.violations, .statistics = statistics()};
}

}  // namespace serval::online
