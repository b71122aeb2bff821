#pragma once
// What is known about a transaction as a whole.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace serval {

// According to the server, never inferred from "the call returned". Indeterminate: the response to the
// commit was lost, so the transaction may or may not have taken effect, at any time after its begin.
enum class Outcome : std::uint8_t { Committed, Aborted, Indeterminate };

std::string_view name_of(Outcome outcome);  // "committed", "aborted", "indeterminate"

// Optional facts from the server; absent ones take no space in a history.
struct TransactionHints {
  std::optional<std::int64_t>
      start_timestamp;  // The database's own clock: for its claimed order, not for real time.
  std::optional<std::int64_t> commit_timestamp;
  std::string server_transaction;  // xid, GTID, start_ts, ... as the server formats it.
  std::string snapshot;            // For example PostgreSQL's xmin:xmax:xip.
  std::string node;
  std::string error;  // Why it aborted or became indeterminate.

  void add(const TransactionHints& later);  // Facts of `later` take precedence.
  friend bool operator==(const TransactionHints&, const TransactionHints&) = default;
};

}  // namespace serval
