#pragma once
// Sets of column values, as intervals of one line on which every value has its place: NULL, then the
// booleans, then the numbers, then text. A comparison only ever holds among values that compare, so `x > 3`
// is the interval from 3 to the end of the numbers.
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

// A place between two values: just before or just behind one, or before all that compare with it. Places
// with nothing between them are the same: where a family ends the next one starts, and behind FALSE is before
// TRUE.
struct Cut {
  enum class Family : std::uint8_t { Null, Boolean, Number, Text, End };
  enum class Place : std::uint8_t { Start, BeforeValue, BehindValue };

  Family family = Family::Null;
  Place place = Place::Start;
  Scalar value;  // BeforeValue and BehindValue only.

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
  static IntervalSet of(Cut low, Cut high);  // Nothing unless low < high.
  // Among the values that compare with `value`, which is neither NULL nor Undefined.
  static IntervalSet comparable_with(const Scalar& value);
  static IntervalSet below(const Scalar& value);
  static IntervalSet up_to(const Scalar& value);  // The value included.
  static IntervalSet above(const Scalar& value);
  static IntervalSet from(const Scalar& value);  // The value included.
  static IntervalSet just(const Scalar& value);

  bool empty() const noexcept { return intervals_.empty(); }
  bool is_everything() const;
  bool contains(const Scalar& value) const;  // Undefined is in no set. O(log intervals).
  const std::vector<Interval>& intervals() const noexcept { return intervals_; }  // Apart, ascending.

  friend IntervalSet operator&(const IntervalSet& a, const IntervalSet& b);
  friend IntervalSet operator|(const IntervalSet& a, const IntervalSet& b);
  friend IntervalSet operator~(const IntervalSet& a);
  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  void append(const Cut& low, const Cut& high);

  std::vector<Interval> intervals_;
};

// Where a value stands; for ordered indexes.
Cut cut_before(const Scalar& value);
Cut cut_behind(const Scalar& value);

}  // namespace serval
