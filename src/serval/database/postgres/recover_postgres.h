#pragma once
// PostgreSQL's certificate: the commit order and the rows written, by logical decoding of the write-ahead
// log (plugin test_decoding). The sessions themselves record what every operation saw
// (postgres_connection.h: txid_current_snapshot()).
//
//   PostgresRecovery recovery(options, schema);        // Creates a replication slot.
//
// The slot is temporary and disappears with its connection. PostgreSQL before 10 has no temporary slots;
// there the destructor drops it. Needs wal_level=logical and a user with REPLICATION.

#include <memory>
#include <string>

#include "serval/database/postgres/postgres_connection.h"
#include "serval/database/recovery.h"

namespace serval::postgres {

// Parses the lines of test_decoding: "BEGIN 735", "table public.serval_pieces: INSERT: k[bigint]:5
// tag[bigint]:17", "COMMIT 735".
class DecodedLines {
 public:
  // `near`: a transaction id of the run, to complete the 32 bits that are decoded.
  DecodedLines(const Schema& schema, std::uint64_t near);
  // Returns whether a transaction that wrote to the tables is complete: transaction(). Throws
  // DatabaseError for a malformed line.
  bool add(std::string_view line);
  const LoggedTransaction& transaction() const noexcept { return transaction_; }

 private:
  void begin(std::string_view id);
  void row(std::string_view line);

  std::vector<std::string> tables_;
  std::uint64_t near_;
  LoggedTransaction transaction_;
};

class PostgresRecovery final : public Recovery {
 public:
  PostgresRecovery(const ConnectionOptions& options, Schema schema);
  ~PostgresRecovery() override;
  PostgresRecovery(const PostgresRecovery&) = delete;
  PostgresRecovery& operator=(const PostgresRecovery&) = delete;

  void read(const std::function<void(const LoggedTransaction&)>& found) override;

 private:
  void wait_for_writers();

  Schema schema_;
  PostgresConnection connection_;
  std::string slot_;
  bool temporary_;
  std::uint64_t near_ = 0;
};

}  // namespace serval::postgres
