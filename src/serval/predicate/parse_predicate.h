#pragma once
// Reads a predicate as Serval writes it: the WHERE clause of SQL, as far as the language goes.
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
// What binds tighter than what is PostgreSQL's. print_predicate gives the text back. parse_query reads a
// condition, too, or one that says what is to be done with its rows; without WHERE with all of them:
//
//   SET place = place + 1, tag = 7 WHERE place < 5
//   MAX(place) WHERE owner = 'bob'       MIN, COUNT, SUM; COUNT(*)

#include <string>
#include <string_view>

#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

// How many nodes of a predicate may lie one below another: whoever walks over a tree may recurse.
inline constexpr int kDeepestPredicate = 1000;

// Throws InputError with line and column; `name` is what the error calls the text.
Predicate parse_predicate(std::string_view text, ValuePool& pool, const std::string& name = "predicate");

// A minus before a number belongs to the number, parentheses or not. False: `operand` is not one, and stays
// as it is.
bool take_sign_in(Predicate& operand, ValuePool& pool);

// `deepest`: the limit for a predicate that becomes a part of a larger one.
Predicate parse_query(std::string_view text, ValuePool& pool, const std::string& name = "predicate",
                      int deepest = kDeepestPredicate);

}  // namespace serval
