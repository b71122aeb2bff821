#pragma once
// A database for tests of code that drives one: registers and lists in memory, one transaction at a
// time, so it is strictly serializable. Its connections fail on request.

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "serval/database/database.h"

namespace serval {

struct FakeFailures {
  std::uint64_t lose_every = 0;            // The connection is lost at every n-th commit, which takes effect.
  std::uint64_t abort_every = 0;           // Every n-th commit is refused.
  std::uint64_t refuse_connections = 0;    // The number of connections to refuse after the first ones.
  std::uint64_t first_connections = 100;   // The number of connections that are not refused.
  std::uint32_t nodes = 1, dead_node = 1;  // The dead node accepts no session a second time.
  std::uint64_t hang_at = 0;               // This commit is not answered until it is interrupted.
};

class FakeDatabase final : public Database {
 public:
  explicit FakeDatabase(FakeFailures failures = {}) : failures_(failures) {}

  std::map<std::string, std::string> facts() override { return {{"database", "fake 1.0"}}; }
  void create(const Schema& /*schema*/) override {}
  void drop() override { rows_.clear(); }
  std::unique_ptr<Client> connect(std::uint32_t session) override;
  std::unique_ptr<Client> reconnect(std::uint32_t session, std::uint32_t attempt) override {
    if ((session + attempt) % failures_.nodes == failures_.dead_node) throw DatabaseError("the node is dead");
    return connect(session);
  }

  std::atomic<std::uint64_t> connections = 0, commits = 0;
  std::set<std::int64_t> tags;  // Every tag that was ever written.

 private:
  class FakeClient;
  struct Cell {
    std::int64_t tag = 0;
    std::vector<std::int64_t> list;
  };

  FakeFailures failures_;
  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Cell> rows_;
};

class FakeDatabase::FakeClient final : public Client {
 public:
  explicit FakeClient(FakeDatabase& database) : database_(database) {}
  ~FakeClient() override {
    if (open_) database_.mutex_.unlock();
  }

  void begin() override {
    database_.mutex_.lock();
    open_ = true;
    before_.clear();
  }

  Answer perform(const Request& request) override {
    Cell& cell = database_.rows_[{request.table, request.key}];
    Answer answer;
    answer.rows = {{.key = request.key, .tag = cell.tag}};
    answer.list = cell.list;
    if (only_reads(request.kind)) return answer;
    before_.emplace_back(std::pair(request.table, request.key), cell);
    database_.tags.insert(request.tag);
    if (request.kind == Request::Kind::Append) cell.list.push_back(request.tag);
    cell.tag = request.tag;
    return answer;
  }

  Outcome commit() override {
    const std::uint64_t number = ++database_.commits;
    if (number == database_.failures_.hang_at) {
      interrupted_.wait(false);
      roll_back();
      throw TransactionFailure(FailureCause::ConnectionLost, Outcome::Aborted, "interrupted");
    }
    if (every(database_.failures_.abort_every, number)) {
      roll_back();
      throw TransactionFailure(FailureCause::Serialization, Outcome::Aborted, "refused");
    }
    finish();
    if (every(database_.failures_.lose_every, number))
      throw TransactionFailure(FailureCause::ConnectionLost, Outcome::Indeterminate, "no answer");
    return Outcome::Committed;
  }

  void interrupt() noexcept override {
    interrupted_ = true;
    interrupted_.notify_all();
  }

  void roll_back() override {
    for (auto undo = before_.rbegin(); undo != before_.rend(); ++undo)
      database_.rows_[undo->first] = undo->second;
    finish();
  }

 private:
  static bool every(std::uint64_t n, std::uint64_t number) { return n > 0 && number % n == 0; }
  void finish() {
    open_ = false;
    database_.mutex_.unlock();
  }

  FakeDatabase& database_;
  std::atomic<bool> interrupted_ = false;
  bool open_ = false;
  std::vector<std::pair<std::pair<std::uint32_t, std::uint64_t>, Cell>> before_;
};

inline std::unique_ptr<Client> FakeDatabase::connect(std::uint32_t /*session*/) {
  const std::uint64_t number = ++connections;
  if (number > failures_.first_connections &&
      number <= failures_.first_connections + failures_.refuse_connections)
    throw DatabaseError("the server does not answer");
  return std::make_unique<FakeClient>(*this);
}

}  // namespace serval
