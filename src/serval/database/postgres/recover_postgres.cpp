#include "serval/database/postgres/recover_postgres.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "serval/database/database.h"

namespace serval::postgres {
namespace {

constexpr int kVersionOfTemporarySlots = 100000;
// The result arrives only after everything was decoded.
constexpr int kPatience = 20;

[[noreturn]] void not_understood(std::string_view line) {
  throw DatabaseError(
      fmt::format("logical decoding produced a line that serval does not support: {}", line.substr(0, 100)));
}

template <class Number>
Number number_at(std::string_view text, std::string_view line) {
  Number out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{}) not_understood(line);
  return out;
}

// What follows "tag[bigint]:", or none without such a column.
std::optional<std::int64_t> column_of(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  return number_at<std::int64_t>(line.substr(at + name.size()), line);
}

ConnectionOptions patient(ConnectionOptions options) {
  options.timeout *= kPatience;
  options.isolation.clear();
  return options;
}

}  // namespace

DecodedLines::DecodedLines(const Schema& schema, std::uint64_t near) : near_(near) {
  for (const TableInfo& table : schema) tables_.push_back("serval_" + table.name);
}

void DecodedLines::begin(std::string_view id) {
  const auto low = number_at<std::uint32_t>(id, id);
  const auto distance = static_cast<std::int32_t>(low - static_cast<std::uint32_t>(near_));
  transaction_.id = std::to_string(static_cast<std::int64_t>(near_) + distance);
  transaction_.rows.clear();
}

bool DecodedLines::add(std::string_view line) {
  constexpr std::string_view kBegin = "BEGIN ", kTable = "table ";
  if (line.starts_with(kTable)) {
    row(line);
  } else if (line.starts_with(kBegin)) {
    begin(line.substr(kBegin.size()));
  } else if (line.starts_with("COMMIT ")) {
    return !transaction_.rows.empty();
  }
  return false;
}

// table public.serval_pieces: UPDATE: k[bigint]:5 tag[bigint]:17 place[bigint]:3
void DecodedLines::row(std::string_view line) {
  const std::size_t end = line.find(": ");
  if (end == std::string_view::npos) not_understood(line);
  std::string_view name = line.substr(0, end);
  name.remove_prefix(name.rfind('.') + 1);
  if (name.size() > 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
  const auto table = std::ranges::find(tables_, name);
  if (table == tables_.end()) return;
  const std::string_view rest = line.substr(end + 2);
  const std::optional<std::int64_t> key = column_of(rest, " k[bigint]:");
  if (!key) not_understood(line);
  const bool gone = rest.starts_with("DELETE");
  transaction_.rows.push_back({.table = static_cast<std::uint32_t>(table - tables_.begin()),
                               .key = static_cast<std::uint64_t>(*key),
                               .tag = gone ? std::nullopt : column_of(rest, " tag[bigint]:")});
}

PostgresRecovery::PostgresRecovery(const ConnectionOptions& options, Schema schema)
    : schema_(std::move(schema)),
      connection_(patient(options)),
      slot_(fmt::format("serval_{}", connection_.backend())),
      temporary_(connection_.version() >= kVersionOfTemporarySlots) {
  try {
    connection_.execute(fmt::format("select pg_create_logical_replication_slot('{}', 'test_decoding'{})",
                                    slot_, temporary_ ? ", true" : ""));
  } catch (const DatabaseError& error) {
    throw DatabaseError(
        fmt::format("the server does not grant a replication slot: {}", error.what()),
        "a certificate needs wal_level=logical, a free slot (max_replication_slots), the plugin "
        "test_decoding, and a user with REPLICATION");
  }
  near_ = std::stoull(connection_.execute("select txid_snapshot_xmax(txid_current_snapshot())"));
}

PostgresRecovery::~PostgresRecovery() {
  if (temporary_) return;
  try {
    connection_.execute(fmt::format("select pg_drop_replication_slot('{}')", slot_));
  } catch (const std::exception&) {  // A destructor cannot report it; the server lists its slots.
  }
}

// A session that lost its connection may still be committing. A lock that excludes writers waits for it.
// The following write flushes everything before it, since decoding does not go beyond the flushed log.
void PostgresRecovery::wait_for_writers() {
  std::string tables;
  for (const TableInfo& table : schema_)
    tables += fmt::format("{}\"serval_{}\"", tables.empty() ? "" : ", ", table.name);
  connection_.execute("set synchronous_commit = on");
  connection_.execute("begin");
  connection_.execute(fmt::format("lock table {} in share mode", tables));
  connection_.execute(
      fmt::format("comment on table \"serval_{}\" is 'recorded by serval'", schema_.front().name));
  connection_.execute("commit");
}

void PostgresRecovery::read(const std::function<void(const LoggedTransaction&)>& found) {
  if (schema_.empty()) return;
  wait_for_writers();
  DecodedLines lines(schema_, near_);
  connection_.copy_out(
      fmt::format("copy (select data from pg_logical_slot_get_changes('{}', null, null)) to stdout", slot_),
      [&](std::string_view line) {
        if (lines.add(line)) found(lines.transaction());
      });
}

}  // namespace serval::postgres
