#include "serval/online/write_judge.h"

#include "serval/online/consistent_read.h"

namespace serval::online {

bool WriteJudge::depends_on_snapshot(const LiveTransaction& transaction,
                                     std::span<const std::uint32_t> part) {
  if (!transaction.profile->first_updater_wins || !transaction.has_snapshot) return false;
  for (const std::uint32_t i : part) {
    const Access& access = transaction.accesses[i];
    if (access.kind == Access::Kind::Write &&
        changes_within(*access.state, snapshot_of(transaction), transaction.number))
      return true;
  }
  return false;
}

void WriteJudge::judge(const LiveTransaction& transaction, std::span<const std::uint32_t> part,
                       const Interval& snapshot) {
  ++state_.walk;
  for (const std::uint32_t number : part) {
    const Access& access = transaction.accesses[number];
    if (access.kind == Access::Kind::Read && access.lock == LockMode::None) continue;
    KeyState& key = *access.state;
    if (key.stamp == state_.walk) continue;
    key.stamp = state_.walk;
    state_.found.at(Findings::Step::Write, number);
    for (std::size_t i = key.versions.size(); i-- > 0;) {
      Version& version = key.versions[i];
      if (version.transaction != transaction.number) continue;
      if (version.first_updater_wins && snapshot.end != transaction.snapshot.end &&
          changes_within(key, snapshot_of(transaction), transaction.number))
        version.snapshot_end = snapshot.end;
      if (!version.uncertain) judge_version(transaction, access, i);
      version.verified = true;
      break;
    }
    if (!key.is_column()) judge_locks(transaction, access);
  }
}

void WriteJudge::judge_version(const LiveTransaction& transaction, const Access& access, std::size_t own) {
  KeyState& key = *access.state;
  const Version& mine = key.versions[own];
  bool linked = false, overlapped = false;
  for (std::size_t i = own; i-- > 0;) {
    Version& other = key.versions[i];
    if (other.uncertain) continue;
    switch (order_of(other, mine, key)) {
      case VersionOrder::Before:
        if (!linked) link(access, other, mine);
        linked = true;
        break;
      case VersionOrder::Unknown:
        overlapped |= !linked;
        break;
      case VersionOrder::Impossible:
        if (other.verified) compare(access, other, mine);
        break;
      case VersionOrder::After:
        break;
    }
    if (linked && key.all_installed_before(other, transaction.begin)) break;
  }
  for (std::size_t i = own + 1; i < key.versions.size(); ++i) {
    const Version& other = key.versions[i];
    if (other.verified && !other.uncertain && order_of(other, mine, key) == VersionOrder::Impossible)
      compare(access, other, mine);
  }
  if (overlapped) state_.leave_uncertain(Dependency::WriteWrite);
}

// The mechanisms that refute the two orders: one for both, or one each.
void WriteJudge::compare(const Access& access, const Version& a, const Version& b) {
  const KeyState& key = *access.state;
  if (key.is_column()) return;  // The order of its row is judged instead.
  const std::string name = state_.keys.format(access.key);
  if (!locks_allow(a, b) && !locks_allow(b, a))
    state_.report(exclusion_violation(name, lock_of(a), lock_of(b)));
  else if (!snapshots_allow(a, b, key) && !snapshots_allow(b, a, key))
    state_.report(lost_update_violation(name, a, b));
  else
    state_.report(order_violation(name, a, b));
}

// A row after a delete is a new object; it overwrites nothing.
void WriteJudge::link(const Access& access, Version& before, const Version& own) {
  if (own.writer.is_none()) return;
  if (before.transaction != 0 && !before.value.is_nil()) {
    state_.depend({before.writer, own.writer, access.key, Dependency::WriteWrite, access.state->had_delete});
    if (!certainly_before(before.install, own.install)) state_.note_overlap(Dependency::WriteWrite);
  }
  if (state_.profile.cycles == CycleRule::InformationFlow) return;
  for (const VersionReader& reader : before.readers) {
    if (reader.participant == own.writer) continue;
    state_.depend({reader.participant, own.writer, access.key, Dependency::ReadWrite});
    if (own.install.begin <= reader.snapshot_end) state_.note_overlap(Dependency::ReadWrite);
  }
  state_.statistics.deduced[static_cast<std::size_t>(Dependency::ReadWrite)] += before.forgotten_readers;
  if (!before.exclusive || !own.exclusive) return;
  before.readers.clear();  // There is no other next version.
  before.forgotten_readers = 0;
}

void WriteJudge::judge_locks(const LiveTransaction& transaction, const Access& access) {
  KeyState& key = *access.state;
  if (key.locks.empty()) return;
  for (Lock& lock : key.locks) {
    if (lock.transaction != transaction.number || lock.verified) continue;
    judge_lock(access, lock);
    lock.verified = true;
  }
  for (const Version& version : key.versions) {
    if (version.transaction != transaction.number || !version.exclusive || version.uncertain) continue;
    for (const Lock& other : key.locks)
      if (other.verified && other.transaction != transaction.number) compare(access, other, lock_of(version));
  }
}

void WriteJudge::judge_lock(const Access& access, const Lock& own) {
  const KeyState& key = *access.state;
  for (const Lock& other : key.locks)
    if (other.verified && other.transaction != own.transaction) compare(access, other, own);
  for (const Version& version : key.versions)
    if (version.exclusive && !version.uncertain && version.verified && version.transaction != own.transaction)
      compare(access, lock_of(version), own);
}

void WriteJudge::compare(const Access& access, const Lock& a, const Lock& b) {
  if (locks_contradict(a, b)) state_.report(exclusion_violation(state_.keys.format(access.key), a, b));
}

}  // namespace serval::online
