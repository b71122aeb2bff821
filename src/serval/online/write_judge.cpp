#include "serval/online/write_judge.h"

namespace serval::online {

void WriteJudge::judge(const LiveTransaction& transaction, Time snapshot_end) {
  ++state_.walk;
  for (const Access& access : transaction.accesses) {
    if (access.kind == Access::Kind::Read && access.lock == LockMode::None) continue;
    KeyState& key = state_.states[access.key];
    if (key.stamp == state_.walk) continue;
    key.stamp = state_.walk;
    for (std::size_t i = key.versions.size(); i-- > 0;) {
      Version& version = key.versions[i];
      if (version.transaction != transaction.number) continue;
      if (version.first_updater_wins) version.snapshot_end = snapshot_end;
      if (!version.uncertain) judge_version(transaction, access.key, i);
      version.verified = true;
      break;
    }
    if (!key.is_column) judge_locks(transaction, access.key);
  }
}

void WriteJudge::judge_version(const LiveTransaction& transaction, std::uint32_t number, std::size_t own) {
  KeyState& key = state_.states[number];
  const Version& mine = key.versions[own];
  bool linked = false, overlapped = false;
  for (std::size_t i = own; i-- > 0;) {
    Version& other = key.versions[i];
    if (other.uncertain) continue;
    switch (order_of(other, mine, key)) {
      case VersionOrder::Before:
        if (!linked) link(number, other, mine);
        linked = true;
        break;
      case VersionOrder::Unknown:
        overlapped |= !linked;
        break;
      case VersionOrder::Impossible:
        if (other.verified) compare(number, other, mine);
        break;
      case VersionOrder::After:
        break;
    }
    if (linked && key.all_installed_before(other, transaction.begin)) break;
  }
  for (std::size_t i = own + 1; i < key.versions.size(); ++i) {
    const Version& other = key.versions[i];
    if (other.verified && !other.uncertain && order_of(other, mine, key) == VersionOrder::Impossible)
      compare(number, other, mine);
  }
  if (overlapped) state_.leave_uncertain(Dependency::WriteWrite);
}

// Which mechanism refutes both orders: one alone, or one each.
void WriteJudge::compare(std::uint32_t number, const Version& a, const Version& b) {
  const KeyState& key = state_.states[number];
  if (key.is_column) return;  // Its row's order is judged.
  const std::string name = state_.keys.spell(number);
  if (!locks_allow(a, b) && !locks_allow(b, a))
    state_.report(exclusion_violation(name, lock_of(a), lock_of(b)));
  else if (!snapshots_allow(a, b, key) && !snapshots_allow(b, a, key))
    state_.report(lost_update_violation(name, a, b));
  else
    state_.report(order_violation(name, a, b));
}

// What follows a deleted row is a new one; it overwrites nothing.
void WriteJudge::link(std::uint32_t number, Version& before, const Version& own) {
  const KeyState& key = state_.states[number];
  if (own.writer.is_none()) return;
  if (before.transaction != 0 && !before.value.is_nil())
    state_.depend(Dependency::WriteWrite, before.writer, own.writer, number, key.had_delete);
  if (state_.certifier.rule() == CycleRule::InformationFlow) return;
  for (const Participant& reader : before.readers)
    if (!(reader == own.writer)) state_.depend(Dependency::ReadWrite, reader, own.writer, number);
  if (before.exclusive && own.exclusive) before.readers.clear();  // There is no other next version.
}

void WriteJudge::judge_locks(const LiveTransaction& transaction, std::uint32_t number) {
  KeyState& key = state_.states[number];
  for (Lock& lock : key.locks) {
    if (lock.transaction != transaction.number || lock.verified) continue;
    judge_lock(number, lock);
    lock.verified = true;
  }
  for (const Version& version : key.versions) {
    if (version.transaction != transaction.number || !version.exclusive || version.uncertain) continue;
    for (const Lock& other : key.locks)
      if (other.verified && other.transaction != transaction.number &&
          locks_contradict(other, lock_of(version)))
        state_.report(exclusion_violation(state_.keys.spell(number), other, lock_of(version)));
  }
}

void WriteJudge::judge_lock(std::uint32_t number, const Lock& own) {
  const KeyState& key = state_.states[number];
  for (const Lock& other : key.locks)
    if (other.verified && other.transaction != own.transaction && locks_contradict(other, own))
      state_.report(exclusion_violation(state_.keys.spell(number), other, own));
  for (const Version& version : key.versions) {
    if (!version.exclusive || version.uncertain || !version.verified ||
        version.transaction == own.transaction)
      continue;
    if (locks_contradict(lock_of(version), own))
      state_.report(exclusion_violation(state_.keys.spell(number), lock_of(version), own));
  }
}

}  // namespace serval::online
