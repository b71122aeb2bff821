#pragma once
// TiDB's certificate. NOT RUN LIVE: written from the documentation and the source of TiDB (versions 4.0 to
// 8.5), and tested against a scripted server (tests/cli/scripted) that answers as they say.
//
// Versions are ordered by commit timestamp, which @@tidb_last_txn_info shows after the commit. Statements
// of an optimistic transaction, and plain reads of a pessimistic one, read as of its start timestamp
// (@@tidb_current_ts). Statements of a pessimistic transaction that lock read as of their for_update_ts,
// which @@tidb_last_query_info shows; so does every statement at read committed:
//
//   {"txn_scope":"global","start_ts":408,"for_update_ts":411}          -- after update ... where k < 5
//   {"txn_scope":"global","start_ts":408,"commit_ts":412}              -- after commit
//
// So the sessions record everything, except the outcome of a commit that was not answered. The store still
// has it, as long as a row exists that the transaction wrote:
//
//   select tidb_mvcc_info(tidb_encode_record_key(database(), 'serval_pieces', k)) from serval_pieces
//   [{"key":"...","mvcc":{"info":{"writes":[{"start_ts":408,"commit_ts":412,"short_value":"MA=="}]}}}]

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "serval/database/mariadb/mariadb_connection.h"
#include "serval/database/recovery.h"

namespace serval::mariadb {

// The commit timestamp in the value of @@tidb_last_txn_info. None if the transaction wrote nothing, or if
// it is not the one that started at `start`.
std::optional<std::int64_t> commit_timestamp_of(std::string_view last_transaction, std::int64_t start);

// The timestamp as of which the last statement read, from the value of @@tidb_last_query_info. None if
// the statement failed or belongs to another transaction.
std::optional<std::int64_t> read_timestamp_of(std::string_view last_query, std::int64_t start);

// Adds the commit timestamp of every transaction that wrote the row, by start timestamp, from the result
// of TIDB_MVCC_INFO. Skips those that started before `since`. Throws DatabaseError for malformed text.
void add_commits(std::string_view mvcc_info, std::int64_t since, std::map<std::int64_t, std::int64_t>& into);

class TidbRecovery final : public Recovery {
 public:
  TidbRecovery(ConnectionOptions options, Schema schema);  // Throws DatabaseError.
  // Finds nothing if the server lacks the functions (older versions) or refuses them (they need SUPER).
  void read(const std::function<void(const LoggedTransaction&)>& found) override;
  Order order() const override { return Order::CommitTimestamps; }

 private:
  ConnectionOptions options_;
  Schema schema_;
  std::int64_t start_ = 0;
};

}  // namespace serval::mariadb
