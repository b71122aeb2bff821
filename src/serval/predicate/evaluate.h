#pragma once
// The truth of a condition over a row, and the value of an expression, by SQL's rules.
//
//   evaluate(condition, row) == Truth::True        the row matches
//
// `row` has a value for each of condition.columns(), in that order. O(nodes); allocates only for text
// expressions.

#include <span>

#include "serval/predicate/condition.h"

namespace serval {

Truth evaluate(const Condition& condition, std::span<const Scalar> row);
// The value of an expression of any kind, such as the right side of an assignment.
Scalar value_of(const Condition& expression, std::span<const Scalar> row);

}  // namespace serval
