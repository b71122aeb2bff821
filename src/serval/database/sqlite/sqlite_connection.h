#pragma once
// One connection to an SQLite database. Used by one thread at a time.

#include <memory>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "serval/database/sql/connection.h"
#include "serval/database/sqlite/recover_sqlite.h"
#include "serval/database/sqlite/turns.h"

namespace serval::sqlite {

struct ConnectionOptions {
  std::string place;                  // A file, or a URI.
  std::vector<std::string> settings;  // Statements for every new connection.
  std::string begin = "begin";
  std::chrono::milliseconds timeout{2000};  // For a lock.
  // Yields to other threads after every statement, as a client does that waits for its server. Without it
  // sessions would hardly ever overlap.
  bool gives_way = false;
  CommitCount commits = CommitCount::None;
};

class SqliteConnection final : public sql::Connection {
 public:
  // All connections to one database share `turns`. Throws DatabaseError.
  SqliteConnection(const ConnectionOptions& options, std::shared_ptr<Turns> turns);
  ~SqliteConnection() override;
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  void begin() override;
  sql::Result run(const sql::Statement& statement, std::span<const std::int64_t> parameters) override;
  Outcome commit() override;
  void roll_back() noexcept override;
  TransactionHints hints() const override;

  // Executes a statement outside of all transactions. Returns the first cell of the result as text.
  // Throws DatabaseError.
  std::string execute(const std::string& text);

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

  static int on_busy(void* self, int times);
  bool wait_for_others();
  Prepared prepare(const std::string& text);
  sqlite3_stmt* prepared(const sql::Statement& statement);
  void run_plain(sqlite3_stmt* statement);
  std::int64_t run_for_number(sqlite3_stmt* statement);
  int step(sqlite3_stmt* statement);     // The first step; row or done; waits for locks.
  int step_on(sqlite3_stmt* statement);  // A later step.
  [[noreturn]] void fail(int code);

  std::unique_ptr<sqlite3, Close> database_;
  std::shared_ptr<Turns> turns_;
  std::chrono::milliseconds timeout_;
  bool gives_way_;
  Turns::Clock::time_point deadline_;
  std::uint64_t seen_ = 0;
  Prepared begin_, commit_, roll_back_;
  CommitCount commits_;
  Prepared read_count_, count_;
  bool wrote_ = false;
  std::optional<std::int64_t> start_, committed_;  // Commits before the transaction, and with it.
  std::vector<Prepared> prepared_;                 // By the id of the statement.
};

}  // namespace serval::sqlite
