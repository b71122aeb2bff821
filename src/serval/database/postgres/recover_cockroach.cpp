#include "serval/database/postgres/recover_cockroach.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "serval/database/database.h"
#include "serval/database/json/json_value.h"

namespace serval::postgres {
namespace {

constexpr int kCounterBits = 16;
constexpr const char* kNow = "select cluster_logical_timestamp()";

[[noreturn]] void not_understood(std::string_view text) {
  throw DatabaseError(
      fmt::format("CockroachDB sent a message that serval does not support: {}", text.substr(0, 100)));
}

std::int64_t whole(std::string_view digits, std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (error != std::errc{} || end != digits.data() + digits.size()) not_understood(text);
  return out;
}

JsonValue json_of(std::string_view text) {
  try {
    return parse_json(text);
  } catch (const JsonError&) {
    not_understood(text);
  }
}

// "\\x5b355d" is "[5]".
std::string bytes_of(std::string_view cell) {
  constexpr std::string_view kHex = "\\x";
  if (!cell.starts_with(kHex)) return std::string(cell);
  std::string out;
  for (std::size_t i = kHex.size(); i + 1 < cell.size(); i += 2) {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(cell.data() + i, cell.data() + i + 2, byte, 16);
    if (error != std::errc{} || end != cell.data() + i + 2) not_understood(cell);
    out += static_cast<char>(byte);
  }
  return out;
}

// The row after a change. A deletion has an explicit null.
const JsonValue& after_of(const JsonValue& message, std::string_view text) {
  const JsonValue& after = message["after"];
  const bool is_deletion =
      after.is(JsonValue::Kind::Null) && std::ranges::find(message.names, "after") != message.names.end();
  if (!is_deletion && !after.is(JsonValue::Kind::Object)) not_understood(text);
  return after;
}

}  // namespace

std::int64_t origin_of(std::string_view decimal) {
  return whole(decimal.substr(0, decimal.find('.')), decimal);
}

std::int64_t logical_timestamp(std::string_view decimal, std::int64_t origin) {
  const std::size_t point = decimal.find('.');
  const std::int64_t counter =
      point == std::string_view::npos ? 0 : whole(decimal.substr(point + 1), decimal);
  const std::int64_t since = origin_of(decimal) - origin;
  if (since < 0 || counter >= std::int64_t{1} << kCounterBits) not_understood(decimal);
  return since << kCounterBits | counter;
}

ChangefeedRows::ChangefeedRows(const Schema& schema, std::int64_t origin) : origin_(origin) {
  for (const TableInfo& table : schema) tables_.push_back("serval_" + table.name);
}

std::optional<std::int64_t> ChangefeedRows::add(std::string_view table, std::string_view key,
                                                std::string_view value) {
  const JsonValue message = json_of(bytes_of(value));
  if (message["resolved"].is(JsonValue::Kind::Text))
    return logical_timestamp(message["resolved"].text, origin_);
  const auto found = std::ranges::find(tables_, table);
  const JsonValue keys = json_of(bytes_of(key));
  const std::optional<std::int64_t> number = keys.items.size() == 1 ? keys.items[0].whole() : std::nullopt;
  if (found == tables_.end() || !number || !message["updated"].is(JsonValue::Kind::Text))
    not_understood(value);
  const std::string& updated = message["updated"].text;
  const std::int64_t timestamp = logical_timestamp(updated, origin_);
  LoggedTransaction& transaction = transactions_[timestamp];
  transaction.id = updated;
  transaction.commit_timestamp = timestamp;
  const LoggedRow row{.table = static_cast<std::uint32_t>(found - tables_.begin()),
                      .key = static_cast<std::uint64_t>(*number),
                      .tag = after_of(message, value)["tag"].whole()};
  const bool again = std::ranges::any_of(transaction.rows, [&](const LoggedRow& other) {
    return other.table == row.table && other.key == row.key;
  });
  if (!again) transaction.rows.push_back(row);
  return std::nullopt;
}

CockroachRecovery::CockroachRecovery(ConnectionOptions options, Schema schema)
    : options_(std::move(options)), schema_(std::move(schema)) {
  PostgresConnection connection(options_);
  start_ = connection.execute(kNow);
  origin_ = origin_of(start_);
}

void CockroachRecovery::read(const std::function<void(const LoggedTransaction&)>& found) {
  try {
    read_feed(found);
  } catch (const DatabaseError& error) {
    if (std::string_view(error.what()).find("rangefeed") == std::string_view::npos) throw;
    order_ = Order::CommitTimestamps;
    read_newest_rows(found);
  }
}

// Rows from before the run are those that create() wrote.
void CockroachRecovery::read_newest_rows(const std::function<void(const LoggedTransaction&)>& found) {
  const std::int64_t start = logical_timestamp(start_, origin_);
  for (std::uint32_t table = 0; table < schema_.size(); ++table) {
    if (schema_[table].holds != TableInfo::Holds::Registers) continue;
    PostgresConnection connection(options_);
    connection.stream(
        fmt::format("select k, tag, crdb_internal_mvcc_timestamp from \"serval_{}\"", schema_[table].name),
        [&](const std::vector<std::string_view>& row) {
          if (row.size() != 3) not_understood("a row without key, tag and timestamp");
          if (origin_of(row[2]) < origin_ || logical_timestamp(row[2], origin_) < start) return true;
          found({.id = std::string(row[2]),
                 .commit_timestamp = logical_timestamp(row[2], origin_),
                 .rows = {{.table = table,
                           .key = static_cast<std::uint64_t>(whole(row[0], row[0])),
                           .tag = whole(row[1], row[1])}}});
          return true;
        });
  }
}

// A changefeed ends only with its connection.
void CockroachRecovery::read_feed(const std::function<void(const LoggedTransaction&)>& found) {
  PostgresConnection connection(options_);
  const std::int64_t end = logical_timestamp(connection.execute(kNow), origin_);
  std::string tables;
  for (const TableInfo& table : schema_)
    tables += fmt::format("{}\"serval_{}\"", tables.empty() ? "" : ", ", table.name);
  ChangefeedRows rows(schema_, origin_);
  connection.stream(
      fmt::format("experimental changefeed for {} with updated, resolved = '100ms', cursor = '{}'", tables,
                  start_),
      [&](const std::vector<std::string_view>& row) {
        if (row.size() != 3) not_understood("a message without table, key and value");
        const std::optional<std::int64_t> resolved = rows.add(row[0], row[1], row[2]);
        return !resolved || *resolved < end;
      });
  for (const auto& [timestamp, transaction] : rows.transactions()) found(transaction);
}

}  // namespace serval::postgres
