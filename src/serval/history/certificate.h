#pragma once
// What a database is known to have done, in addition to what its clients saw: the order in which the
// versions of a key were installed, and the versions that an operation examined. Recovered from logs and
// snapshots of the database. A verdict that relies on it says so (Emme's version certificate).
//
//   x: T3 T1 T7          KeyOrder{x, {T3, T1, T7}, complete}: after the initial version
//   [pr(place < 5)]      VersionSet: x as T1 left it, y not yet written; or everything visible to a snapshot
//
// Plain data; a history without a certificate has no overhead.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "serval/history/ids.h"

namespace serval {

// The transactions that installed a version of the key, oldest first. If it is incomplete, there may be
// others between them, and a key may have several such chains.
struct KeyOrder {
  KeyId key;
  std::vector<TransactionId> installers;
  bool complete = false;
  friend bool operator==(const KeyOrder&, const KeyOrder&) = default;
};

// The result of PostgreSQL's pg_current_snapshot(), xmin:xmax:xip_list: all transactions below xmin had
// ended, none from xmax on had begun, and of those in between the listed ones were running.
struct TransactionSnapshot {
  std::uint64_t first_running = 0;     // xmin
  std::uint64_t first_future = 0;      // xmax
  std::vector<std::uint64_t> running;  // xip_list, ascending.

  // Parses "10:20:12,15"; nothing if the text has another form.
  static std::optional<TransactionSnapshot> parse(std::string_view text);
  std::string format() const;
  // Whether the writes of that transaction are visible, provided that it committed.
  bool shows(std::uint64_t transaction) const;

  friend bool operator==(const TransactionSnapshot&, const TransactionSnapshot&) = default;
};

// The version of a key that an operation examined, identified by the transaction that installed it;
// none: the initial version.
struct SeenVersion {
  KeyId key;
  TransactionId installer = TransactionId::none();
  friend bool operator==(const SeenVersion&, const SeenVersion&) = default;
};

// The versions that an operation examined: an explicit list (keys that are not listed have their initial
// version), those committed up to a timestamp of the database (TransactionHints::commit_timestamp), or
// those of a snapshot (TransactionHints::server_transaction). Earlier writes of its own transaction are
// always visible in addition.
struct VersionSet {
  std::variant<std::vector<SeenVersion>, std::int64_t, TransactionSnapshot> seen;
  friend bool operator==(const VersionSet&, const VersionSet&) = default;
};

struct Certificate {
  std::vector<KeyOrder> orders;                                  // As they were given.
  std::vector<std::pair<OperationId, VersionSet>> version_sets;  // Sorted by operation, at most one each.
  // The versions of every key were installed in the order of their transactions' commit timestamps.
  bool ordered_by_commit = false;

  bool empty() const noexcept { return orders.empty() && version_sets.empty() && !ordered_by_commit; }
  const VersionSet* version_set(OperationId op) const;  // Null if unknown. O(log sets).
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

}  // namespace serval
