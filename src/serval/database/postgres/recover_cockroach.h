#pragma once
// CockroachDB's certificate. NOT RUN LIVE: written from the documentation of versions 22.1 to 24.1 and
// tested only against its examples.
//
// A serializable transaction reads and writes as of one time, its commit timestamp.
// cluster_logical_timestamp(), queried in the same message as the commit, returns it. It orders versions,
// and every range saw what committed before it. A changefeed over the run shows the rows of every commit
// and settles indeterminate transactions.

#include <map>
#include <string>
#include <string_view>

#include "serval/database/postgres/postgres_connection.h"
#include "serval/database/recovery.h"

namespace serval::postgres {

// Converts "1700000000000000123.0000000002", nanoseconds and a counter, to one monotonic number. `origin`
// is a time before the run in nanoseconds. Throws DatabaseError.
std::int64_t logical_timestamp(std::string_view decimal, std::int64_t origin);
std::int64_t origin_of(std::string_view decimal);

// Parses the messages of a changefeed with the options "updated" and "resolved".
class ChangefeedRows {
 public:
  ChangefeedRows(const Schema& schema, std::int64_t origin);
  // The columns of a message: table, key, value. Returns the time up to which everything has arrived, if
  // the message says so. Throws DatabaseError for a malformed message.
  std::optional<std::int64_t> add(std::string_view table, std::string_view key, std::string_view value);
  // By commit timestamp. A row that arrives twice counts once.
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
