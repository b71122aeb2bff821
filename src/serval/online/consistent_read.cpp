#include "serval/online/consistent_read.h"

namespace serval::online {

Candidates find_candidates(const KeyState& key, const Interval& snapshot, const StoredValue& seen,
                           std::uint64_t own) {
  Candidates out;
  const Version* pivot = nullptr;  // The last version certainly installed before the snapshot.
  for (std::size_t i = key.versions.size(); i-- > 0;) {
    const Version& version = key.versions[i];
    if (version.transaction == own && own != 0) continue;
    if (version.install.begin > snapshot.end) continue;
    if (pivot != nullptr && order_of(version, *pivot, key) == VersionOrder::Before) {
      if (key.all_installed_before(version, pivot->install.begin)) break;
      continue;
    }
    if (version.may_show(seen)) {
      ++out.matches;
      out.match = static_cast<std::uint32_t>(i);
    }
    if (pivot == nullptr && !version.uncertain && version.install.end < snapshot.begin) pivot = &version;
  }
  return out;
}

bool changes_within(const KeyState& key, const Interval& time, std::uint64_t own) {
  for (std::size_t i = key.versions.size(); i-- > 0;) {
    const Version& version = key.versions[i];
    if (version.install.begin > time.end || version.transaction == own) continue;
    if (version.install.end >= time.begin) return true;
    if (key.all_installed_before(version, time.begin)) return false;
  }
  return false;
}

bool narrow(SnapshotWindow& window, const KeyState& key, std::uint32_t match, std::uint64_t own,
            std::uint32_t access) {
  const Version& seen = key.versions[match];
  bool changed = false;
  if (seen.install.begin > window.time.begin) {
    window.time.begin = seen.install.begin;
    window.begin_by = access;
    changed = true;
  }
  if (seen.uncertain) return changed;
  const auto end_by = [&](const Version& next) {
    if (next.transaction == own || next.install.end >= window.time.end) return;
    if (order_of(seen, next, key) != VersionOrder::Before) return;
    window.time.end = next.install.end;
    window.end_by = access;
    changed = true;
  };
  // An install ends no earlier than its commit begins, and versions are ordered by the begin of their
  // commits.
  for (std::size_t i = match + std::size_t{1}; i < key.versions.size(); ++i) {
    if (key.versions[i].release_begin >= window.time.end) break;
    end_by(key.versions[i]);
  }
  for (std::size_t i = match; i-- > 0;) {
    if (key.all_installed_before(key.versions[i], seen.install.begin)) break;
    end_by(key.versions[i]);
  }
  return changed;
}

}  // namespace serval::online
