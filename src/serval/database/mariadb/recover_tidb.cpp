#include "serval/database/mariadb/recover_tidb.h"

#include "serval/database/json/json_value.h"

namespace serval::mariadb {

std::optional<std::int64_t> commit_timestamp_of(std::string_view last_transaction, std::int64_t start) {
  try {
    const JsonValue info = parse_json(last_transaction);
    const std::optional<std::int64_t> committed = info["commit_ts"].whole();
    if (info["start_ts"].whole() != start || committed.value_or(0) == 0) return std::nullopt;
    return committed;
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

}  // namespace serval::mariadb
