#pragma once
// One connection with libmariadb: prepared statements over TCP, without automatic reconnects.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "serval/database/mariadb/mariadb_address.h"
#include "serval/database/sql/connection.h"

struct st_mysql;  // libmariadb's.
struct st_mysql_stmt;

namespace serval::mariadb {

// How a certificate describes what statements saw: by a snapshot, as the position in the binary log up to
// which it contains the commits; or, if locks preserve it, by the position of the log at the end. TiDB
// has its own timestamps (recover_tidb.h): every statement of an optimistic transaction sees its start; in
// a pessimistic one only plain reads do, and at read committed no statement.
enum class Snapshots : std::uint8_t {
  None,
  OrdersOnly,
  Consistent,
  Locks,
  TidbOptimistic,
  TidbPessimistic,
  TidbReadCommitted,
};

struct ConnectionOptions {
  sql::Place node;
  std::vector<std::string> settings;  // Statements for every new connection.
  std::string node_name;              // For hints, if there are several.
  std::chrono::milliseconds timeout{60'000};
  Snapshots snapshots = Snapshots::None;
  std::string begin = "start transaction";
};

class MariadbConnection final : public sql::Connection {
 public:
  using Options = ConnectionOptions;
  explicit MariadbConnection(const ConnectionOptions& options);  // Throws DatabaseError.

  void begin() override;
  sql::Result run(const sql::Statement& statement, std::span<const std::int64_t> parameters) override;
  Outcome commit() override;
  void roll_back() noexcept override;
  void interrupt() noexcept override;
  TransactionHints hints() const override;
  std::optional<std::int64_t> seen() const override { return seen_; }

  // Executes any text, inside or outside of a transaction. Returns the first cell of the result. Throws
  // DatabaseError.
  std::string execute(const std::string& text);
  std::vector<std::string> row(const std::string& text);  // The first row of the result.
  std::vector<std::vector<std::string>> rows(const std::string& text);
  st_mysql* handle() const noexcept { return connection_.get(); }
  std::string version() const;   // "10.11.6-MariaDB"
  unsigned long number() const;  // The server's id of the connection.
  bool lost() const { return lost_; }

 private:
  struct Close {
    void operator()(st_mysql* connection) const;
  };
  struct CloseStatement {
    void operator()(st_mysql_stmt* statement) const;
  };

  sql::Result run_prepared(const sql::Statement& statement, std::span<const std::int64_t> parameters);
  sql::Result run_text(const sql::Statement& statement, std::span<const std::int64_t> parameters);
  bool sees_its_own_time(const sql::Statement& statement) const;
  st_mysql_stmt* prepared(const sql::Statement& statement);
  void fetch_rows(st_mysql_stmt* statement, sql::Result& into);
  void fetch_text(st_mysql_stmt* statement, sql::Result& into);
  void query(const char* text);
  void report_snapshot(const sql::Statement& statement, sql::Result& result);
  void note_gtid();
  void note_tidb_start();
  void note_tidb_commit();
  std::optional<std::int64_t> tidb_read_timestamp();  // Of the previous statement.
  void require_open();  // Throws if the server has already closed the connection.
  [[noreturn]] void fail(unsigned code, const char* message);

  std::string node_;
  bool lost_ = false;
  Snapshots snapshots_;
  std::string begin_;
  bool looks_at_the_end_ = false;             // A statement of the transaction needs the position at the end.
  std::optional<std::int64_t> start_, seen_;  // Positions in the binary log, or timestamps of TiDB.
  std::optional<std::int64_t> committed_;     // Of TiDB.
  std::string gtid_;
  std::unique_ptr<st_mysql, Close> connection_;
  std::vector<std::unique_ptr<st_mysql_stmt, CloseStatement>> prepared_;  // By the id of the statement.
};

}  // namespace serval::mariadb
