#pragma once
// TiDB's certificate. NOT RUN LIVE: written from the documentation (system variables of versions 4.0 to
// 8.1) and tested only against its examples.
//
// A transaction reads as of its start timestamp (@@tidb_current_ts). Its versions are ordered by commit
// timestamp, which @@tidb_last_txn_info shows after the commit:
//
//   {"txn_scope":"global","start_ts":408,"commit_ts":409}
//
// So the sessions record everything. Locking statements see newer versions, as of an unknown time.

#include <cstdint>
#include <optional>
#include <string_view>

namespace serval::mariadb {

// The commit timestamp in the value of @@tidb_last_txn_info. None if the transaction wrote nothing, or if
// it is not the one that started at `start`.
std::optional<std::int64_t> commit_timestamp_of(std::string_view last_transaction, std::int64_t start);

}  // namespace serval::mariadb
