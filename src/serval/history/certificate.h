#pragma once
// What a database is known to have done, beside what its clients saw: the order in which the versions of a
// key came about, and the versions that an operation looked at. Recovered from logs and snapshots of the
// database; a checker may rely on it, and says so (Emme's version certificate).
//
//   x: T3 T1 T7          KeyOrder{x, {T3, T1, T7}, complete}: after the initial version
//   [pr(place < 5)]      VersionSet: x as T1 left it, y not yet written; or all that a snapshot shows
//
// Plain data; a history without a certificate pays nothing for it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "serval/history/ids.h"

namespace serval {

// The transactions that left a version of the key behind, oldest first. Incomplete: others may lie between
// them; a key may then have several such chains.
struct KeyOrder {
  KeyId key;
  std::vector<TransactionId> installers;
  bool complete = false;
  friend bool operator==(const KeyOrder&, const KeyOrder&) = default;
};

// What PostgreSQL's pg_current_snapshot() says, xmin:xmax:xip_list: all transactions below xmin had ended,
// none from xmax on had begun, and of those between the listed ones were under way.
struct TransactionSnapshot {
  std::uint64_t first_running = 0;     // xmin
  std::uint64_t first_future = 0;      // xmax
  std::vector<std::uint64_t> running;  // xip_list, ascending.

  // "10:20:12,15". Nothing where it is no such text.
  static std::optional<TransactionSnapshot> parse(std::string_view text);
  std::string format() const;
  // Whether it shows what that transaction wrote, if that committed.
  bool shows(std::uint64_t transaction) const;

  friend bool operator==(const TransactionSnapshot&, const TransactionSnapshot&) = default;
};

// The version of a key that an operation looked at, by the transaction that installed it; none: the initial
// version.
struct SeenVersion {
  KeyId key;
  TransactionId installer = TransactionId::none();
  friend bool operator==(const SeenVersion&, const SeenVersion&) = default;
};

// The versions that an operation looked at: one by one (of keys that are not listed the initial one), those
// that had committed up to a timestamp of the database (TransactionHints::commit_timestamp), or those of a
// snapshot (TransactionHints::server_transaction). What its own transaction wrote before it counts on top.
struct VersionSet {
  std::variant<std::vector<SeenVersion>, std::int64_t, TransactionSnapshot> seen;
  friend bool operator==(const VersionSet&, const VersionSet&) = default;
};

struct Certificate {
  std::vector<KeyOrder> orders;                                  // As they were given.
  std::vector<std::pair<OperationId, VersionSet>> version_sets;  // By operation, one at most.
  // The versions of every key came about in the order of their transactions' commit timestamps.
  bool ordered_by_commit = false;

  bool empty() const noexcept { return orders.empty() && version_sets.empty() && !ordered_by_commit; }
  const VersionSet* version_set(OperationId op) const;  // Null where none is known. O(log sets).
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

}  // namespace serval
