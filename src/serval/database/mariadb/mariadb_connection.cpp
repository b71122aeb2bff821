#include "serval/database/mariadb/mariadb_connection.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <mysql.h>
#include <poll.h>

#include "serval/base/contract.h"
#include "serval/database/database.h"
#include "serval/database/mariadb/error_code.h"

namespace serval::mariadb {
namespace {

constexpr std::size_t kMostCells = 64;

MYSQL_BIND whole_number(std::int64_t& place) {
  MYSQL_BIND out;
  std::memset(&out, 0, sizeof out);
  out.buffer_type = MYSQL_TYPE_LONGLONG;
  out.buffer = &place;
  return out;
}

}  // namespace

void MariadbConnection::Close::operator()(st_mysql* connection) const { mysql_close(connection); }
void MariadbConnection::CloseStatement::operator()(st_mysql_stmt* statement) const {
  mysql_stmt_close(statement);
}

MariadbConnection::MariadbConnection(const ConnectionOptions& options)
    : node_(options.node_name), connection_(mysql_init(nullptr)) {
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
    const bool refused = mysql_errno(handle) == 1045;
    throw DatabaseError(
        fmt::format("cannot reach {}: {}", name_of_node(node), mysql_error(handle)),
        refused ? "the password is read from ~/.my.cnf (group client or serval) or MYSQL_PWD"
                : "check host, port and database; scripts/servers start mariadb starts a server to try");
  }
  for (const std::string& setting : options.settings) execute(setting);
}

std::string MariadbConnection::version() const { return mysql_get_server_info(connection_.get()); }
unsigned long MariadbConnection::number() const { return mysql_thread_id(connection_.get()); }

void MariadbConnection::ask(const char* text) {
  if (mysql_query(connection_.get(), text) != 0)
    fail(mysql_errno(connection_.get()), mysql_error(connection_.get()));
}

void MariadbConnection::begin() { ask("start transaction"); }

sql::Result MariadbConnection::run(const sql::Statement& statement,
                                   std::span<const std::int64_t> parameters) {
  MYSQL_STMT* const handle = prepared(statement);
  expects(statement.order.size() <= kMostCells, "few parameters");
  std::array<std::int64_t, kMostCells> values;
  std::array<MYSQL_BIND, kMostCells> binds;
  for (std::size_t i = 0; i < statement.order.size(); ++i) {
    values[i] = parameters[statement.order[i]];
    binds[i] = whole_number(values[i]);
  }
  if (mysql_stmt_bind_param(handle, binds.data()) != 0 || mysql_stmt_execute(handle) != 0)
    fail(mysql_stmt_errno(handle), mysql_stmt_error(handle));
  sql::Result out;
  if (statement.answers == sql::Statement::Answers::Count)
    out.changed = mysql_stmt_affected_rows(handle);
  else if (statement.answers == sql::Statement::Answers::Rows)
    fetch_rows(handle, out);
  else
    fetch_text(handle, out);
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
  expects(width <= kMostCells, "few columns");
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

// The length is known only once the row is there.
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

// A server says nothing that it was not asked for, but that it ends the connection. Heard before the commit
// is sent, the commit cannot have happened.
void MariadbConnection::hear_the_end() {
  pollfd socket{.fd = mysql_get_socket(connection_.get()), .events = POLLIN, .revents = 0};
  if (!lost_ && poll(&socket, 1, 0) > 0) lost_ = true;
  if (lost_)
    throw TransactionFailure(FailureCause::ConnectionLost, Outcome::Aborted,
                             "the connection ended before the commit");
}

Outcome MariadbConnection::commit() {
  hear_the_end();
  if (mysql_query(connection_.get(), "commit") == 0) return Outcome::Committed;
  const unsigned code = mysql_errno(connection_.get());
  const std::string message = fmt::format("{} (error {})", mysql_error(connection_.get()), code);
  if (code ==
      1213)  // InnoDB finds deadlocks earlier; this is Galera, which found a conflict with another node.
    throw TransactionFailure(FailureCause::Serialization, Outcome::Aborted, message);
  if (says_aborted(code)) throw TransactionFailure(cause_of(code), Outcome::Aborted, message);
  lost_ = true;
  throw TransactionFailure(cause_of(code), Outcome::Indeterminate, message);
}

void MariadbConnection::roll_back() noexcept {
  if (!lost_) mysql_query(connection_.get(), "rollback");
}

void MariadbConnection::fail(unsigned code, const char* message) {
  const FailureCause cause = cause_of(code);
  lost_ = lost_ || cause == FailureCause::ConnectionLost;
  throw TransactionFailure(cause, Outcome::Aborted, fmt::format("{} (error {})", message, code));
}

TransactionHints MariadbConnection::hints() const {
  TransactionHints out;
  out.node = fmt::format("{}{}connection {}", node_, node_.empty() ? "" : " ", number());
  return out;
}

std::string MariadbConnection::execute(const std::string& text) {
  MYSQL* const handle = connection_.get();
  if (mysql_query(handle, text.c_str()) != 0) {
    lost_ = lost_ || cause_of(mysql_errno(handle)) == FailureCause::ConnectionLost;
    throw DatabaseError(fmt::format("{} ({})", mysql_error(handle), text.substr(0, 80)));
  }
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> result(mysql_store_result(handle),
                                                                        &mysql_free_result);
  if (!result) return {};
  const MYSQL_ROW row = mysql_fetch_row(result.get());
  return row == nullptr || row[0] == nullptr ? "" : row[0];
}

}  // namespace serval::mariadb
