#pragma once
// The rows for which a condition is true, as boxes of integers, if the condition only compares columns
// with integers. A row of NULLs and integers above INT64_MIN matches exactly if it lies in one of the
// boxes.
//
//   integer_boxes("a < 5 AND b IN (1, 3)")      // {a in [min, 4], b in [1, 1]}, {a in [min, 4], b in [3, 3]}
//   integer_boxes("a % 2 = 0")                  // None.

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "serval/predicate/condition.h"

namespace serval {

struct IntegerBound {
  std::uint32_t column = 0;        // Into condition.columns().
  std::int64_t low = 0, high = 0;  // Both included; low is above INT64_MIN.
  friend auto operator<=>(const IntegerBound&, const IntegerBound&) = default;
};
using IntegerBox = std::vector<IntegerBound>;  // A column without a bound may have any value, or be NULL.

// None if the condition does more, or needs more than 16 boxes.
std::optional<std::vector<IntegerBox>> integer_boxes(const Condition& condition);

}  // namespace serval
