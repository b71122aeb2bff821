#pragma once
// The part of a sorted range whose members equal a value: std::ranges::equal_range, in a form that clang
// can compile with libstdc++ 12.
//
//   for (const Step& step : equal_span(steps, 3, &Step::from)) ...     // Sorted by `from`.
//
// O(log n). The range must outlive the span.

#include <algorithm>
#include <ranges>
#include <span>

namespace serval {

template <class Range, class Value, class Projection>
auto equal_span(const Range& sorted, const Value& value, Projection projection) {
  const auto first = std::ranges::lower_bound(sorted, value, {}, projection);
  const auto last = std::ranges::upper_bound(first, std::ranges::end(sorted), value, {}, projection);
  return std::span(first, last);
}

}  // namespace serval
