#pragma once
// One thing that a client asked of the database and heard from it, as the pipeline hands it to a verifier
// while the load runs (Leopard, section IV-B: "trace"). 64 bytes and trivially copyable; rows, texts and
// predicates belong to the RecordBatch that carries the record, so whoever keeps something copies it.
//
//   for (const Record& record : records)                   // In non-decreasing order of time.begin.
//     if (record.kind == RecordKind::Operation)
//       for (const RecordRow& row : record.cells()) use(record.operation, row.key, row.column, row.value);
//
// What a stream of records keeps:
//   R1  records come in non-decreasing order of time.begin; those of one session in program order, which is
//       the only order within a session that counts: with a clock error, intervals of one session overlap;
//   R2  a transaction begins with its first record (a Begin where the source has one) and ends with one
//       Commit, Abort or Indeterminate; its number is not used for another;
//   R3  Initial records come before all others.
//
// Safe to read from any thread; they are constant once dispatched.

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "serval/history/operation.h"
#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

// A value as spelled by the client, in 16 bytes. Integers of 64 bits are exact, all else is text of the
// batch: two values are equal exactly when kind and content are.
struct TraceValue {
  enum class Kind : std::uint8_t {
    Nil,      // No row, no value.
    Unknown,  // Asked, but the answer never arrived.
    Integer,
    Number,  // What 64 bits do not hold, by its decimal spelling.
    Text,
    Boolean,
    Row,   // A whole row, by its canonical JSON.
    List,  // By a spelling that no other list has.
  };

  union {
    std::int64_t integer = 0;  // Integer, Boolean.
    const char* characters;    // Number, Text, Row, List.
  };
  std::uint32_t size = 0;
  Kind kind = Kind::Nil;

  static TraceValue unknown() { return of_integer(Kind::Unknown, 0); }
  static TraceValue of(std::int64_t number) { return of_integer(Kind::Integer, number); }
  static TraceValue of(bool truth) { return of_integer(Kind::Boolean, truth ? 1 : 0); }
  static TraceValue of(Kind kind, std::string_view text) {
    TraceValue value;
    value.characters = text.data();
    value.size = static_cast<std::uint32_t>(text.size());
    value.kind = kind;
    return value;
  }

  bool is_nil() const { return kind == Kind::Nil; }
  bool is_unknown() const { return kind == Kind::Unknown; }
  bool is_integer() const { return kind == Kind::Integer; }
  bool has_text() const { return kind != Kind::Boolean && kind >= Kind::Number; }
  std::string_view text() const { return {characters, size}; }  // Requires has_text().

  friend bool operator==(const TraceValue& a, const TraceValue& b) {
    if (a.kind != b.kind) return false;
    return a.has_text() ? a.text() == b.text() : a.integer == b.integer;
  }

 private:
  static TraceValue of_integer(Kind kind, std::int64_t number) {
    TraceValue value;
    value.integer = number;
    value.kind = kind;
    return value;
  }
};

// A row, or one column of it. Sources that show whole rows (or one value a key) leave `column` empty;
// those that show some of the columns give one RecordRow a column, those of one key behind each other.
//
//   {"orders/5", 7}                                   the row of key orders/5, known by the value 7
//   {"table0/5", "2", "a"}, {"table0/5", "3", "b"}    two columns of the row table0/5; others were not seen
//
// Keys of tables are spelled table/key, as in the native format, and columns in predicates table.column.
struct RecordRow {
  TraceValue key;
  TraceValue value;         // Nil: no such row, or deleted.
  std::string_view column;  // Empty: the whole row.
};

// A predicate with the pool of its literals, which query_of (predicate/query.h) takes apart.
struct TracePredicate {
  Predicate tree;
  const ValuePool* literals = nullptr;
};

enum class RecordKind : std::uint8_t {
  Initial,        // What was there before the first transaction, see below; no transaction, no time.
  Begin,          // The transaction's start. `isolation` may say at which level.
  Operation,      // `operation` says which.
  Commit,         // The server said so. time: from the call, or the last answer before it, to the answer.
  Abort,          // Likewise; also a statement whose failure ended the transaction.
  Indeterminate,  // The answer never came. time.end is unknown: it may have committed at any time since.
  Heartbeat,      // Nothing happened: no record that comes later begins before time.begin. No session.
};

enum class LockMode : std::uint8_t { None, Shared, Exclusive };

// Initial records: before anything was written,
//
//   {"x", 7}            x held 7, and nothing else;
//   {nil, 0}            every key that no other Initial row names held 0, or nothing at all ("initial":0 of
//                       native files);
//   {nil, unknown}      it held nobody knows what: the first read of it tells;
//   no Initial at all   every key held nothing.

// How the source says that a read was done. Unstated: the profile of the database knows.
enum class ReadMode : std::uint8_t { Unstated, Consistent, Locking, Uncommitted };

// What a transaction asked for. Unstated: one level holds for the whole run.
enum class StatedLevel : std::uint8_t {
  Unstated,
  ReadUncommitted,
  ReadCommitted,
  RepeatableRead,
  Serializable,
};

struct Record {
  static constexpr std::uint32_t kNoSession = 0xFFFFFFFFu;
  static constexpr std::uint64_t kNoTransaction = 0;
  static constexpr std::int32_t kUnstated = -1;

  RecordKind kind = RecordKind::Operation;
  OperationKind operation = OperationKind::Read;  // Of RecordKind::Operation.
  // Of an operation: what the statement asked for by itself (FOR UPDATE, LOCK IN SHARE MODE) or what the
  // source states. What writes and the level imply, the profile of the database knows.
  LockMode lock = LockMode::None;
  ReadMode read_mode = ReadMode::Unstated;
  std::uint32_t session = kNoSession;          // Dense from 0.
  std::uint64_t transaction = kNoTransaction;  // From 1.
  Interval time;

  // Read, write, insert, delete, append: one row (or its columns). InsertMiss: the row that was there.
  // CompareAndSet: the row expected, then the row written; CompareAndSetMiss: expected, then found.
  // Predicate operations: the rows returned, written or deleted. Initial: the rows. Begin: nothing, or
  // one row that names session (key) and transaction (value) as their source does.
  const RecordRow* rows = nullptr;
  // Of predicate operations; null: not recorded, or not understood. Then any row may match.
  const TracePredicate* predicate = nullptr;
  std::uint32_t row_count = 0;
  std::int32_t rows_matched = kUnstated;  // The server's answer; matched and changed are two numbers.
  std::int32_t rows_changed = kUnstated;
  StatedLevel isolation = StatedLevel::Unstated;  // Of Begin.
  bool consistent_snapshot = false;               // Of Begin: WITH CONSISTENT SNAPSHOT.
  bool read_only = false;                         // Of Begin.

  std::span<const RecordRow> cells() const { return {rows, row_count}; }
};

static_assert(sizeof(Record) == 64 && std::is_trivially_copyable_v<Record>);
static_assert(sizeof(TraceValue) == 16 && std::is_trivially_copyable_v<RecordRow>);

constexpr bool ends_transaction(RecordKind kind) {
  return kind == RecordKind::Commit || kind == RecordKind::Abort || kind == RecordKind::Indeterminate;
}

}  // namespace serval
