#pragma once
// Prints a predicate as SQL, with the parentheses that give it the same meaning in every database:
// SQLite and PostgreSQL, for example, disagree on the precedence of LIKE and "<". parse_predicate turns
// the output back into the same tree, if it can produce that tree at all.
//
//   print_predicate(tree, pool)      // place BETWEEN 3 AND 5 AND NOT (owner = 'bob')

#include <string>

#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

std::string print_predicate(const Predicate& tree, const ValuePool& pool);

}  // namespace serval
