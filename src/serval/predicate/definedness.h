#pragma once
// Whether a condition has a truth value for all rows whose columns hold values of known kinds. Then it
// need not be evaluated row by row to find out.
//
//   ScalarKinds integers;
//   integers.add(Scalar::Kind::Integer);
//   is_defined_everywhere("a < 5 AND a % 2 = 0", {integers})      // true
//   is_defined_everywhere("a < 5 OR a = 'x'", {integers})         // false: 1 = 'x' is undefined
//
// May be false for a condition that always has one: it handles only comparisons of columns and constants
// of one family, and remainders by a positive constant. O(nodes).

#include <span>

#include "serval/predicate/condition.h"

namespace serval {

// A set of kinds of values. NULL belongs to every set and is not noted.
class ScalarKinds {
 public:
  constexpr void add(Scalar::Kind kind) {
    if (kind != Scalar::Kind::Null) bits_ |= 1u << static_cast<unsigned>(kind);
  }
  constexpr void add(ScalarKinds other) { bits_ |= other.bits_; }
  constexpr bool is_within(ScalarKinds other) const { return (bits_ & ~other.bits_) == 0; }
  friend constexpr bool operator==(ScalarKinds, ScalarKinds) = default;

 private:
  unsigned bits_ = 0;
};

// `kinds` has one set for each of condition.columns(), in that order.
bool is_defined_everywhere(const Condition& condition, std::span<const ScalarKinds> kinds);

}  // namespace serval
