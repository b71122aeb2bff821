#pragma once
// CockroachDB's certificate. NOT RUN LIVE: written from the documentation and the source of versions 22.1
// to 24.1, and tested against a scripted server (tests/cli/scripted) that answers as they say.
//
// A serializable transaction reads and writes as of one time, its commit timestamp.
// cluster_logical_timestamp(), queried in the same message as the commit, returns it. It orders versions,
// and every range saw what committed before it. A changefeed over the run shows the rows of every commit
// and settles indeterminate transactions. If changefeeds are turned off (kv.rangefeed.enabled), versions
// are ordered by the timestamps that the sessions recorded, and the newest row of each key settles the
// transaction that wrote it: its commit timestamp is in the hidden column crdb_internal_mvcc_timestamp.

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
  // The columns of a message: table, key, value; the last two are bytes, which text shows as "\\x5b355d".
  // Returns the time up to which everything has arrived, if the message says so. Throws DatabaseError for
  // a malformed message.
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
  Order order() const override { return order_; }
  std::int64_t origin() const noexcept { return origin_; }

 private:
  void read_feed(const std::function<void(const LoggedTransaction&)>& found);
  void read_newest_rows(const std::function<void(const LoggedTransaction&)>& found);

  ConnectionOptions options_;
  Schema schema_;
  std::string start_;
  std::int64_t origin_ = 0;
  Order order_ = Order::Logged;
};

}  // namespace serval::postgres
