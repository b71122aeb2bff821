#pragma once
// A connection that runs prepared statements. Each SQL driver implements it; sql_client.h has the shared
// part.

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
  std::uint64_t changed = 0;               // Rows that matched, by the server's count.
  std::optional<std::uint64_t> differing;  // Rows that actually changed, if the server reports it.
  // For a statement by predicate, if a certificate is requested (Answer).
  std::string snapshot;
  std::optional<std::int64_t> timestamp;
  bool saw_the_end = false;
};

// Throws TransactionFailure, like a Client. After that the transaction may still be open: call
// roll_back().
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void begin() = 0;
  virtual Result run(const Statement& statement, std::span<const std::int64_t> parameters) = 0;
  virtual Outcome commit() = 0;
  virtual void roll_back() noexcept = 0;  // Also after the transaction was lost.
  virtual void interrupt() noexcept {}    // As of a Client.
  virtual TransactionHints hints() const { return {}; }
  virtual std::optional<std::int64_t> seen() const { return std::nullopt; }  // As of a Client.
};

}  // namespace serval::sql
