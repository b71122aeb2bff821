#include "serval/database/simulated/rows/row_versions.h"

#include <algorithm>

namespace serval::simulated {

const CommittedRow& RowVersions::newest(Key key) const {
  return key < keys_.size() && !keys_[key].empty() ? keys_[key].back() : initial_;
}

const CommittedRow& RowVersions::visible(Key key, Position snapshot) const {
  if (key >= keys_.size()) return initial_;
  const Versions& versions = keys_[key];
  for (auto version = versions.rbegin(); version != versions.rend(); ++version)
    if (version->position <= snapshot) return *version;
  return initial_;
}

// Keeps the newest version at or before the horizon: the oldest snapshot still sees it.
void RowVersions::forget_old(Versions& versions) const {
  constexpr std::size_t kFew = 8;
  if (versions.size() < kFew) return;
  const auto after = std::ranges::upper_bound(versions, horizon_, {}, &CommittedRow::position);
  if (after - versions.begin() > 1) versions.erase(versions.begin(), after - 1);
}

void RowVersions::install(Key key, const CommittedRow& version) {
  if (key >= keys_.size()) keys_.resize(key + 1);
  keys_[key].push_back(version);
  forget_old(keys_[key]);
  if (!version.row.place) return;
  const auto place = static_cast<std::size_t>(*version.row.place);
  if (place >= places_.size()) places_.resize(place + 1);
  places_[place].push_back(key);
}

// Each key once, and only where a version still has the place.
void RowVersions::tidy_place(std::size_t place) {
  std::vector<Key>& keys = places_[place];
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::erase_if(keys, [&](Key key) {
    return std::ranges::none_of(keys_[key], [&](const CommittedRow& version) {
      return version.row.place && static_cast<std::size_t>(*version.row.place) == place;
    });
  });
}

const std::vector<Key>& RowVersions::keys_in(const RowRange& range) {
  found_.clear();
  if (range.column == RowRange::Column::Key) {
    const Key last = std::min(static_cast<Key>(range.high) + 1, key_count());
    for (Key key = static_cast<Key>(range.low); key < last; ++key) found_.push_back(key);
    return found_;
  }
  const std::size_t last = std::min(static_cast<std::size_t>(range.high) + 1, places_.size());
  for (auto place = static_cast<std::size_t>(range.low); place < last; ++place) {
    tidy_place(place);
    found_.insert(found_.end(), places_[place].begin(), places_[place].end());
  }
  std::ranges::sort(found_);
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  return found_;
}

}  // namespace serval::simulated
