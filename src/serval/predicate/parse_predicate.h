#pragma once
// Parses a predicate as Serval writes it: the supported part of SQL's WHERE clause.
//
//   parse_predicate("place BETWEEN 3 AND 5 AND NOT (owner = 'bob' OR kind % 2 = 1)", pool)
//
//   condition  := AND, OR, NOT over conditions, (condition), or a value that is a boolean
//   condition  := value = <> != < <= > >= value           value [NOT] BETWEEN value AND value
//                 value [NOT] IN (value, ...)             value [NOT] LIKE value [ESCAPE value]
//                 value IS [NOT] NULL
//   value      := column | table.column | "Quoted" | 7 | 1.50 | 1e3 | 'text' | TRUE | FALSE | NULL
//                 - value   value + - * / % || value      (value)
//
// Operator precedence is PostgreSQL's. print_predicate is the inverse. parse_query accepts a condition,
// or one with an assignment or an aggregate; without WHERE it applies to all rows:
//
//   SET place = place + 1, tag = 7 WHERE place < 5
//   MAX(place) WHERE owner = 'bob'       MIN, COUNT, SUM; COUNT(*)

#include <string>
#include <string_view>

#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

// The maximum depth of a predicate's tree, so that functions over it can be recursive.
inline constexpr int kMaxPredicateDepth = 1000;

// Throws InputError with line and column; `name` is the name of the text in errors.
Predicate parse_predicate(std::string_view text, ValuePool& pool, const std::string& name = "predicate");

// A minus sign before a number becomes part of the number, with or without parentheses. Returns false
// and leaves `operand` unchanged if it is not a number.
bool take_sign_in(Predicate& operand, ValuePool& pool);

// `deepest`: the limit for a predicate that will be part of a larger one.
Predicate parse_query(std::string_view text, ValuePool& pool, const std::string& name = "predicate",
                      int deepest = kMaxPredicateDepth);

}  // namespace serval
