#pragma once
// PostgreSQL's certificate: the order of commits and the rows they left, by logical decoding of its
// write-ahead log (plugin test_decoding). What every operation looked at is told by the sessions themselves
// (postgres_connection.h: txid_current_snapshot()), so that nothing is asked twice.
//
//   PostgresRecovery recovery(options, schema);        // Makes a replication slot.
//
// The slot is temporary: it goes with its connection, however that ends; before PostgreSQL 10, which has no
// such slots, the destructor drops it. Needs wal_level=logical and a user with REPLICATION.

#include <memory>
#include <string>

#include "serval/database/postgres/postgres_connection.h"
#include "serval/database/recovery.h"

namespace serval::postgres {

// "BEGIN 735", "table public.serval_pieces: INSERT: k[bigint]:5 tag[bigint]:17", "COMMIT 735": what
// test_decoding says, line by line.
class DecodedLines {
 public:
  // `near`: a transaction id of the run, to complete the 32 bits that are decoded.
  DecodedLines(const Schema& schema, std::uint64_t near);
  // Whether a transaction that wrote to the tables is complete: transaction(). Throws DatabaseError for what
  // is not understood.
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
