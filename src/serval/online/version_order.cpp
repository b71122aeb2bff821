#include "serval/online/version_order.h"

#include <fmt/format.h>

namespace serval::online {
namespace {

Derivation hold(const std::string& key, const Lock& lock) {
  const char* mode = lock.mode == LockMode::Shared ? "shared" : "exclusive";
  return {.conclusion = fmt::format("T{} has the {} lock of {} by {}, and keeps it until {} at least",
                                    lock.transaction, mode, key, lock.acquire.end, lock.release.begin),
          .records = {cite(lock, fmt::format("lock {} ({})", key, mode), lock.acquire),
                      cite(lock, "end, release all locks", lock.release)}};
}

CitedRecord commit_of(const Version& version) {
  return cite(version, fmt::format("commit, install {}", version.value.format()), version.install);
}

Derivation snapshot_before(const std::string& key, const Version& snapshot, const Version& other) {
  return {
      .conclusion = fmt::format("T{} took its snapshot by {}, before T{} could commit {}, and also wrote it",
                                snapshot.transaction, snapshot.snapshot_end, other.transaction, key),
      .records = {cite(snapshot, "snapshot", {kUnknownBegin, snapshot.snapshot_end}), commit_of(other)}};
}

Derivation update_of(const std::string& key, const Version& seen, const Version& update) {
  const std::string read = seen.value.format();
  const std::string from = seen.transaction == 0 ? "" : fmt::format(", which T{} wrote", seen.transaction);
  return {.conclusion = fmt::format("T{} read {} = {}{}, and wrote {}", update.transaction, key, read, from,
                                    update.value.format()),
          .records = {commit_of(update)}};
}

}  // namespace

Lock lock_of(const Version& version) {
  return {.transaction = version.transaction,
          .session = version.session,
          .mode = version.exclusive ? LockMode::Exclusive : LockMode::None,
          .verified = version.verified,
          .acquire = version.acquire,
          .release = {version.release_begin, version.install.end}};
}

Violation exclusion_violation(const std::string& key, const Lock& a, const Lock& b) {
  return {.mechanism = Mechanism::MutualExclusion,
          .kind = AnomalyKind::DirtyWrite,
          .key = key,
          .transactions = {a.transaction, b.transaction},
          .first = hold(key, a),
          .second = hold(key, b)};
}

Violation second_update_violation(const std::string& key, const Version& seen, const Version& a,
                                  const Version& b) {
  return {.mechanism = Mechanism::FirstUpdaterWins,
          .kind = AnomalyKind::LostUpdate,
          .key = key,
          .transactions = {a.transaction, b.transaction},
          .first = update_of(key, seen, a),
          .second = update_of(key, seen, b)};
}

Violation lost_update_violation(const std::string& key, const Version& a, const Version& b) {
  return {.mechanism = Mechanism::FirstUpdaterWins,
          .kind = AnomalyKind::LostUpdate,
          .key = key,
          .transactions = {a.transaction, b.transaction},
          .first = snapshot_before(key, a, b),
          .second = snapshot_before(key, b, a)};
}

Violation order_violation(const std::string& key, const Version& a, const Version& b) {
  const bool locks_say_a_first = a.release_begin <= b.acquire.end;
  const Version& first = locks_say_a_first ? a : b;
  const Version& second = locks_say_a_first ? b : a;
  Violation out = lost_update_violation(key, first, second);
  out.first = {
      .conclusion =
          fmt::format("by their locks T{} wrote {} before T{}", first.transaction, key, second.transaction),
      .records = {cite(first, "lock " + key, first.acquire), cite(second, "lock " + key, second.acquire)}};
  out.second = snapshot_before(key, second, first);
  return out;
}

}  // namespace serval::online
