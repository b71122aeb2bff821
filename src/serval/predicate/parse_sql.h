#pragma once
// Parses a WHERE clause, or a statement with one, using PostgreSQL's own grammar (libpg_query), so that
// predicates recorded by other tools keep their meaning.
//
//   parse_sql("SELECT * FROM t WHERE a >= 3 AND b IN (1, 2)", pool)      // a >= 3 AND b IN (1, 2)
//   parse_sql("a >= 3 AND b IN (1, 2)", pool)                            // the same
//   parse_sql("UPDATE t SET a = a + 1 WHERE b = 2", pool)                // SET a = a + 1 WHERE b = 2
//   parse_sql("SELECT max(a) FROM t WHERE b = 2", pool)                  // MAX(a) WHERE b = 2
//
// A SELECT or DELETE without WHERE is TRUE. Unsupported syntax (functions, casts, joins, subqueries) is
// an InputError with its name and position. If built without libpg_query, only a clause is accepted, by
// parse_query.

#include <string>
#include <string_view>

#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

// Throws InputError with line and column; `name` is the name of the text in errors.
Predicate parse_sql(std::string_view text, ValuePool& pool, const std::string& name = "SQL");

bool reads_sql_statements() noexcept;  // Whether libpg_query is available.

}  // namespace serval
