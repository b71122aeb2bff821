#pragma once
// TiDB's certificate. NOT RUN LIVE: written to its documentation (system variables of versions 4.0 to 8.1),
// tested on its words only.
//
// A transaction reads as of its start timestamp (@@tidb_current_ts), and its versions take their place in the
// order of commit timestamps, which @@tidb_last_txn_info tells after the commit:
//
//   {"txn_scope":"global","start_ts":408,"commit_ts":409}
//
// So sessions tell all there is. Statements that lock look at newer versions at a time that nobody tells.

#include <optional>
#include <string_view>

#include "serval/database/recovery.h"

namespace serval::mariadb {

// The commit timestamp in what @@tidb_last_txn_info says. None where the transaction wrote nothing, or for
// another transaction than the one that started at `start`.
std::optional<std::int64_t> commit_timestamp_of(std::string_view last_transaction, std::int64_t start);

class TidbRecovery final : public Recovery {
 public:
  void read(const std::function<void(const LoggedTransaction&)>&) override {}
  Order order() const override { return Order::CommitTimestamps; }
};

}  // namespace serval::mariadb
