#include "serval/database/simulated/version_store.h"

#include <utility>

#include "serval/base/contract.h"

namespace serval::simulated {

VersionStore::KeyState& VersionStore::at(Key key) {
  if (key >= keys_.size()) keys_.resize(key + 1);
  return keys_[key];
}

Version VersionStore::newest(Key key) const {
  if (key >= keys_.size() || keys_[key].newest == kNone) return initial_;
  return nodes_[keys_[key].newest].version;
}

Version VersionStore::visible(Key key, const View& view) const {
  if (key >= keys_.size()) return initial_;
  for (std::uint32_t node = keys_[key].newest; node != kNone; node = nodes_[node].older) {
    const Version& version = nodes_[node].version;
    const bool forked_away = version.position > view.fork && version.replica != view.replica;
    if (version.position <= view.snapshot && !forked_away) return version;
  }
  return initial_;
}

std::uint32_t VersionStore::add_node(const Version& version, std::uint32_t older) {
  if (free_nodes_.empty()) {
    nodes_.push_back({version, older});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t node = free_nodes_.back();
  free_nodes_.pop_back();
  nodes_[node] = {version, older};
  return node;
}

// Keeps the newest version at or before the horizon: the oldest view still sees it.
void VersionStore::forget_old(std::uint32_t newest) {
  std::uint32_t kept = newest;
  while (kept != kNone && nodes_[kept].version.position > horizon_) kept = nodes_[kept].older;
  if (kept == kNone) return;
  for (std::uint32_t node = std::exchange(nodes_[kept].older, kNone); node != kNone;
       node = nodes_[node].older)
    free_nodes_.push_back(node);
}

void VersionStore::install(Key key, const Version& version) {
  KeyState& state = at(key);
  state.newest = add_node(version, state.newest);
  forget_old(state.newest);
}

// Both versions get the same position, so that no snapshot falls between them.
void VersionStore::install_below_newest(Key key, Value value) {
  const std::uint32_t newest = at(key).newest;
  expects(newest != kNone, "a version to stay below");
  Version below = nodes_[newest].version;
  below.value = value;
  const std::uint32_t node = add_node(below, nodes_[newest].older);
  nodes_[newest].older = node;
}

std::span<const Value> VersionStore::elements(Key key, std::size_t length) const {
  if (length == 0) return {};
  return std::span(lists_[key]).first(length);
}

void VersionStore::append(Key key, Value element, const Version& version) {
  if (key >= lists_.size()) lists_.resize(key + 1);
  lists_[key].push_back(element);
  Version longer = version;
  longer.value = Value::integer(static_cast<std::int64_t>(lists_[key].size()));
  install(key, longer);
}

void VersionStore::append_below_newest(Key key, Value element) {
  const std::uint32_t newest = at(key).newest;
  expects(newest != kNone, "a version to stay below");
  const std::int64_t length = nodes_[newest].version.value.as_integer();
  lists_[key].insert(lists_[key].begin() + length - 1, element);
  nodes_[newest].version.value = Value::integer(length + 1);
}

void VersionStore::clear_dirty(Key key, std::uint32_t session) {
  if (at(key).dirty.session == session) at(key).dirty = DirtyWrite{};
}

}  // namespace serval::simulated
