#include "serval/database/sqlite/sqlite_connection.h"

#include <thread>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/database/database.h"

namespace serval::sqlite {
namespace {

FailureCause cause_of(int extended) {
  if (extended == SQLITE_BUSY_SNAPSHOT) return FailureCause::Serialization;
  switch (extended & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return FailureCause::LockTimeout;
    case SQLITE_CONSTRAINT:
      return FailureCause::Constraint;
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
      return FailureCause::Unavailable;
    default:
      return FailureCause::Other;
  }
}

// Resets a prepared statement, so that it holds no lock and can run again.
class Running {
 public:
  explicit Running(sqlite3_stmt* statement) : statement_(statement) {}
  ~Running() { sqlite3_reset(statement_); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  sqlite3_stmt* statement_;
};

}  // namespace

SqliteConnection::SqliteConnection(const ConnectionOptions& options, std::shared_ptr<Turns> turns)
    : turns_(std::move(turns)),
      timeout_(options.timeout),
      gives_way_(options.gives_way),
      commits_(options.commits) {
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(options.place.c_str(), &opened, flags, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK)
    throw DatabaseError(fmt::format("cannot open {}: {}", options.place, sqlite3_errmsg(opened)),
                        "the folder must exist and be writable");
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_handler(opened, on_busy, this);
  for (const std::string& setting : options.settings) execute(setting);
  begin_ = prepare(options.begin);
  commit_ = prepare("commit");
  roll_back_ = prepare("rollback");
  if (commits_ == CommitCount::None) return;
  read_count_ = prepare(kReadCommitCount);
  count_ = prepare(kCountCommit);
}

SqliteConnection::~SqliteConnection() = default;

int SqliteConnection::on_busy(void* self, int /*times*/) {
  return static_cast<SqliteConnection*>(self)->wait_for_others() ? 1 : 0;
}

bool SqliteConnection::wait_for_others() {
  const bool again = turns_->wait(seen_, deadline_);
  seen_ = turns_->ended();
  return again;
}

// If transactions see one state, its number of commits identifies it.
void SqliteConnection::begin() {
  wrote_ = false;
  start_.reset();
  committed_.reset();
  run_plain(begin_.get());
  if (commits_ == CommitCount::OfStates) start_ = run_for_number(read_count_.get());
}

// Busy: another transaction still reads what the commit would replace. A retry is a new transaction.
Outcome SqliteConnection::commit() {
  if (wrote_ && commits_ != CommitCount::None) committed_ = run_for_number(count_.get());
  run_plain(commit_.get());
  turns_->end();
  return Outcome::Committed;
}

void SqliteConnection::roll_back() noexcept {
  if (sqlite3_get_autocommit(database_.get()) == 0) {
    sqlite3_step(roll_back_.get());
    sqlite3_reset(roll_back_.get());
  }
  turns_->end();
}

sql::Result SqliteConnection::run(const sql::Statement& statement, std::span<const std::int64_t> parameters) {
  sqlite3_stmt* const handle = prepared(statement);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    sqlite3_bind_int64(handle, static_cast<int>(i + 1), parameters[i]);
  const Running running(handle);
  sql::Result out;
  for (int code = step(handle); code == SQLITE_ROW; code = step_on(handle)) {
    ++out.rows;
    if (statement.answers == sql::Statement::Answers::Text) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle, 0));
      out.text.assign(text, static_cast<std::size_t>(sqlite3_column_bytes(handle, 0)));
      continue;
    }
    const int width = sqlite3_column_count(handle);
    for (int i = 0; i < width; ++i) out.cells.push_back(sqlite3_column_int64(handle, i));
  }
  if (statement.answers == sql::Statement::Answers::Count)
    out.changed = static_cast<std::uint64_t>(sqlite3_changes64(database_.get()));
  wrote_ = wrote_ || sqlite3_stmt_readonly(handle) == 0;
  // A missing row has no tag; only the state shows what was seen.
  const bool nothing = out.rows == 0 && out.changed == 0;
  if (statement.by_predicate || nothing) out.timestamp = start_;
  if (gives_way_) std::this_thread::yield();
  return out;
}

sqlite3_stmt* SqliteConnection::prepared(const sql::Statement& statement) {
  if (prepared_.size() <= statement.id) prepared_.resize(statement.id + 1);
  Prepared& kept = prepared_[statement.id];
  if (!kept) kept = prepare(statement.text);
  return kept.get();
}

// In a shared cache, a writer of the schema table blocks others from preparing statements.
SqliteConnection::Prepared SqliteConnection::prepare(const std::string& text) {
  deadline_ = Turns::Clock::now() + timeout_;
  for (;;) {
    seen_ = turns_->ended();
    sqlite3_stmt* handle = nullptr;
    const int code =
        sqlite3_prepare_v3(database_.get(), text.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    if (code == SQLITE_OK) return Prepared(handle);
    if ((code & 0xFF) != SQLITE_LOCKED || !wait_for_others()) fail(code);
  }
}

void SqliteConnection::run_plain(sqlite3_stmt* statement) {
  const Running running(statement);
  step(statement);
}

std::int64_t SqliteConnection::run_for_number(sqlite3_stmt* statement) {
  const Running running(statement);
  expects(step(statement) == SQLITE_ROW, "the count of commits exists");
  const std::int64_t number = sqlite3_column_int64(statement, 0);
  while (step_on(statement) == SQLITE_ROW) continue;
  return number;
}

TransactionHints SqliteConnection::hints() const {
  TransactionHints out;
  out.start_timestamp = start_;
  out.commit_timestamp = committed_;
  return out;
}

// The busy handler waits for locks on the file, but not for those within a shared cache.
int SqliteConnection::step(sqlite3_stmt* statement) {
  deadline_ = Turns::Clock::now() + timeout_;
  for (;;) {
    seen_ = turns_->ended();
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW || code == SQLITE_DONE) return code;
    if ((code & 0xFF) != SQLITE_LOCKED || !wait_for_others()) fail(code);
    sqlite3_reset(statement);
  }
}

int SqliteConnection::step_on(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(code);
  return code;
}

void SqliteConnection::fail(int code) {
  throw TransactionFailure(cause_of(code), Outcome::Aborted,
                           fmt::format("{} (SQLite error {})", sqlite3_errmsg(database_.get()), code));
}

std::string SqliteConnection::execute(const std::string& text) {
  try {
    const Prepared statement = prepare(text);
    std::string first;
    if (step(statement.get()) == SQLITE_ROW) {
      const unsigned char* cell = sqlite3_column_text(statement.get(), 0);
      if (cell != nullptr) first = reinterpret_cast<const char*>(cell);
      while (step_on(statement.get()) == SQLITE_ROW) continue;
    }
    return first;
  } catch (const TransactionFailure& failure) {
    throw DatabaseError(failure.what());
  }
}

}  // namespace serval::sqlite
