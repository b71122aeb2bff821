#pragma once
// One connection to a database, for one session: begin, requests one at a time, commit or roll back. Used
// by one thread at a time. Never retries by itself.
//
//   client->begin();
//   const Answer answer = client->perform({.kind = Request::Kind::Read, .key = 7});
//   const Outcome outcome = client->commit();       // What the server confirmed.

#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "serval/history/transaction.h"
#include "serval/workload/request.h"

namespace serval {

// Why a transaction did not commit, or why its outcome is unknown.
enum class FailureCause : std::uint8_t {
  Serialization,   // The database could not keep its promise otherwise (40001, 1020, Busy).
  Deadlock,        // Chosen as the victim.
  LockTimeout,     // Waited too long for a lock.
  Constraint,      // A unique key or another constraint.
  Unavailable,     // Temporarily: starting, read-only, no quorum.
  ConnectionLost,  // The session needs a new connection.
  Other,
};
std::string_view name_of(FailureCause cause);

// Thrown by begin, perform and commit. The transaction is over: aborted if the server said so or cannot
// have received a commit, else indeterminate.
class TransactionFailure : public std::runtime_error {
 public:
  TransactionFailure(FailureCause cause, Outcome outcome, const std::string& message)
      : std::runtime_error(message), cause_(cause), outcome_(outcome) {}

  FailureCause cause() const noexcept { return cause_; }
  Outcome outcome() const noexcept { return outcome_; }

 private:
  FailureCause cause_;
  Outcome outcome_;
};

class Client {
 public:
  virtual ~Client() = default;

  virtual void begin() = 0;
  virtual Answer perform(const Request& request) = 0;
  virtual Outcome commit() = 0;  // Aborted if the server says that it rolled back.
  virtual void roll_back() = 0;  // Never throws TransactionFailure: a lost rollback still takes effect.
  // From any thread: ends what the session waits for, as if the connection were lost. Does nothing if the
  // database responds within seconds anyway.
  virtual void interrupt() noexcept {}

  // The transaction's id on the server and the like, if available at no cost: "server_txn", "node". Call
  // it after commit or roll_back; refers to the transaction that ended.
  virtual TransactionHints hints() const { return {}; }
  // The commit timestamp of the newest version seen by responses with saw_the_end. Call it after commit.
  virtual std::optional<std::int64_t> seen() const { return std::nullopt; }
};

}  // namespace serval
