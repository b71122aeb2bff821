#pragma once
// CockroachDB's certificate. NOT RUN LIVE: written to the documentation of versions 22.1 to 24.1, tested on
// its words only.
//
// A serializable transaction reads and writes as of one time, its commit timestamp, which
// cluster_logical_timestamp() tells: asked in the same message as the commit, it is the order of versions,
// and what every range saw is whatever committed before it. A changefeed from the beginning of the run to its
// end tells the rows of every commit, and settles what became of indeterminate transactions.

#include <map>
#include <string>
#include <string_view>

#include "serval/database/postgres/postgres_connection.h"
#include "serval/database/recovery.h"

namespace serval::postgres {

// "1700000000000000123.0000000002": nanoseconds and a counter, as one number that grows with both. `origin`:
// the nanoseconds of a time before the run. Throws DatabaseError.
std::int64_t logical_timestamp(std::string_view decimal, std::int64_t origin);
std::int64_t origin_of(std::string_view decimal);

// What a changefeed with the options "updated" and "resolved" says, message by message.
class ChangefeedRows {
 public:
  ChangefeedRows(const Schema& schema, std::int64_t origin);
  // The columns of a message: table, key, value. Returns the time up to which all has come, where it says so.
  // Throws DatabaseError for what is not understood.
  std::optional<std::int64_t> add(std::string_view table, std::string_view key, std::string_view value);
  // By commit timestamp; a row may come twice, and counts once.
  const std::map<std::int64_t, LoggedTransaction>& transactions() const noexcept { return transactions_; }

 private:
  std::vector<std::string> tables_;
  std::int64_t origin_;
  std::map<std::int64_t, LoggedTransaction> transactions_;
};

class CockroachRecovery final : public Recovery {
 public:
  CockroachRecovery(ConnectionOptions options, Schema schema);
  void read(const std::function<void(const LoggedTransaction&)>& found) override;
  std::int64_t origin() const noexcept { return origin_; }

 private:
  ConnectionOptions options_;
  Schema schema_;
  std::string start_;
  std::int64_t origin_ = 0;
};

}  // namespace serval::postgres
