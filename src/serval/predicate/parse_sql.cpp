#include "serval/predicate/parse_sql.h"

#if SERVAL_WITH_PG_QUERY
#include "serval/predicate/pg_query/parse_pg_query.h"
#else
#include "serval/predicate/parse_predicate.h"
#endif

namespace serval {

#if SERVAL_WITH_PG_QUERY
Predicate parse_sql(std::string_view text, ValuePool& pool, const std::string& name) {
  return parse_pg_query(text, pool, name);
}
bool reads_sql_statements() noexcept { return true; }
#else
Predicate parse_sql(std::string_view text, ValuePool& pool, const std::string& name) {
  return parse_query(text, pool, name);
}
bool reads_sql_statements() noexcept { return false; }
#endif

}  // namespace serval
