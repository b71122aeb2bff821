#pragma once
// One connection by libmariadb: prepared statements over TCP, never reconnecting by itself.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "serval/database/mariadb/mariadb_address.h"
#include "serval/database/sql/connection.h"

struct st_mysql;  // libmariadb's.
struct st_mysql_stmt;

namespace serval::mariadb {

// What a certificate has to tell of what statements looked at: a snapshot, at the place of the binary log up
// to which it shows what committed; or, where locks keep it, the place where the log is at the end. TiDB has
// timestamps of its own (recover_tidb.h).
enum class Sights : std::uint8_t { None, OrdersOnly, Snapshots, Locks, Tidb };

struct ConnectionOptions {
  sql::Place node;
  std::vector<std::string> settings;  // Statements for every new connection.
  std::string node_name;              // For hints, where there are several.
  std::chrono::milliseconds timeout{60'000};
  Sights sights = Sights::None;
};

class MariadbConnection final : public sql::Connection {
 public:
  explicit MariadbConnection(const ConnectionOptions& options);  // Throws DatabaseError.

  void begin() override;
  sql::Result run(const sql::Statement& statement, std::span<const std::int64_t> parameters) override;
  Outcome commit() override;
  void roll_back() noexcept override;
  void interrupt() noexcept override;
  TransactionHints hints() const override;
  std::optional<std::int64_t> seen() const override { return seen_; }

  // Any text, outside of all transactions or as a part of one. The first cell of its answer. Throws
  // DatabaseError.
  std::string execute(const std::string& text);
  std::vector<std::string> row(const std::string& text);  // The first row of its answer.
  st_mysql* handle() const noexcept { return connection_.get(); }
  std::string version() const;   // "10.11.6-MariaDB"
  unsigned long number() const;  // What the server calls the connection.
  bool lost() const { return lost_; }

 private:
  struct Close {
    void operator()(st_mysql* connection) const;
  };
  struct CloseStatement {
    void operator()(st_mysql_stmt* statement) const;
  };

  st_mysql_stmt* prepared(const sql::Statement& statement);
  void fetch_rows(st_mysql_stmt* statement, sql::Result& into);
  void fetch_text(st_mysql_stmt* statement, sql::Result& into);
  void ask(const char* text);
  void tell_sight(const sql::Statement& statement, sql::Result& result);
  void note_gtid();
  void note_tidb_commit();
  void hear_the_end();  // Throws where the server has ended the connection already.
  [[noreturn]] void fail(unsigned code, const char* message);

  std::string node_;
  bool lost_ = false;
  Sights sights_;
  bool looks_at_the_end_ = false;             // A statement of the transaction does.
  std::optional<std::int64_t> start_, seen_;  // Places in the binary log, or timestamps of TiDB.
  std::optional<std::int64_t> committed_;     // Of TiDB.
  std::string gtid_;
  std::unique_ptr<st_mysql, Close> connection_;
  std::vector<std::unique_ptr<st_mysql_stmt, CloseStatement>> prepared_;  // By the id of the statement.
};

}  // namespace serval::mariadb
