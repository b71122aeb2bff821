#include "serval/online/mutual_exclusion.h"

#include <fmt/format.h>

namespace serval::online {
namespace {

Derivation hold(const std::string& key, const Lock& lock) {
  const char* mode = lock.mode == LockMode::Shared ? "shared" : "exclusive";
  return {.conclusion = fmt::format("T{} has the {} lock of {} by {}, and keeps it until {} at least",
                                    lock.transaction, mode, key, lock.acquire.end, lock.release.begin),
          .records = {{.transaction = lock.transaction,
                       .session = lock.session,
                       .action = fmt::format("lock {} ({})", key, mode),
                       .time = lock.acquire},
                      {.transaction = lock.transaction,
                       .session = lock.session,
                       .action = "end, release all locks",
                       .time = lock.release}}};
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

}  // namespace serval::online
