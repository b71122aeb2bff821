#include "serval/online/key_partition.h"

#include <algorithm>

namespace serval::online {

using State = LiveTransaction::State;

void KeyPartition::note(const KeyFact& fact) {
  if (fact.is_evicted) return evict(fact);
  if (fact.is_new) return create(fact);
  Version& first = state_.states[fact.place.local].versions.front();
  first.value = fact.initial;
  first.or_nil = fact.initial_or_nil;
}

void KeyPartition::create(const KeyFact& fact) {
  if (fact.place.local == state_.states.size()) state_.states.emplace_back();
  KeyState& key = state_.states[fact.place.local];
  if (fact.row != fact.place.local) key.row = &state_.states[fact.row];
  Version& first = key.versions.emplace_back();
  first.verified = true;
  first.value = lost_cold_keys_ ? StoredValue::anything() : fact.initial;
  first.or_nil = fact.initial_or_nil;
  ++hot_;
  restore(fact, key);
}

// An evicted key comes back as it was. Transactions that use it later cannot tell that it was away.
void KeyPartition::restore(const KeyFact& fact, KeyState& key) {
  Version& first = key.versions.front();
  if (const auto cold = cold_.find(fact.name); cold != cold_.end()) {
    first.value = cold->second.value;
    first.or_nil = cold->second.or_nil;
    key.had_delete = cold->second.had_delete;
    cold_.erase(cold);
  } else if (const auto undecided = undecided_.find(fact.name); undecided != undecided_.end()) {
    KeyState* const row = key.row;
    key = std::move(undecided->second);
    key.row = row;
    undecided_.erase(undecided);
  } else {
    return;
  }
  key.forgot = true;
  returned_.fetch_add(1, std::memory_order_relaxed);
}

// Every transaction that used the key is judged and forgotten, so only the value that the next one sees
// matters. If commits overlapped, it may be one of several.
void KeyPartition::evict(const KeyFact& fact) {
  KeyState& key = state_.states[fact.place.local];
  trim(key, kUnknownEnd);
  const Version& last = key.versions.back();
  if (key.versions.size() == 1 && cold_.size() < options_.cold_keys) {
    cold_[fact.name] = {.value = last.value, .or_nil = last.or_nil, .had_delete = key.had_delete};
  } else if (undecided_.size() < options_.cold_keys / kUndecidedShare) {
    key.locks.clear();
    undecided_[fact.name] = std::move(key);
  } else if (cold_.size() < options_.cold_keys) {
    cold_[fact.name] = {.value = StoredValue::anything(), .had_delete = key.had_delete};
  } else {
    lost_cold_keys_ = true;
  }
  key = KeyState();
  --hot_;
}

// What an ended transaction leaves behind: versions, and locks that others may contradict.
void KeyPartition::install(LiveTransaction& transaction, std::span<const std::uint32_t> part, Time horizon) {
  ++state_.walk;
  for (const std::uint32_t i : part) {
    Access& access = transaction.accesses[i];
    access.state = &state_.states[access.local];
    const bool writes = access.kind == Access::Kind::Write;
    if (writes && transaction.state != State::Aborted) install_version(transaction, access, horizon);
    // A single-statement transaction may hold its locks only while the statement runs.
    const bool holds = access.lock != LockMode::None && transaction.statements > 1;
    const bool by_version = writes && transaction.state == State::Committed;
    if (holds && !by_version && transaction.state != State::Indeterminate)
      note_lock(transaction, access, horizon);
  }
}

void KeyPartition::install_version(LiveTransaction& transaction, const Access& access, Time horizon) {
  KeyState& key = *access.state;
  key.had_delete |= access.value.is_nil();
  if (key.stamp == state_.walk) {
    Version& own = key.versions.back();
    // A write that perhaps changed nothing may have left the old value.
    own.value = access.maybe && !(own.value == access.value) ? StoredValue::anything() : access.value;
    own.uncertain &= access.maybe || transaction.state == State::Indeterminate;
    return;
  }
  key.stamp = state_.walk;
  if (options_.forgets) trim(key, horizon);
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
    key.longest_commit = std::max(key.longest_commit, span_of(transaction.end));
  key.versions.push_back(std::move(version));
}

// An aborted transaction was certainly alive only until the invocation of its last completed operation.
void KeyPartition::note_lock(const LiveTransaction& transaction, const Access& access, Time horizon) {
  if (access.kind == Access::Kind::Read && access.value.is_nil()) return;  // There is no row to lock.
  KeyState& key = *access.state;
  if (key.is_column()) return;
  for (const Lock& lock : key.locks)
    if (lock.transaction == transaction.number && lock.mode >= access.lock) return;
  if (options_.forgets)
    std::erase_if(key.locks, [&](const Lock& lock) { return lock.verified && lock.release.end < horizon; });
  Interval release = transaction.end;
  if (transaction.state == State::Aborted) {
    if (access.time.end >= transaction.end.end)
      return;  // This operation ended the transaction; perhaps it never got its lock.
    release.begin = transaction.last_answered;
  }
  key.locks.push_back({.transaction = transaction.number,
                       .session = transaction.session,
                       .mode = access.lock,
                       .acquire = access.time,
                       .release = release});
}

bool KeyPartition::is_disturbed(const LiveTransaction& transaction, std::span<const std::uint32_t> part) {
  return read_judge_.prepare(transaction, part) || WriteJudge::depends_on_snapshot(transaction, part);
}

void KeyPartition::judge(const LiveTransaction& transaction, std::span<const std::uint32_t> part) {
  if (transaction.state == State::Committed) read_judge_.prepare(transaction, part);
  judge_prepared(transaction, part);
}

void KeyPartition::judge_prepared(const LiveTransaction& transaction, std::span<const std::uint32_t> part) {
  Interval snapshot = transaction.snapshot;
  if (transaction.state == State::Committed) snapshot = read_judge_.conclude();
  write_judge_.judge(transaction, part, snapshot);
}

// Walks leave their numbers at keys, so a new number must not occur there.
void KeyPartition::judge_for(std::span<KeyPartition* const> others, const LiveTransaction& transaction,
                             std::span<const std::uint32_t> part) {
  for (const KeyPartition* other : others) state_.walk = std::max(state_.walk, other->state_.walk);
  judge(transaction, part);
  for (KeyPartition* other : others) other->state_.walk = state_.walk;
}

// Leopard V-A: forgets versions that were certainly overwritten before any snapshot that is still to be
// judged. All are compared with the last version that was certainly installed by then: if commits overlap
// and no lock orders them, hardly any version certainly follows its neighbour, but nearly all certainly
// precede that one. Versions that perhaps never existed are kept.
void KeyPartition::trim(KeyState& key, Time horizon) {
  const auto is_settled = [&](const Version& version) {
    return !version.uncertain && version.verified && version.install.end < horizon;
  };
  std::size_t last = key.versions.size();
  while (last > 0 && !is_settled(key.versions[last - 1])) --last;
  if (last <= 1) return;
  const auto is_garbage = [&](const Version& version) {
    return is_settled(version) && order_of(version, key.versions[last - 1], key) == VersionOrder::Before;
  };
  // The initial version is garbage now, or was forgotten before.
  key.forgot = true;
  const auto end = key.versions.begin() + static_cast<std::ptrdiff_t>(last - 1);
  key.versions.erase(std::remove_if(key.versions.begin(), end, is_garbage), end);
}

OnlineStatistics KeyPartition::statistics() const {
  OnlineStatistics out = state_.statistics;
  out.keys = hot_ + cold_.size() + undecided_.size();
  for (const KeyState& key : state_.states) {
    out.versions += key.versions.size();
    out.locks += key.locks.size();
  }
  for (const auto& [name, key] : undecided_) out.versions += key.versions.size();
  return out;
}

}  // namespace serval::online
