#include "serval/database/simulated/version_store.h"

#include <utility>

#include "serval/base/contract.h"

namespace serval::simulated {

VersionStore::KeyState& VersionStore::at(Key key) {
  if (key >= keys_.size()) keys_.resize(key + 1);
  return keys_[key];
}

VersionId VersionStore::visible(Key key, const View& view) const {
  VersionId id = newest(key);
  while (id != kInitialVersion && !view.sees(versions_[id].position, versions_[id].replica))
    id = versions_[id].older;
  return id;
}

VersionId VersionStore::add(const Version& version) {
  if (free_.empty()) {
    versions_.push_back(version);
    return static_cast<VersionId>(versions_.size() - 1);
  }
  const VersionId id = free_.back();
  free_.pop_back();
  versions_[id] = version;
  return id;
}

// Keeps the newest version at or before the horizon: the oldest view still sees it.
void VersionStore::forget_old(VersionId newest) {
  VersionId kept = newest;
  while (kept != kInitialVersion && versions_[kept].position > horizon_) kept = versions_[kept].older;
  if (kept == kInitialVersion) return;
  for (VersionId id = std::exchange(versions_[kept].older, kInitialVersion); id != kInitialVersion;
       id = versions_[id].older)
    free_.push_back(id);
}

VersionId VersionStore::install(Key key, Version version) {
  KeyState& state = at(key);
  version.older = state.newest;
  state.newest = add(version);
  forget_old(state.newest);
  return state.newest;
}

std::span<const Value> VersionStore::elements(Key key, VersionId version) const {
  if (version == kInitialVersion) return {};
  return std::span(lists_[key]).first(static_cast<std::size_t>(versions_[version].value.as_integer()));
}

VersionId VersionStore::append(Key key, Value element, Version version) {
  if (key >= lists_.size()) lists_.resize(key + 1);
  lists_[key].push_back(element);
  version.value = Value::integer(static_cast<std::int64_t>(lists_[key].size()));
  return install(key, version);
}

void VersionStore::append_below_newest(Key key, Value element) {
  expects(newest(key) != kInitialVersion, "a version to stay below");
  Version& version = versions_[newest(key)];
  const std::int64_t length = version.value.as_integer();
  lists_[key].insert(lists_[key].begin() + length - 1, element);
  version.value = Value::integer(length + 1);
}

void VersionStore::clear_writer(Key key, std::uint32_t session) {
  if (at(key).writer == session) at(key).writer = kNoSession;
}

}  // namespace serval::simulated
