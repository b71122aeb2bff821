#include "serval/database/mariadb/mariadb_connection.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include <fmt/format.h>
#include <mysql.h>
#include <poll.h>
#include <sys/socket.h>

#include "serval/base/contract.h"
#include "serval/database/database.h"
#include "serval/database/mariadb/error_code.h"
#include "serval/database/mariadb/recover_mariadb.h"
#include "serval/database/mariadb/recover_tidb.h"

namespace serval::mariadb {
namespace {

constexpr std::size_t kMostCells = 64;

// The client library's own errors begin at 2000.
bool server_answered(unsigned code) { return code < 2000; }

std::string hint_for(unsigned code) {
  constexpr unsigned kTooManyConnections = 1040, kTooManyOfUser = 1203, kAccessDenied = 1045;
  if (code == kAccessDenied)
    return "the password is read from ~/.my.cnf (group client or serval) or MYSQL_PWD";
  if (code == kTooManyConnections || code == kTooManyOfUser)
    return "use fewer clients (--clients), or raise max_connections of the server";
  if (server_answered(code)) return "check the user and the database in the address";
  return "check host, port and database; scripts/servers start mariadb starts a server to try";
}

MYSQL_BIND whole_number(std::int64_t& place) {
  MYSQL_BIND out;
  std::memset(&out, 0, sizeof out);
  out.buffer_type = MYSQL_TYPE_LONGLONG;
  out.buffer = &place;
  return out;
}

std::vector<std::vector<std::string>> stored_rows(MYSQL* connection) {
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> result(mysql_store_result(connection),
                                                                        &mysql_free_result);
  std::vector<std::vector<std::string>> out;
  while (const MYSQL_ROW row = result ? mysql_fetch_row(result.get()) : nullptr) {
    out.emplace_back();
    for (unsigned i = 0; i < mysql_num_fields(result.get()); ++i)
      out.back().emplace_back(row[i] == nullptr ? "" : row[i]);
  }
  return out;
}

bool is_of_tidb(Snapshots snapshots) { return snapshots >= Snapshots::TidbOptimistic; }

// Reads without locks.
bool is_plain_read(const sql::Statement& statement) {
  return statement.text.starts_with("select") && !statement.text.ends_with("for update");
}

// "select k from t where k = 5"
std::string with_values(const sql::Statement& statement, std::span<const std::int64_t> parameters) {
  std::string out;
  std::size_t next = 0;
  for (const char c : statement.text)
    if (c == '?')
      out += std::to_string(parameters[statement.order[next++]]);
    else
      out += c;
  return out;
}

// "Rows matched: 3  Changed: 2  Warnings: 0"
std::optional<std::uint64_t> rows_that_differ(MYSQL* connection) {
  constexpr std::string_view kChanged = "Changed: ";
  const char* const info = mysql_info(connection);
  const std::string_view text = info == nullptr ? "" : info;
  const std::size_t at = text.find(kChanged);
  if (at == std::string_view::npos) return std::nullopt;
  return std::strtoull(text.data() + at + kChanged.size(), nullptr, 10);
}

}  // namespace

void MariadbConnection::Close::operator()(st_mysql* connection) const { mysql_close(connection); }
void MariadbConnection::CloseStatement::operator()(st_mysql_stmt* statement) const {
  mysql_stmt_close(statement);
}

MariadbConnection::MariadbConnection(const ConnectionOptions& options)
    : node_(options.node_name),
      snapshots_(options.snapshots),
      begin_(options.begin),
      connection_(mysql_init(nullptr)) {
  expects(connection_ != nullptr, "memory for a connection");
  MYSQL* const handle = connection_.get();
  const unsigned protocol = MYSQL_PROTOCOL_TCP;
  // libmariadb counts whole seconds.
  const auto answer_s =
      static_cast<unsigned>((options.timeout + std::chrono::milliseconds(999)) / std::chrono::seconds(1));
  const unsigned timeout_s = std::min(10u, answer_s);
  const my_bool off = 0;
  mysql_options(handle, MYSQL_READ_DEFAULT_GROUP, "serval");
  mysql_options(handle, MYSQL_OPT_PROTOCOL, &protocol);
  mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &timeout_s);
  mysql_options(handle, MYSQL_OPT_READ_TIMEOUT, &answer_s);
  mysql_options(handle, MYSQL_OPT_WRITE_TIMEOUT, &answer_s);
  mysql_options(handle, MYSQL_OPT_RECONNECT, &off);
  const sql::Place& node = options.node;
  // Found rows: an update counts what it matched, whether or not that changed.
  if (mysql_real_connect(handle, node.host.c_str(), node.user.empty() ? nullptr : node.user.c_str(), nullptr,
                         node.database.c_str(), node.port, nullptr, CLIENT_FOUND_ROWS) == nullptr) {
    throw DatabaseError(
        fmt::format("{} {}: {}", server_answered(mysql_errno(handle)) ? "no connection to" : "cannot reach",
                    name_of_node(node), mysql_error(handle)),
        hint_for(mysql_errno(handle)));
  }
  for (const std::string& setting : options.settings) execute(setting);
}

std::string MariadbConnection::version() const { return mysql_get_server_info(connection_.get()); }
unsigned long MariadbConnection::number() const { return mysql_thread_id(connection_.get()); }

void MariadbConnection::query(const char* text) {
  if (mysql_query(connection_.get(), text) != 0)
    fail(mysql_errno(connection_.get()), mysql_error(connection_.get()));
}

void MariadbConnection::begin() {
  looks_at_the_end_ = false;
  start_.reset();
  seen_.reset();
  gtid_.clear();
  committed_.reset();
  query(begin_.c_str());
  if (is_of_tidb(snapshots_)) note_tidb_start();
  if (snapshots_ != Snapshots::Consistent) return;
  // The file, then the position. The server uses variables that all its sessions share, so two concurrent
  // queries may get each other's results; those of this process take turns.
  static std::mutex turns;
  const std::lock_guard turn(turns);
  query("show status like 'binlog_snapshot_%'");
  const std::vector<std::vector<std::string>> place = stored_rows(connection_.get());
  if (place.size() >= 2) start_ = log_timestamp(place[0].at(1), place[1].at(1));
}

// Reads without locks see the snapshot; locked rows do not change until the end of the transaction.
void MariadbConnection::report_snapshot(const sql::Statement& statement, sql::Result& result) {
  // A missing row has no tag; only the snapshot shows what was seen.
  const bool nothing = result.rows == 0 && result.changed == 0;
  if (snapshots_ <= Snapshots::OrdersOnly || (!statement.by_predicate && !nothing)) return;
  if (is_of_tidb(snapshots_)) {
    result.timestamp = sees_its_own_time(statement) ? tidb_read_timestamp() : start_;
  } else if (snapshots_ == Snapshots::Consistent && is_plain_read(statement)) {
    result.timestamp = start_;
  } else {
    result.saw_the_end = looks_at_the_end_ = true;
  }
}

bool MariadbConnection::sees_its_own_time(const sql::Statement& statement) const {
  if (statement.answers == sql::Statement::Answers::Text) return false;  // Lists have no certificates.
  return snapshots_ == Snapshots::TidbReadCommitted ||
         (snapshots_ == Snapshots::TidbPessimistic && !is_plain_read(statement));
}

// The start also identifies the transaction.
void MariadbConnection::note_tidb_start() {
  query("select @@tidb_current_ts");
  const std::vector<std::vector<std::string>> told = stored_rows(connection_.get());
  gtid_ = told.empty() ? "" : told.front().at(0);
  const std::int64_t start = std::strtoll(gtid_.c_str(), nullptr, 10);
  if (start > 0) start_ = start;
}

std::optional<std::int64_t> MariadbConnection::tidb_read_timestamp() {
  query("select @@tidb_last_query_info");
  const std::vector<std::vector<std::string>> told = stored_rows(connection_.get());
  return told.empty() ? std::nullopt : read_timestamp_of(told.front().at(0), start_.value_or(0));
}

// It has committed; if the query fails, its timestamp is unknown.
void MariadbConnection::note_tidb_commit() {
  if (mysql_query(connection_.get(), "select @@tidb_last_txn_info") != 0) return;
  const std::vector<std::vector<std::string>> told = stored_rows(connection_.get());
  if (!told.empty()) committed_ = commit_timestamp_of(told.front().at(0), start_.value_or(0));
}

// The response to the commit contains the id of the transaction.
void MariadbConnection::note_gtid() {
  const char* data = nullptr;
  std::size_t length = 0;
  const auto next = [&](auto get) {
    return get(connection_.get(), SESSION_TRACK_SYSTEM_VARIABLES, &data, &length) == 0;
  };
  for (bool more = next(mysql_session_track_get_first); more; more = next(mysql_session_track_get_next)) {
    const bool found = std::string_view(data, length) == "last_gtid";
    if (!next(mysql_session_track_get_next)) return;
    if (found) gtid_.assign(data, length);
  }
}

sql::Result MariadbConnection::run(const sql::Statement& statement,
                                   std::span<const std::int64_t> parameters) {
  sql::Result out =
      sees_its_own_time(statement) ? run_text(statement, parameters) : run_prepared(statement, parameters);
  report_snapshot(statement, out);
  return out;
}

// Older versions of TiDB do not report the timestamp of a prepared statement.
sql::Result MariadbConnection::run_text(const sql::Statement& statement,
                                        std::span<const std::int64_t> parameters) {
  query(with_values(statement, parameters).c_str());
  sql::Result out;
  if (statement.answers == sql::Statement::Answers::Count) {
    out.changed = mysql_affected_rows(connection_.get());
    out.differing = rows_that_differ(connection_.get());
    return out;
  }
  for (const std::vector<std::string>& row : stored_rows(connection_.get())) {
    ++out.rows;
    for (const std::string& cell : row) out.cells.push_back(std::strtoll(cell.c_str(), nullptr, 10));
  }
  return out;
}

sql::Result MariadbConnection::run_prepared(const sql::Statement& statement,
                                            std::span<const std::int64_t> parameters) {
  MYSQL_STMT* const handle = prepared(statement);
  expects(statement.order.size() <= kMostCells, "the statement has few parameters");
  std::array<std::int64_t, kMostCells> values;
  std::array<MYSQL_BIND, kMostCells> binds;
  for (std::size_t i = 0; i < statement.order.size(); ++i) {
    values[i] = parameters[statement.order[i]];
    binds[i] = whole_number(values[i]);
  }
  if (mysql_stmt_bind_param(handle, binds.data()) != 0 || mysql_stmt_execute(handle) != 0)
    fail(mysql_stmt_errno(handle), mysql_stmt_error(handle));
  sql::Result out;
  if (statement.answers == sql::Statement::Answers::Count) {
    out.changed = mysql_stmt_affected_rows(handle);
    out.differing = rows_that_differ(connection_.get());
  } else if (statement.answers == sql::Statement::Answers::Rows) {
    fetch_rows(handle, out);
  } else {
    fetch_text(handle, out);
  }
  return out;
}

MYSQL_STMT* MariadbConnection::prepared(const sql::Statement& statement) {
  if (prepared_.size() <= statement.id) prepared_.resize(statement.id + 1);
  auto& kept = prepared_[statement.id];
  if (kept) return kept.get();
  std::unique_ptr<MYSQL_STMT, CloseStatement> fresh(mysql_stmt_init(connection_.get()));
  expects(fresh != nullptr, "memory for a statement");
  if (mysql_stmt_prepare(fresh.get(), statement.text.data(), statement.text.size()) != 0)
    fail(mysql_stmt_errno(fresh.get()), mysql_stmt_error(fresh.get()));
  kept = std::move(fresh);
  return kept.get();
}

void MariadbConnection::fetch_rows(MYSQL_STMT* statement, sql::Result& into) {
  const std::size_t width = mysql_stmt_field_count(statement);
  expects(width <= kMostCells, "the result has few columns");
  std::array<std::int64_t, kMostCells> cells;
  std::array<MYSQL_BIND, kMostCells> binds;
  for (std::size_t i = 0; i < width; ++i) binds[i] = whole_number(cells[i]);
  int code = mysql_stmt_bind_result(statement, binds.data()) != 0 ? 1 : 0;
  while (code == 0 && (code = mysql_stmt_fetch(statement)) == 0) {
    ++into.rows;
    into.cells.insert(into.cells.end(), cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(width));
  }
  if (code != MYSQL_NO_DATA) fail(mysql_stmt_errno(statement), mysql_stmt_error(statement));
  mysql_stmt_free_result(statement);
}

// The length is known only after the row was fetched.
void MariadbConnection::fetch_text(MYSQL_STMT* statement, sql::Result& into) {
  unsigned long length = 0;
  MYSQL_BIND bind;
  std::memset(&bind, 0, sizeof bind);
  bind.buffer_type = MYSQL_TYPE_STRING;
  bind.length = &length;
  int code = mysql_stmt_bind_result(statement, &bind) != 0 ? 1 : 0;
  while (code == 0 && ((code = mysql_stmt_fetch(statement)) == 0 || code == MYSQL_DATA_TRUNCATED)) {
    ++into.rows;
    into.text.resize(length);
    bind.buffer = into.text.data();
    bind.buffer_length = length;
    code = length == 0 ? 0 : mysql_stmt_fetch_column(statement, &bind, 0, 0);
  }
  if (code != MYSQL_NO_DATA) fail(mysql_stmt_errno(statement), mysql_stmt_error(statement));
  mysql_stmt_free_result(statement);
}

// The only unsolicited message of a server says that it closes the connection. If it arrives before the
// commit is sent, the commit cannot have happened.
void MariadbConnection::require_open() {
  pollfd socket{.fd = mysql_get_socket(connection_.get()), .events = POLLIN, .revents = 0};
  if (!lost_ && poll(&socket, 1, 0) > 0) lost_ = true;
  if (lost_)
    throw TransactionFailure(FailureCause::ConnectionLost, Outcome::Aborted,
                             "the connection ended before the commit");
}

Outcome MariadbConnection::commit() {
  require_open();
  if (looks_at_the_end_) {
    query("show master status");
    const std::vector<std::vector<std::string>> place = stored_rows(connection_.get());
    if (!place.empty()) seen_ = log_timestamp(place.front().at(0), place.front().at(1));
  }
  if (mysql_query(connection_.get(), "commit") == 0) {
    if (is_of_tidb(snapshots_))
      note_tidb_commit();
    else if (snapshots_ != Snapshots::None)
      note_gtid();
    return Outcome::Committed;
  }
  const unsigned code = mysql_errno(connection_.get());
  const std::string message = fmt::format("{} (error {})", mysql_error(connection_.get()), code);
  if (code == 1213)  // InnoDB detects deadlocks earlier; this is a conflict between Galera nodes.
    throw TransactionFailure(FailureCause::Serialization, Outcome::Aborted, message);
  if (says_aborted(code)) throw TransactionFailure(cause_of(code), Outcome::Aborted, message);
  lost_ = true;
  throw TransactionFailure(cause_of(code), Outcome::Indeterminate, message);
}

void MariadbConnection::roll_back() noexcept {
  if (!lost_) mysql_query(connection_.get(), "rollback");
}

void MariadbConnection::interrupt() noexcept {
  if (const my_socket socket = mysql_get_socket(connection_.get()); socket != MARIADB_INVALID_SOCKET)
    ::shutdown(socket, SHUT_RDWR);
}

void MariadbConnection::fail(unsigned code, const char* message) {
  const FailureCause cause = cause_of(code);
  lost_ = lost_ || cause == FailureCause::ConnectionLost;
  throw TransactionFailure(cause, Outcome::Aborted, fmt::format("{} (error {})", message, code));
}

TransactionHints MariadbConnection::hints() const {
  TransactionHints out;
  out.server_transaction = gtid_;
  out.start_timestamp = start_;
  out.commit_timestamp = committed_;
  out.node = fmt::format("{}{}connection {}", node_, node_.empty() ? "" : " ", number());
  return out;
}

std::string MariadbConnection::execute(const std::string& text) {
  const std::vector<std::string> first = row(text);
  return first.empty() ? "" : first.front();
}

std::vector<std::string> MariadbConnection::row(const std::string& text) {
  const std::vector<std::vector<std::string>> found = rows(text);
  return found.empty() ? std::vector<std::string>{} : found.front();
}

std::vector<std::vector<std::string>> MariadbConnection::rows(const std::string& text) {
  MYSQL* const handle = connection_.get();
  if (mysql_query(handle, text.c_str()) != 0) {
    lost_ = lost_ || cause_of(mysql_errno(handle)) == FailureCause::ConnectionLost;
    throw DatabaseError(fmt::format("{} ({})", mysql_error(handle), text.substr(0, 80)));
  }
  return stored_rows(handle);
}

}  // namespace serval::mariadb
