#include "serval/database/mariadb/recover_mariadb.h"

#include <charconv>
#include <memory>

#include <fmt/format.h>
#include <mysql.h>
// The order matters: the replication API needs what mysql.h declares.
#include <mariadb_rpl.h>

#include "serval/database/database.h"

namespace serval::mariadb {
namespace {

constexpr char kBigintType = 8, kBlobType = static_cast<char>(252);
constexpr std::size_t kWord = 8, kBlobLength = 4;
constexpr unsigned kReplica = 0x5E27A1;  // A number that no server of the cluster is likely to have.

[[noreturn]] void not_understood(const char* what) {
  throw DatabaseError(fmt::format("the binary log contains {} that serval does not support", what));
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t out = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[i]);
  return out;
}

std::string_view take(std::string_view& bytes, std::size_t length) {
  if (bytes.size() < length) not_understood("a row");
  const std::string_view out = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return out;
}

// All columns are present and not NULL.
LoggedRow take_row(std::string_view& bytes, const LoggedColumns& columns) {
  take(bytes, (columns.types.size() + 7) / 8);
  LoggedRow row{.table = columns.table};
  for (std::size_t i = 0; i < columns.types.size(); ++i) {
    if (columns.types[i] == kBlobType) {
      take(bytes, little_endian(take(bytes, kBlobLength)));
      continue;
    }
    if (columns.types[i] != kBigintType) not_understood("a column");
    const std::uint64_t word = little_endian(take(bytes, kWord));
    if (i == 0) row.key = word;
    if (i == 1) row.tag = static_cast<std::int64_t>(word);
  }
  return row;
}

std::string_view view(const MARIADB_STRING& text) { return {text.str, text.length}; }

// Assembles transactions from events: a GTID, tables and rows, and the end.
class EventReader {
 public:
  EventReader(const Schema& schema, std::string database, std::int64_t file)
      : database_(std::move(database)), file_(file) {
    for (const TableInfo& table : schema) tables_.push_back("serval_" + table.name);
  }

  // Whether a transaction that wrote to the tables is complete.
  bool add(const MARIADB_RPL_EVENT& event) {
    switch (event.event_type) {
      case GTID_EVENT:
        transaction_ = {};
        transaction_.id = fmt::format("{}-{}-{}", event.event.gtid.domain_id, event.server_id,
                                      event.event.gtid.sequence_nr);
        return false;
      case TABLE_MAP_EVENT:
        map_table(event.event.table_map);
        return false;
      case ROTATE_EVENT:
        if (event.next_event_pos != 0) ++file_;  // Otherwise it is only the begin of the file.
        return false;
      case XID_EVENT:
        return finish(event);
      case QUERY_EVENT:
        return view(event.event.query.statement) == "COMMIT" && finish(event);
      default:
        if (IS_ROW_EVENT(&event)) add_rows(event.event.rows);
        return false;
    }
  }
  const LoggedTransaction& transaction() const noexcept { return transaction_; }

 private:
  void map_table(const st_mariadb_rpl_table_map_event& table) {
    mapped_.erase(table.table_id);
    if (view(table.database) != database_) return;
    for (std::uint32_t i = 0; i < tables_.size(); ++i)
      if (tables_[i] == view(table.table))
        mapped_[table.table_id] = {i, std::string(view(table.column_types).substr(0, table.column_count))};
  }
  void add_rows(const st_mariadb_rpl_rows_event& rows) {
    const auto table = mapped_.find(rows.table_id);
    if (table == mapped_.end()) return;
    if (rows.compressed != 0) not_understood("compressed rows");
    const RowChange change = rows.type == WRITE_ROWS    ? RowChange::Inserted
                             : rows.type == UPDATE_ROWS ? RowChange::Updated
                                                        : RowChange::Deleted;
    read_logged_rows({static_cast<const char*>(rows.row_data), rows.row_data_size}, table->second, change,
                     transaction_.rows);
  }
  bool finish(const MARIADB_RPL_EVENT& event) {
    transaction_.commit_timestamp = file_ << 32 | static_cast<std::int64_t>(event.next_event_pos);
    return !transaction_.rows.empty();
  }

  std::string database_;
  std::int64_t file_;
  std::vector<std::string> tables_;
  std::map<std::uint64_t, LoggedColumns> mapped_;  // By the log's number of the table.
  LoggedTransaction transaction_;
};

}  // namespace

std::int64_t log_timestamp(std::string_view file, std::string_view position) {
  std::int64_t number = 0, place = 0;
  const std::string_view digits = file.substr(std::min(file.rfind('.') + 1, file.size()));
  const auto first = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const auto second = std::from_chars(position.data(), position.data() + position.size(), place);
  if (first.ec != std::errc{} || second.ec != std::errc{})
    throw DatabaseError(fmt::format("\"{}\", \"{}\" is not a position in a binary log", file, position),
                        "a certificate needs log_bin");
  return number << 32 | place;
}

void read_logged_rows(std::string_view bytes, const LoggedColumns& columns, RowChange change,
                      std::vector<LoggedRow>& into) {
  while (!bytes.empty()) {
    LoggedRow row = take_row(bytes, columns);
    if (change == RowChange::Updated)
      row = take_row(bytes, columns);  // The row before the update comes first.
    if (change == RowChange::Deleted) row.tag.reset();
    into.push_back(row);
  }
}

MariadbRecovery::MariadbRecovery(const ConnectionOptions& options, Schema schema)
    : schema_(std::move(schema)), connection_(options), database_(options.node.database) {
  const auto setting = [&](const char* name) {
    return connection_.execute(fmt::format("select @@{}", name));
  };
  if (setting("log_bin") != "1" || setting("binlog_format") != "ROW" || setting("binlog_row_image") != "FULL")
    throw DatabaseError("the server does not keep a binary log of whole rows",
                        "a certificate needs log_bin, binlog_format=ROW and binlog_row_image=FULL");
  const std::vector<std::string> place = connection_.row("show master status");
  if (place.size() < 2) throw DatabaseError("the server does not report the end of its binary log");
  file_ = place[0];
  position_ = std::stoul(place[1]);
}

// A session that lost its connection may still be committing. A lock that excludes writers waits for it.
void MariadbRecovery::wait_for_writers() {
  std::string tables;
  for (const TableInfo& table : schema_)
    tables += fmt::format("{}`serval_{}` read", tables.empty() ? "" : ", ", table.name);
  connection_.execute("lock tables " + tables);
  connection_.execute("unlock tables");
}

void MariadbRecovery::read(const std::function<void(const LoggedTransaction&)>& found) {
  wait_for_writers();
  connection_.execute("set @mariadb_slave_capability = 4");  // Supports GTIDs.
  connection_.execute("set @master_binlog_checksum = 'NONE'");
  const std::unique_ptr<MARIADB_RPL, decltype(&mariadb_rpl_close)> log(mariadb_rpl_init(connection_.handle()),
                                                                       &mariadb_rpl_close);
  if (!log) throw DatabaseError("no memory to read the binary log");
  mariadb_rpl_optionsv(log.get(), MARIADB_RPL_SERVER_ID, kReplica);
  mariadb_rpl_optionsv(log.get(), MARIADB_RPL_FILENAME, file_.c_str(), file_.size());
  mariadb_rpl_optionsv(log.get(), MARIADB_RPL_START, position_);
  mariadb_rpl_optionsv(log.get(), MARIADB_RPL_FLAGS,
                       static_cast<unsigned>(MARIADB_RPL_BINLOG_DUMP_NON_BLOCK));
  const auto require = [&](bool fine) {
    if (!fine)
      throw DatabaseError(fmt::format("the binary log cannot be read: {}", mariadb_rpl_error(log.get())),
                          "the user needs REPLICATION SLAVE and BINLOG MONITOR");
  };
  require(mariadb_rpl_open(log.get()) == 0);
  EventReader reader(schema_, database_, log_timestamp(file_, "0") >> 32);
  std::unique_ptr<MARIADB_RPL_EVENT, decltype(&mariadb_free_rpl_event)> event(nullptr,
                                                                              &mariadb_free_rpl_event);
  for (;;) {
    event.reset(mariadb_rpl_fetch(log.get(), event.release()));  // Reuses or frees the event.
    if (!event) break;
    if (reader.add(*event)) found(reader.transaction());
  }
  require(mariadb_rpl_errno(log.get()) == 0);
}

}  // namespace serval::mariadb
