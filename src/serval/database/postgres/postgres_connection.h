#pragma once
// One connection with libpq: prepared statements, and a commit whose outcome is the server's response.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serval/database/postgres/postgres_address.h"
#include "serval/database/sql/connection.h"

struct pg_conn;  // libpq's.
struct pg_result;

namespace serval::postgres {

// Which snapshots a certificate needs: that of the transaction or, at read committed, those of its
// statements. CockroachDB has the commit timestamp instead.
enum class Snapshots : std::uint8_t { None, OfTransaction, OfStatements, OfCommit };

struct ConnectionOptions {
  std::map<std::string, std::string> node;
  Kind kind = Kind::Postgres;
  std::string isolation;  // In SQL: "repeatable read". Empty: not set.
  std::string node_name;  // For hints, if there are several.
  bool asks_xid = false;
  Snapshots snapshots = Snapshots::None;
  std::int64_t origin = 0;                    // Of timestamps (recover_cockroach.h).
  std::chrono::milliseconds timeout{60'000};  // For every response; then the connection counts as lost.
};

class PostgresConnection final : public sql::Connection {
 public:
  using Options = ConnectionOptions;
  explicit PostgresConnection(const ConnectionOptions& options);  // Throws DatabaseError.
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  void begin() override;
  sql::Result run(const sql::Statement& statement, std::span<const std::int64_t> parameters) override;
  Outcome commit() override;
  void roll_back() noexcept override;
  void interrupt() noexcept override;
  TransactionHints hints() const override;
  std::optional<std::int64_t> seen() const override;

  // Executes any text, inside or outside of a transaction. Returns the first cell of the result. Throws
  // DatabaseError.
  std::string execute(const std::string& text);
  // The lines of "copy ... to stdout". Throws DatabaseError.
  void copy_out(const std::string& text, const std::function<void(std::string_view)>& line);
  // Streams the rows of a possibly endless result until `row` returns false. Throws DatabaseError. The
  // connection cannot be used afterwards.
  void stream(const std::string& text, const std::function<bool(const std::vector<std::string_view>&)>& row);
  int version() const;  // 150004
  int backend() const;  // The id of the server's process.
  bool lost() const;

 private:
  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  struct Clear {
    void operator()(pg_result* result) const;
  };
  using Answer = std::unique_ptr<pg_result, Clear>;

  static void on_notice(void* self, const pg_result* notice);
  void prepare(const sql::Statement& statement, std::size_t parameters);
  Answer query(const char* text);
  Answer receive();
  Answer next_answer();  // Null: no more results, or too late.
  enum class Received : std::uint8_t { Something, Nothing, Late };
  Received wait_for_more(std::chrono::steady_clock::time_point deadline);
  bool reports_snapshot(const sql::Statement& statement) const;  // In its first column.
  sql::Result result_of(const sql::Statement& statement, const pg_result* answer) const;
  std::string problem() const;
  void hurry();
  void require_open();  // Throws if the server has already closed the connection.
  Outcome judge_commit(const pg_result* answer);
  [[noreturn]] void fail(const pg_result* answer);

  Kind kind_;
  bool asks_xid_;
  Snapshots snapshots_;
  std::string begin_;
  std::string node_;
  std::string xid_;
  std::string snapshot_;  // Of the transaction.
  bool wrote_ = false;    // Or tried to.
  std::int64_t origin_;
  std::optional<std::int64_t> commit_timestamp_;
  const char* commit_with_id() const;  // One message for both.
  std::chrono::milliseconds timeout_;
  std::unique_ptr<pg_conn, Finish> connection_;
  bool told_to_end_ = false;
  bool timed_out_ = false;
  std::vector<bool> prepared_;  // By the id of the statement.
};

}  // namespace serval::postgres
