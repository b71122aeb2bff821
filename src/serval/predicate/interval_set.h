#pragma once
// Sets of column values, as intervals on a total order of all values: NULL, then the booleans, then the
// numbers, then text. A comparison can only hold between comparable values, so `x > 3` is the interval
// from 3 to the end of the numbers.
//
//   IntervalSet::above(Scalar(3)) & IntervalSet::up_to(Scalar(9))        // (3, 9]
//   ~IntervalSet::null()                                                 // IS NOT NULL
//
// A value type; operations are linear in the number of intervals.

#include <compare>
#include <cstdint>
#include <vector>

#include "serval/predicate/scalar.h"

namespace serval {

// A position between two values: just before or just after a value, or before all values comparable with
// it. Positions with nothing between them are equal: the end of a family is the start of the next one,
// and the position after FALSE is the one before TRUE.
struct Cut {
  enum class Family : std::uint8_t { Null, Boolean, Number, Text, End };
  enum class Place : std::uint8_t { Start, BeforeValue, AfterValue };

  Family family = Family::Null;
  Place place = Place::Start;
  Scalar value;  // For BeforeValue and AfterValue only.

  friend std::strong_ordering operator<=>(const Cut& a, const Cut& b);
  friend bool operator==(const Cut& a, const Cut& b) { return (a <=> b) == 0; }
};

class IntervalSet {
 public:
  struct Interval {
    Cut low, high;
    friend bool operator==(const Interval&, const Interval&) = default;
  };

  static IntervalSet nothing() { return {}; }
  static IntervalSet everything();
  static IntervalSet null();
  static IntervalSet of(Cut low, Cut high);  // Empty unless low < high.
  // Subsets of the values that are comparable with `value`, which must be neither NULL nor Undefined.
  static IntervalSet comparable_with(const Scalar& value);
  static IntervalSet below(const Scalar& value);
  static IntervalSet up_to(const Scalar& value);  // Including the value.
  static IntervalSet above(const Scalar& value);
  static IntervalSet from(const Scalar& value);  // Including the value.
  static IntervalSet just(const Scalar& value);

  bool empty() const noexcept { return intervals_.empty(); }
  bool is_everything() const;
  bool contains(const Scalar& value) const;  // False for Undefined. O(log intervals).
  const std::vector<Interval>& intervals() const noexcept { return intervals_; }  // Disjoint, ascending.

  friend IntervalSet operator&(const IntervalSet& a, const IntervalSet& b);
  friend IntervalSet operator|(const IntervalSet& a, const IntervalSet& b);
  friend IntervalSet operator~(const IntervalSet& a);
  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  void append(const Cut& low, const Cut& high);

  std::vector<Interval> intervals_;
};

// The positions around a value; for ordered indexes.
Cut cut_before(const Scalar& value);
Cut cut_after(const Scalar& value);

}  // namespace serval
