#include "serval/database/postgres/postgres_connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "serval/base/contract.h"
#include "serval/database/database.h"
#include "serval/database/postgres/recover_cockroach.h"
#include "serval/database/postgres/sqlstate.h"

namespace serval::postgres {
namespace {

constexpr Oid kBigint = 20;
constexpr std::size_t kMostParameters = 64;
constexpr int kVersionOfXidIfAssigned = 100000;

std::string one_line(const char* message) {
  std::string out(message == nullptr ? "" : message);
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  std::ranges::replace_if(
      out, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return out;
}

std::string_view sqlstate_of(const PGresult* answer) {
  const char* state = answer == nullptr ? nullptr : PQresultErrorField(answer, PG_DIAG_SQLSTATE);
  return state == nullptr ? "" : state;
}

bool succeeded(const PGresult* answer) {
  const ExecStatusType status = PQresultStatus(answer);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

std::int64_t parse(const char* text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), out);
  expects(error == std::errc{} && *end == '\0', "the server answers with whole numbers");
  return out;
}

bool is_plain_read(const sql::Statement& statement) {
  return statement.text.starts_with("select") && !statement.text.ends_with("for update");
}

// At least one row, with the statement's own snapshot in the first column.
std::string with_snapshot(const std::string& text) {
  return fmt::format(
      "with found as ({}) select s.sight, found.* from (select txid_current_snapshot()::text as sight) as s "
      "left join found on true",
      text);
}

// libpq does not say so, but then the message contains the server's severity.
bool server_answered(const PGconn* connection) {
  return std::string_view(PQerrorMessage(connection)).find("FATAL") != std::string_view::npos;
}

// SQLSTATE 53300, which libpq does not report for a failed connection.
bool has_too_many_clients(const PGconn* connection) {
  const std::string_view message = PQerrorMessage(connection);
  return message.find("too many c") != std::string_view::npos ||
         message.find("connection slots") != std::string_view::npos;
}

std::string hint_for(PGconn* connection) {
  if (has_too_many_clients(connection))
    return "use fewer clients (--clients), or raise max_connections of the server";
  if (PQconnectionNeedsPassword(connection) != 0 || PQconnectionUsedPassword(connection) != 0)
    return "the password is read from PGPASSWORD, ~/.pgpass, a service file, or passfile=FILE in the address";
  if (server_answered(connection)) return "check the user and the database in the address";
  return "check host, port and database; scripts/servers start postgres starts a server to try";
}

}  // namespace

void PostgresConnection::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }
void PostgresConnection::Clear::operator()(pg_result* result) const { PQclear(result); }

int PostgresConnection::version() const { return PQserverVersion(connection_.get()); }
int PostgresConnection::backend() const { return PQbackendPID(connection_.get()); }
bool PostgresConnection::lost() const {
  return timed_out_ || told_to_end_ || PQstatus(connection_.get()) != CONNECTION_OK;
}

std::string PostgresConnection::problem() const {
  if (timed_out_) return fmt::format("no response within {} ms", timeout_.count());
  return one_line(PQerrorMessage(connection_.get()));
}

PostgresConnection::PostgresConnection(const ConnectionOptions& options)
    : kind_(options.kind),
      asks_xid_(options.asks_xid),
      snapshots_(options.snapshots),
      begin_("begin"),
      node_(options.node_name),
      origin_(options.origin),
      timeout_(options.timeout) {
  std::vector<const char*> names, values;
  const auto add = [&](const char* name, const char* value) {
    names.push_back(name);
    values.push_back(value);
  };
  add("fallback_application_name", "serval");
  const std::string connect_s = std::to_string(std::clamp<std::int64_t>(timeout_.count() / 1000, 2, 10));
  add("connect_timeout", connect_s.c_str());
  for (const auto& [name, value] : options.node) add(name.c_str(), value.c_str());
  add(nullptr, nullptr);
  connection_.reset(PQconnectdbParams(names.data(), values.data(), 0));
  if (lost())
    throw DatabaseError(
        fmt::format("{} {}: {}", server_answered(connection_.get()) ? "no connection to" : "cannot reach",
                    name_of_node(options.node), problem()),
        hint_for(connection_.get()));
  PQsetNoticeReceiver(connection_.get(), &PostgresConnection::on_notice, this);
  asks_xid_ = asks_xid_ && (version() >= kVersionOfXidIfAssigned || snapshots_ != Snapshots::None);
  if (options.isolation.empty()) return;
  // By default a deadlock lasts a second, which would dominate workloads with many conflicts. Not all
  // users may set it.
  if (kind_ == Kind::Postgres) query("set deadlock_timeout = '20ms'");
  if (kind_ == Kind::H2)
    execute("set session characteristics as transaction isolation level " + options.isolation);
  else
    begin_ = "begin isolation level " + options.isolation;
  // In the same message, so that the snapshot costs no extra round trip.
  if (snapshots_ == Snapshots::OfTransaction) begin_ += "; select txid_current_snapshot()";
}

void PostgresConnection::on_notice(void* self, const pg_result* notice) {
  if (cause_of(sqlstate_of(notice)) == FailureCause::ConnectionLost)
    static_cast<PostgresConnection*>(self)->told_to_end_ = true;
}

// libpq would wait forever, even for a stopped server.
PostgresConnection::Answer PostgresConnection::next_answer() {
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  while (!timed_out_ && PQisBusy(connection_.get()) != 0)
    if (wait_for_more(deadline) == Received::Nothing) break;  // PQgetResult has the reason.
  return timed_out_ ? Answer{} : Answer(PQgetResult(connection_.get()));
}

PostgresConnection::Received PostgresConnection::wait_for_more(
    std::chrono::steady_clock::time_point deadline) {
  using Clock = std::chrono::steady_clock;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd socket{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
    const int ready = poll(&socket, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    timed_out_ = ready == 0;
    if (timed_out_) return Received::Late;
    return PQconsumeInput(connection_.get()) == 0 ? Received::Nothing : Received::Something;
  }
}

// The result of the last message: the first failure, or else the last success.
PostgresConnection::Answer PostgresConnection::receive() {
  hurry();
  Answer out;
  while (Answer answer = next_answer()) {
    if (!out || succeeded(out.get())) out = std::move(answer);
  }
  return out;
}

PostgresConnection::Answer PostgresConnection::query(const char* text) {
  PQsendQuery(connection_.get(), text);  // If this fails, so do the following calls.
  return receive();
}

// H2 sends its responses in two parts, the second only after the first is acknowledged. The system
// delays acknowledgements by 40 ms unless that is disabled each time.
void PostgresConnection::hurry() {
  if (kind_ != Kind::H2) return;
  const int on = 1;
  setsockopt(PQsocket(connection_.get()), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

void PostgresConnection::begin() {
  xid_.clear();
  wrote_ = false;
  commit_timestamp_.reset();
  const Answer answer = query(begin_.c_str());
  if (!succeeded(answer.get())) fail(answer.get());
  if (snapshots_ == Snapshots::OfTransaction) snapshot_ = PQgetvalue(answer.get(), 0, 0);
}

// Locking reads are excluded: they may return newer rows than their snapshot contains, and lack some of
// its rows.
bool PostgresConnection::reports_snapshot(const sql::Statement& statement) const {
  const bool locks_only = statement.text.ends_with("for update");
  return snapshots_ == Snapshots::OfStatements && statement.answers == sql::Statement::Answers::Rows &&
         (statement.by_predicate ? !locks_only : is_plain_read(statement));
}

void PostgresConnection::prepare(const sql::Statement& statement, std::size_t parameters) {
  std::array<Oid, kMostParameters> types;
  types.fill(kBigint);
  const std::string name = fmt::format("s{}", statement.id);
  const std::string text = reports_snapshot(statement) ? with_snapshot(statement.text) : statement.text;
  PQsendPrepare(connection_.get(), name.c_str(), text.c_str(), static_cast<int>(parameters), types.data());
  const Answer answer = receive();
  if (!succeeded(answer.get())) fail(answer.get());
  if (prepared_.size() <= statement.id) prepared_.resize(statement.id + 1);
  prepared_[statement.id] = true;
}

sql::Result PostgresConnection::run(const sql::Statement& statement,
                                    std::span<const std::int64_t> parameters) {
  expects(parameters.size() <= kMostParameters, "few parameters");
  if (statement.id >= prepared_.size() || !prepared_[statement.id]) prepare(statement, parameters.size());
  wrote_ = wrote_ || !is_plain_read(statement);
  std::array<std::array<char, 24>, kMostParameters> texts;
  std::array<const char*, kMostParameters> values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    *std::to_chars(texts[i].data(), texts[i].data() + texts[i].size() - 1, parameters[i]).ptr = '\0';
    values[i] = texts[i].data();
  }
  std::array<char, 16> name;
  *fmt::format_to_n(name.data(), name.size() - 1, "s{}", statement.id).out = '\0';
  PQsendQueryPrepared(connection_.get(), name.data(), static_cast<int>(parameters.size()), values.data(),
                      nullptr, nullptr, 0);
  const Answer answer = receive();
  if (!succeeded(answer.get())) fail(answer.get());
  sql::Result out = result_of(statement, answer.get());
  // A missing row has no tag; only the snapshot shows what was seen. A key with two rows, the deleted one
  // and the transaction's own, is recorded as a range.
  if (!statement.by_predicate && (out.rows == 1 || out.changed > 0)) return out;
  if (snapshots_ == Snapshots::OfTransaction) out.snapshot = snapshot_;
  if (reports_snapshot(statement)) out.snapshot = PQgetvalue(answer.get(), 0, 0);
  out.saw_the_end = snapshots_ == Snapshots::OfCommit && statement.by_predicate;
  return out;
}

sql::Result PostgresConnection::result_of(const sql::Statement& statement, const PGresult* answer) const {
  sql::Result out;
  const int first = reports_snapshot(statement) ? 1 : 0;
  out.rows = static_cast<std::size_t>(PQntuples(answer));
  if (first == 1 && PQgetisnull(answer, 0, first) != 0) out.rows = 0;  // Only the snapshot.
  if (statement.answers == sql::Statement::Answers::Count) {
    const char* changed = PQcmdTuples(const_cast<PGresult*>(answer));
    out.changed = *changed == '\0' ? 0 : static_cast<std::uint64_t>(parse(changed));
  } else if (statement.answers == sql::Statement::Answers::Text) {
    if (out.rows > 0) out.text = PQgetvalue(answer, 0, 0);
  } else {
    const int width = PQnfields(answer);
    out.cells.reserve(out.rows * static_cast<std::size_t>(width));
    for (int row = 0; row < static_cast<int>(out.rows); ++row)
      for (int i = first; i < width; ++i) out.cells.push_back(parse(PQgetvalue(answer, row, i)));
  }
  return out;
}

// A server that closes a connection says so at once, and libpq treats that as a notice while no query is
// active. If it arrives before the commit is sent, the commit cannot have happened.
void PostgresConnection::require_open() {
  pollfd socket{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
  while (!lost() && poll(&socket, 1, 0) > 0) {
    if (PQconsumeInput(connection_.get()) == 0) break;
    PQisBusy(connection_.get());  // Processes the received data.
  }
  if (lost())
    throw TransactionFailure(FailureCause::ConnectionLost, Outcome::Aborted,
                             "the connection ended before the commit: " + problem());
}

const char* PostgresConnection::commit_with_id() const {
  if (snapshots_ == Snapshots::OfCommit) return "select cluster_logical_timestamp(); commit";
  return version() >= kVersionOfXidIfAssigned ? "select txid_current_if_assigned(); commit"
                                              : "select txid_current(); commit";
}

// The id of the transaction is queried in the same message as the commit, without an extra round trip.
Outcome PostgresConnection::commit() {
  require_open();
  if (!asks_xid_ || (!wrote_ && snapshots_ != Snapshots::OfCommit))
    return judge_commit(query("commit").get());
  PQsendQuery(connection_.get(), commit_with_id());
  const Answer asked = next_answer();
  if (asked && !succeeded(asked.get())) {
    receive();
    return judge_commit(asked.get());
  }
  if (asked) xid_ = PQgetvalue(asked.get(), 0, 0);
  if (snapshots_ == Snapshots::OfCommit) commit_timestamp_ = logical_timestamp(xid_, origin_);
  return judge_commit(receive().get());
}

Outcome PostgresConnection::judge_commit(const PGresult* answer) {
  if (answer != nullptr && succeeded(answer)) {
    if (kind_ == Kind::H2) return Outcome::Committed;  // Its command tags say nothing.
    const std::string_view tag = PQcmdStatus(const_cast<PGresult*>(answer));
    if (tag == "COMMIT") return Outcome::Committed;
    if (tag == "ROLLBACK") return Outcome::Aborted;  // A statement before it had failed.
    throw TransactionFailure(FailureCause::Other, Outcome::Indeterminate,
                             fmt::format("the server answers \"{}\" to a commit", tag));
  }
  const std::string_view state = sqlstate_of(answer);
  if (!lost() && says_aborted(state, kind_)) fail(answer);
  throw TransactionFailure(lost() ? FailureCause::ConnectionLost : cause_of(state), Outcome::Indeterminate,
                           "the answer to the commit is lost: " + problem());
}

void PostgresConnection::roll_back() noexcept {
  if (lost()) return;
  if (kind_ != Kind::H2 && PQtransactionStatus(connection_.get()) == PQTRANS_IDLE) return;
  const Answer answer = query("rollback");
}

void PostgresConnection::interrupt() noexcept {
  if (const int socket = PQsocket(connection_.get()); socket >= 0) ::shutdown(socket, SHUT_RDWR);
}

void PostgresConnection::fail(const PGresult* answer) {
  const std::string_view state = sqlstate_of(answer);
  const FailureCause cause = lost() ? FailureCause::ConnectionLost : cause_of(state);
  const char* detail = answer == nullptr ? nullptr : PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
  const std::string message = detail == nullptr ? problem() : one_line(detail);
  throw TransactionFailure(cause, Outcome::Aborted,
                           state.empty() ? message : fmt::format("{} (SQLSTATE {})", message, state));
}

TransactionHints PostgresConnection::hints() const {
  TransactionHints out;
  out.server_transaction = xid_;
  out.commit_timestamp = commit_timestamp_;
  out.node = fmt::format("{}{}backend {}", node_, node_.empty() ? "" : " ", backend());
  return out;
}

// Whatever committed before.
std::optional<std::int64_t> PostgresConnection::seen() const {
  return commit_timestamp_ ? std::optional(*commit_timestamp_ - 1) : std::nullopt;
}

void PostgresConnection::stream(const std::string& text,
                                const std::function<bool(const std::vector<std::string_view>&)>& row) {
  PQsendQuery(connection_.get(), text.c_str());
  PQsetSingleRowMode(connection_.get());
  while (const Answer answer = next_answer()) {
    if (PQresultStatus(answer.get()) == PGRES_TUPLES_OK) return;
    if (PQresultStatus(answer.get()) != PGRES_SINGLE_TUPLE) break;
    std::vector<std::string_view> cells;
    cells.reserve(static_cast<std::size_t>(PQnfields(answer.get())));
    for (int i = 0; i < PQnfields(answer.get()); ++i) cells.emplace_back(PQgetvalue(answer.get(), 0, i));
    if (!row(cells)) return;
  }
  throw DatabaseError(fmt::format("{} ({})", problem(), text.substr(0, 80)));
}

void PostgresConnection::copy_out(const std::string& text,
                                  const std::function<void(std::string_view)>& line) {
  PQsendQuery(connection_.get(), text.c_str());
  Answer answer = next_answer();
  if (PQresultStatus(answer.get()) != PGRES_COPY_OUT)
    throw DatabaseError(fmt::format("{} ({})", problem(), text.substr(0, 80)));
  for (;;) {
    char* data = nullptr;
    const int length = PQgetCopyData(connection_.get(), &data, 1);
    const std::unique_ptr<char, decltype(&PQfreemem)> kept(data, &PQfreemem);
    if (length > 0) line(std::string_view(data, static_cast<std::size_t>(length) - 1));
    if (length < 0) break;  // The end, or a failure, which receive() shows.
    if (length == 0 && wait_for_more(std::chrono::steady_clock::now() + timeout_) != Received::Something)
      break;
  }
  answer = receive();
  if (!succeeded(answer.get())) throw DatabaseError(fmt::format("{} ({})", problem(), text.substr(0, 80)));
}

std::string PostgresConnection::execute(const std::string& text) {
  const Answer answer = query(text.c_str());
  if (!succeeded(answer.get())) throw DatabaseError(fmt::format("{} ({})", problem(), text.substr(0, 80)));
  return PQntuples(answer.get()) > 0 && PQnfields(answer.get()) > 0 ? PQgetvalue(answer.get(), 0, 0) : "";
}

}  // namespace serval::postgres
