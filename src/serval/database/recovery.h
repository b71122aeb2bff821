#pragma once
// What the log of a database says of a run: which transactions committed, in which order, and which rows each
// of them left behind. One implementation a database, in recover_*.{h,cpp} of its folder;
// docs/certificates.md says where each takes it from.
//
//   const std::unique_ptr<Recovery> recovery = database->recover();     // Before the run.
//   ...
//   CertificateLines lines(schema, recorder.ledger());
//   recovery->read([&](const LoggedTransaction& logged) { lines.add(logged); });

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace serval {

struct LoggedRow {
  std::uint32_t table = 0;
  std::uint64_t key = 0;
  std::optional<std::int64_t> tag;  // None where the row is gone, or is a list.
};

struct LoggedTransaction {
  std::string id;  // As TransactionHints::server_transaction has it.
  std::optional<std::int64_t> commit_timestamp;
  std::vector<LoggedRow> rows;  // In the order in which they were written.
};

class Recovery {
 public:
  // How the order of versions is known: from the log, or because every session has told the commit timestamp
  // of its transactions, and versions came about in that order.
  enum class Order : std::uint8_t { Logged, CommitTimestamps };

  virtual ~Recovery() = default;  // Takes back whatever the server keeps for it.
  // Hands over the transactions that committed and wrote to the tables of the run, in the order of their
  // commits. When the sessions have ended; once. Throws DatabaseError.
  virtual void read(const std::function<void(const LoggedTransaction&)>& found) = 0;
  virtual Order order() const { return Order::Logged; }
};

}  // namespace serval
