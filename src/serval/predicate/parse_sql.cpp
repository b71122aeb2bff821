// Without libpg_query; pg_query/parse_pg_query.cpp has the same functions with it.
#include "serval/predicate/parse_sql.h"

#include "serval/predicate/parse_predicate.h"

#if !SERVAL_WITH_PG_QUERY
namespace serval {

bool reads_sql_statements() noexcept { return false; }

Predicate parse_sql(std::string_view text, ValuePool& pool, const std::string& name) {
  return parse_query(text, pool, name);
}

}  // namespace serval
#endif
