#pragma once
// parse_sql by libpg_query. Uses its protobuf output, because its JSON loses the sign of negative
// numbers.

#include <string>
#include <string_view>

#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

Predicate parse_pg_query(std::string_view text, ValuePool& pool, const std::string& name);

}  // namespace serval
