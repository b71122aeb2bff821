#pragma once
// A connection that runs prepared statements: what a driver of an SQL database adds to what they share
// (sql_client.h).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "serval/database/client.h"
#include "serval/database/sql/statements.h"

namespace serval::sql {

struct Result {
  std::size_t rows = 0;
  std::vector<std::int64_t> cells;  // Row after row.
  std::string text;
  std::uint64_t changed = 0;               // Rows written, as the server counts them: those that matched.
  std::optional<std::uint64_t> differing;  // Of these, where the server tells: those that are different now.
  // Of a statement by predicate, where a certificate is asked for (Answer).
  std::string snapshot;
  std::optional<std::int64_t> timestamp;
  bool saw_the_end = false;
};

// Failures are TransactionFailures, as of a Client. After one the transaction may still be open: roll_back().
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void begin() = 0;
  virtual Result run(const Statement& statement, std::span<const std::int64_t> parameters) = 0;
  virtual Outcome commit() = 0;
  virtual void roll_back() noexcept = 0;  // Also of a transaction that is lost already.
  virtual void interrupt() noexcept {}    // As of a Client.
  virtual TransactionHints hints() const { return {}; }
  virtual std::optional<std::int64_t> seen() const { return std::nullopt; }  // As of a Client.
};

}  // namespace serval::sql
