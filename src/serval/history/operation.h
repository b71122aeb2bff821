#pragma once
// One operation of a transaction: the request, and the response of the database.

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "serval/history/ids.h"
#include "serval/history/value.h"

namespace serval {

// Nanoseconds of one monotonic clock. Real-time order needs a.end < b.begin, strictly; equal times order
// nothing:
//
//   a: [0, 5]  b: [5, 9]     within tick 5, a's response and b's request may have come in either order.
//
// An unknown begin is the earliest time and an unknown end the latest, so neither orders anything.
using Time = std::int64_t;
inline constexpr Time kUnknownBegin = std::numeric_limits<Time>::min();
inline constexpr Time kUnknownEnd = std::numeric_limits<Time>::max();

struct Interval {
  Time begin = kUnknownBegin;
  Time end = kUnknownEnd;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// `value` is the value read or written. A "Miss" is a conditional operation whose condition failed: it
// changed nothing and is a read of `value`, the state that the database reported.
enum class OperationKind : std::uint8_t {
  Read,
  Write,
  Append,             // Adds `value` to the list at the key.
  ReadList,           // `value` is a list, or nil for the empty initial list.
  Insert,             // Insert if absent, applied: read nil, wrote `value`.
  InsertMiss,         // Insert if absent, refused: read `value`.
  Delete,             // The key's row is gone; a later insert of the same key creates a new object.
  CompareAndSet,      // Applied: read `expected`, wrote `value`.
  CompareAndSetMiss,  // Refused: expected `expected`, read `value`.
  PredicateRead,      // `predicate` and the rows it returned.
  PredicateUpdate,    // `predicate` and the rows it wrote.
  PredicateDelete,    // `predicate` and the keys it deleted (values are nil).
};

// The lower-case name used by the native formats: read, write, append, read-list, insert, insert-miss,
// ...
std::string_view name_of(OperationKind kind);

constexpr bool is_predicate(OperationKind kind) { return kind >= OperationKind::PredicateRead; }
constexpr bool is_conditional(OperationKind kind) {
  return kind == OperationKind::CompareAndSet || kind == OperationKind::CompareAndSetMiss;
}

// A lock that a statement requested.
enum class LockMode : std::uint8_t { None, Shared, Exclusive };
// How a statement read, if the source states it. Unstated: by the profile of the database.
enum class ReadMode : std::uint8_t { Unstated, Consistent, Locking, Uncommitted };

// Whether `value` is what it writes or, to a list, appends.
constexpr bool writes_value(OperationKind kind) {
  return kind == OperationKind::Write || kind == OperationKind::Append || kind == OperationKind::Insert ||
         kind == OperationKind::CompareAndSet;
}

struct Row {
  KeyId key;
  Value value;
  friend bool operator==(const Row&, const Row&) = default;
};

// An operation as passed to a HistoryBuilder and returned by History::operation(id). A history stores it
// in columns; rarely used members cost nothing if no operation has them.
struct Operation {
  OperationKind kind = OperationKind::Read;
  KeyId key = KeyId::none();  // None for predicate operations.
  Value value;                // Nil for deletes and predicate operations, except aggregates: their result.
  Value expected;             // CompareAndSet and CompareAndSetMiss only.
  Interval time;
  PredicateId predicate = PredicateId::none();  // Predicate operations only.
  std::vector<Row> rows;                        // Predicate operations only.
  // Hint: the version that, according to the database, was read or installed.
  std::optional<std::int64_t> version;
  // As reported by the server, which distinguishes matched from changed.
  std::optional<std::int64_t> rows_matched;
  std::optional<std::int64_t> rows_changed;
  friend bool operator==(const Operation&, const Operation&) = default;
};

}  // namespace serval
