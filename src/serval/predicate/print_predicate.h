#pragma once
// A predicate as SQL, with the parentheses that make it mean the same in every database: SQLite, for one,
// does not agree with PostgreSQL on what binds tighter, LIKE or "<". What parse_predicate has read, or could
// have, it reads again as the same tree.
//
//   print_predicate(tree, pool)      // place BETWEEN 3 AND 5 AND NOT (owner = 'bob')

#include <string>

#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

std::string print_predicate(const Predicate& tree, const ValuePool& pool);

}  // namespace serval
