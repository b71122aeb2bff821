#pragma once
// Reads from the log of a database which transactions of a run committed, in which order, and which rows
// each of them wrote. One implementation per database, in recover_*.{h,cpp} of its folder;
// docs/certificates.md describes their sources.
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
  std::optional<std::int64_t> tag;  // None if the row was deleted or is a list.
};

struct LoggedTransaction {
  std::string id;  // As in TransactionHints::server_transaction.
  std::optional<std::int64_t> commit_timestamp;
  std::vector<LoggedRow> rows;  // In the order of the writes.
};

class Recovery {
 public:
  // Where the version order comes from: the log, or the commit timestamps that the sessions recorded; then
  // what read() finds settles transactions, but may be only a part. Ask after read().
  enum class Order : std::uint8_t { Logged, CommitTimestamps };

  virtual ~Recovery() = default;  // Releases what the server keeps for it.
  // Passes on the committed transactions that wrote to the tables of the run, in commit order. Call it
  // once, when the sessions have ended. Throws DatabaseError.
  virtual void read(const std::function<void(const LoggedTransaction&)>& found) = 0;
  virtual Order order() const { return Order::Logged; }
};

// For databases whose sessions record the commit timestamps: nothing is left to read.
class RecordedBySessions final : public Recovery {
 public:
  void read(const std::function<void(const LoggedTransaction&)>&) override {}
  Order order() const override { return Order::CommitTimestamps; }
};

}  // namespace serval
