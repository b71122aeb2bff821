#pragma once
// One connection to a database, as one session uses it: begin, requests one after another, commit or roll
// back. Used by one thread at a time. Nothing is tried again behind the session's back.
//
//   client->begin();
//   const Answer answer = client->perform({.kind = Request::Kind::Read, .key = 7});
//   const Outcome outcome = client->commit();       // What the server said, not that the call returned.

#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "serval/history/transaction.h"
#include "serval/workload/request.h"

namespace serval {

// Why a transaction did not commit, or why nobody knows whether it did.
enum class FailureCause : std::uint8_t {
  Serialization,   // The database could not keep its promise otherwise (40001, 1020, Busy).
  Deadlock,        // Chosen as the victim of one.
  LockTimeout,     // Waited too long for a lock.
  Constraint,      // A unique key or another constraint.
  Unavailable,     // The server refuses for now: starting, read-only, no quorum.
  ConnectionLost,  // The session needs a new connection.
  Other,
};
std::string_view name_of(FailureCause cause);

// Thrown by begin, perform and commit. After it the transaction is over: aborted, where the server said so or
// cannot have heard of a commit; else indeterminate.
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
  virtual Outcome commit() = 0;  // Aborted where the server says that it rolled back.
  virtual void roll_back() = 0;  // Never throws a TransactionFailure: a rollback that is lost is still one.
  // From another thread: whatever the session waits for ends now, as if the connection was lost. Does nothing
  // where the database answers within seconds anyway.
  virtual void interrupt() noexcept {}

  // The transaction's id on the server and the like, where it is free to ask: "server_txn", "node".
  // After commit or roll_back, about the transaction that ended.
  virtual TransactionHints hints() const { return {}; }
  // The commit timestamp of the newest version that the answers saw which "saw the end": after commit.
  virtual std::optional<std::int64_t> seen() const { return std::nullopt; }
};

}  // namespace serval
