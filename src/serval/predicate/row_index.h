#pragma once
// The keys that hold a row, ordered by the value of one column: finds a range without examining the
// rest.
//
//   RowIndex index;
//   index.add(Scalar(3), x);
//   index.visit(IntervalSet::below(Scalar(5)), [](KeyId key) { ... });      // x
//
// O(log rows) to add, to remove, and to find the start of a range.

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include <absl/container/btree_set.h>

#include "serval/history/ids.h"
#include "serval/predicate/interval_set.h"

namespace serval {

class RowIndex {
 public:
  void add(const Scalar& value, KeyId key) { change(value, key, Change::Add); }
  void remove(const Scalar& value, KeyId key) { change(value, key, Change::Remove); }

  // Whether every value is NULL or of this family, so that a comparison with one of the family is never
  // undefined.
  bool has_only(Cut::Family family) const {
    for (std::size_t i = 1; i < counts_.size(); ++i)
      if (i != static_cast<std::size_t>(family) && counts_[i] > 0) return false;
    return true;
  }
  bool has_undefined() const { return counts_[kUndefined] > 0; }

  template <class Visitor>
  void visit(const IntervalSet& set, Visitor&& visitor) const {
    for (const IntervalSet::Interval& interval : set.intervals()) {
      visit_whole(interval, visitor);
      if (others_.empty()) continue;
      const auto last = others_.lower_bound({interval.high, 0});
      for (auto at = others_.lower_bound({interval.low, 0}); at != last; ++at) visitor(KeyId{at->second});
    }
  }

 private:
  enum class Change : std::uint8_t { Add, Remove };
  static constexpr std::size_t kUndefined = static_cast<std::size_t>(Cut::Family::End);

  void change(const Scalar& value, KeyId key, Change change);
  // The integers of an interval: from the first to the second, exclusive; empty if the second is less.
  using Bound = Int128;
  static Bound first_from(const Cut& cut);

  template <class Visitor>
  void visit_whole(const IntervalSet::Interval& interval, Visitor&& visitor) const {
    const Bound low = first_from(interval.low), high = first_from(interval.high);
    if (low >= high || low > std::numeric_limits<std::int64_t>::max()) return;
    const auto first =
        static_cast<std::int64_t>(std::max<Bound>(low, std::numeric_limits<std::int64_t>::min()));
    for (auto at = whole_.lower_bound({first, 0}); at != whole_.end() && at->first < high; ++at)
      visitor(KeyId{at->second});
  }

  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> whole_;  // Nearly all values are integers.
  absl::btree_set<std::pair<Cut, std::uint32_t>> others_;
  std::array<std::uint32_t, kUndefined + 1> counts_{};  // By family.
};

}  // namespace serval
