#include "serval/database/mariadb/recover_tidb.h"

#include <fmt/format.h>

#include "serval/database/database.h"
#include "serval/database/json/json_value.h"

namespace serval::mariadb {
namespace {

// The member of the description of a transaction or statement that started at `start` and succeeded.
std::optional<std::int64_t> timestamp_in(std::string_view text, std::string_view name, std::int64_t start) {
  try {
    const JsonValue info = parse_json(text);
    const bool failed = info["error"].is(JsonValue::Kind::Text) && !info["error"].text.empty();
    if (failed || start <= 0 || info["start_ts"].whole() != start) return std::nullopt;
    const std::optional<std::int64_t> timestamp = info[name].whole();
    return timestamp && *timestamp >= start ? timestamp : std::nullopt;
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> commit_timestamp_of(std::string_view last_transaction, std::int64_t start) {
  return timestamp_in(last_transaction, "commit_ts", start);
}

std::optional<std::int64_t> read_timestamp_of(std::string_view last_query, std::int64_t start) {
  return timestamp_in(last_query, "for_update_ts", start);
}

// A rollback also leaves a record; its commit timestamp is its start.
void add_commits(std::string_view mvcc_info, std::int64_t since, std::map<std::int64_t, std::int64_t>& into) {
  try {
    for (const JsonValue& key : parse_json(mvcc_info).items)
      for (const JsonValue& write : key["mvcc"]["info"]["writes"].items) {
        const std::optional<std::int64_t> start = write["start_ts"].whole(),
                                          commit = write["commit_ts"].whole();
        if (start && commit && *start >= since && *commit > *start) into[*start] = *commit;
      }
  } catch (const JsonError& error) {
    throw DatabaseError(fmt::format("TIDB_MVCC_INFO returned something else than JSON: {}", error.what()));
  }
}

TidbRecovery::TidbRecovery(ConnectionOptions options, Schema schema)
    : options_(std::move(options)), schema_(std::move(schema)) {
  MariadbConnection connection(options_);
  connection.execute("begin");
  start_ = std::strtoll(connection.execute("select @@tidb_current_ts").c_str(), nullptr, 10);
  connection.execute("rollback");
}

void TidbRecovery::read(const std::function<void(const LoggedTransaction&)>& found) {
  std::map<std::int64_t, std::int64_t> commits;
  try {
    MariadbConnection connection(options_);
    for (const TableInfo& table : schema_)
      for (const std::vector<std::string>& row : connection.rows(fmt::format(
               "select tidb_mvcc_info(tidb_encode_record_key(database(), 'serval_{0}', k)) from `serval_{0}`",
               table.name)))
        add_commits(row.at(0), start_, commits);
  } catch (const DatabaseError&) {
    return;  // Nothing is lost that the sessions recorded.
  }
  for (const auto& [start, commit] : commits)
    found({.id = std::to_string(start), .commit_timestamp = commit, .rows = {}});
}

}  // namespace serval::mariadb
