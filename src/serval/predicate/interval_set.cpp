#include "serval/predicate/interval_set.h"

#include <algorithm>

#include "serval/base/contract.h"

namespace serval {
namespace {

using Family = Cut::Family;
using Place = Cut::Place;

Family family_of(const Scalar& value) {
  switch (value.kind()) {
    case Scalar::Kind::Boolean:
      return Family::Boolean;
    case Scalar::Kind::Integer:
    case Scalar::Kind::Decimal:
      return Family::Number;
    case Scalar::Kind::Text:
      return Family::Text;
    default:
      expects(value.is_null(), "a value that has a place");
      return Family::Null;
  }
}

Cut start_of(Family family) { return {family, Place::Start, {}}; }
Cut end_of(Family family) { return start_of(static_cast<Family>(static_cast<int>(family) + 1)); }

}  // namespace

std::strong_ordering operator<=>(const Cut& a, const Cut& b) {
  if (a.family != b.family) return a.family <=> b.family;
  if (a.place == Place::Start || b.place == Place::Start) return a.place <=> b.place;
  const Comparison found = compare(a.value, b.value);
  return found.order != 0 ? found.order : a.place <=> b.place;
}

Cut cut_before(const Scalar& value) {
  const Family family = family_of(value);
  const bool is_first = family == Family::Null || (family == Family::Boolean && !value.as_boolean());
  return is_first ? start_of(family) : Cut{family, Place::BeforeValue, value};
}

Cut cut_after(const Scalar& value) {
  const Family family = family_of(value);
  if (family == Family::Boolean && !value.as_boolean()) return cut_before(Scalar::boolean(true));
  const bool is_last = family == Family::Null || family == Family::Boolean;
  return is_last ? end_of(family) : Cut{family, Place::AfterValue, value};
}

IntervalSet IntervalSet::everything() { return of(start_of(Family::Null), end_of(Family::Text)); }
IntervalSet IntervalSet::null() { return of(start_of(Family::Null), end_of(Family::Null)); }

IntervalSet IntervalSet::of(Cut low, Cut high) {
  IntervalSet out;
  if (low < high) out.intervals_.push_back({std::move(low), std::move(high)});
  return out;
}

IntervalSet IntervalSet::comparable_with(const Scalar& value) {
  const Family family = family_of(value);
  return of(start_of(family), end_of(family));
}
IntervalSet IntervalSet::below(const Scalar& value) {
  return of(start_of(family_of(value)), cut_before(value));
}
IntervalSet IntervalSet::up_to(const Scalar& value) {
  return of(start_of(family_of(value)), cut_after(value));
}
IntervalSet IntervalSet::above(const Scalar& value) { return of(cut_after(value), end_of(family_of(value))); }
IntervalSet IntervalSet::from(const Scalar& value) { return of(cut_before(value), end_of(family_of(value))); }
IntervalSet IntervalSet::just(const Scalar& value) { return of(cut_before(value), cut_after(value)); }

bool IntervalSet::is_everything() const {
  return intervals_.size() == 1 && intervals_.front().low == start_of(Family::Null) &&
         intervals_.front().high == end_of(Family::Text);
}

bool IntervalSet::contains(const Scalar& value) const {
  if (value.is_undefined()) return false;
  const Cut place = cut_before(value);
  const auto after = std::ranges::upper_bound(intervals_, place, {}, &Interval::low);
  return after != intervals_.begin() && place < std::prev(after)->high;
}

// Requires ascending order; merges adjacent intervals.
void IntervalSet::append(const Cut& low, const Cut& high) {
  if (!intervals_.empty() && low <= intervals_.back().high) {
    intervals_.back().high = std::max(intervals_.back().high, high);
  } else {
    intervals_.push_back({low, high});
  }
}

IntervalSet operator&(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet out;
  auto left = a.intervals_.begin();
  auto right = b.intervals_.begin();
  while (left != a.intervals_.end() && right != b.intervals_.end()) {
    const Cut& low = std::max(left->low, right->low);
    const Cut& high = std::min(left->high, right->high);
    if (low < high) out.append(low, high);
    left->high < right->high ? ++left : ++right;
  }
  return out;
}

IntervalSet operator|(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet out;
  auto left = a.intervals_.begin();
  auto right = b.intervals_.begin();
  while (left != a.intervals_.end() || right != b.intervals_.end()) {
    const bool from_left =
        right == b.intervals_.end() || (left != a.intervals_.end() && left->low < right->low);
    const IntervalSet::Interval& next = from_left ? *left++ : *right++;
    out.append(next.low, next.high);
  }
  return out;
}

IntervalSet operator~(const IntervalSet& a) {
  IntervalSet out;
  Cut from = start_of(Family::Null);
  for (const IntervalSet::Interval& interval : a.intervals_) {
    if (from < interval.low) out.intervals_.push_back({from, interval.low});
    from = interval.high;
  }
  if (from < end_of(Family::Text)) out.intervals_.push_back({from, end_of(Family::Text)});
  return out;
}

}  // namespace serval
