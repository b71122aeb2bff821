#pragma once
// The committed versions of every row, and which rows have or lately had a place, so that a range of places
// need not look at all of them. Versions that no snapshot can see any more are forgotten.
//
//   RowVersions rows;
//   rows.install(7, {.position = 5, .row = {.present = true, .place = 3}, .value = v});
//   rows.visible(7, 4).position < 5
//   rows.keys_in({.low = 3, .high = 5})          // Those that may match, 7 among them.

#include <cstdint>
#include <optional>
#include <vector>

#include "serval/database/simulated/version_store.h"
#include "serval/workload/row_plan.h"

namespace serval::simulated {

struct RowContents {
  bool present = false;
  std::optional<std::int64_t> place;
  friend bool operator==(const RowContents&, const RowContents&) = default;
};

constexpr auto matches = [](const RowRange& range, Key key, const RowContents& row) {
  return row.present && range.has(key, row.place);
};

struct CommittedRow {
  Position position = 0;
  RowContents row;
  Value value;  // As it is recorded; nil where there is no row.
};

class RowVersions {
 public:
  const CommittedRow& newest(Key key) const;
  const CommittedRow& visible(Key key, Position snapshot) const;
  void install(Key key, const CommittedRow& version);
  // Ascending; a version of each that is not forgotten may match.
  const std::vector<Key>& keys_in(const RowRange& range);
  Key key_count() const noexcept { return keys_.size(); }
  // No snapshot asked for from now on is older than `horizon`.
  void forget_before(Position horizon) noexcept { horizon_ = horizon; }

 private:
  using Versions = std::vector<CommittedRow>;  // Oldest first.
  void forget_old(Versions& versions) const;
  void tidy_place(std::size_t place);

  CommittedRow initial_;
  Position horizon_ = 0;
  std::vector<Versions> keys_;
  std::vector<std::vector<Key>> places_;  // Keys with that place, now or lately.
  std::vector<Key> found_;
};

}  // namespace serval::simulated
