#pragma once
// A request of a client and its response, as the pipeline passes it to a verifier during the run
// (Leopard, section IV-A: "trace"). 64 bytes and trivially copyable. Rows, texts and predicates belong to
// the RecordBatch of the record, so copy what must outlive it.
//
//   for (const Record& record : records)                   // In non-decreasing order of time.begin.
//     if (record.kind == RecordKind::Operation)
//       for (const RecordRow& row : record.cells()) use(record.operation, row.key, row.column, row.value);
//
// Guarantees of a stream of records:
//   R1  records are in non-decreasing order of time.begin; those of one session are in program order,
//       which is the only order within a session that counts, since a clock error makes its intervals
//       overlap;
//   R2  a transaction begins with its first record (a Begin if the source has one) and ends with one
//       Commit, Abort or Indeterminate; its number is not reused;
//   R3  Initial records come before all others.
//
// Dispatched records are constant and can be read from any thread.

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "serval/history/operation.h"
#include "serval/history/predicate.h"
#include "serval/history/value.h"

namespace serval {

// A value as the client wrote it, in 16 bytes. Integers of 64 bits are exact; everything else is text in
// the batch. Two values are equal if and only if their kinds and contents are.
struct TraceValue {
  enum class Kind : std::uint8_t {
    Nil,      // No row, no value.
    Unknown,  // Invoked, but never completed.
    Integer,
    Number,  // A number beyond 64-bit integers, as decimal text.
    Text,
    Boolean,
    Row,   // A whole row, by its canonical JSON.
    List,  // As unique text.
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

// A row, or one column of it. Sources with whole rows (or one value per key) leave `column` empty.
// Sources with some of the columns give one RecordRow per column; those of one key are adjacent.
//
//   {"orders/5", 7}                                   the row of key orders/5, known by the value 7
//   {"table0/5", "2", "a"}, {"table0/5", "3", "b"}    two columns of the row table0/5; others were not seen
//
// Keys of tables are written table/key, as in the native format, and columns in predicates table.column.
struct RecordRow {
  TraceValue key;
  TraceValue value;         // Nil: no such row, or deleted.
  std::string_view column;  // Empty: the whole row.
};

// A predicate with the pool of its literals; query_of (predicate/query.h) analyses it.
struct TracePredicate {
  Predicate tree;
  const ValuePool* literals = nullptr;
};

enum class RecordKind : std::uint8_t {
  Initial,    // The state before the first transaction, see below; no transaction, no time.
  Begin,      // The transaction's start. `isolation` may say at which level.
  Operation,  // `operation` says which.
  Commit,     // Confirmed. time: from the invocation, or the last completion before it, to the completion.
  Abort,      // Likewise; also for a statement whose failure ended the transaction.
  Indeterminate,  // Never completed. time.end is unknown: it may have committed at any time since.
  Heartbeat,      // No later record begins before time.begin. No session.
};

// Initial records: before anything was written,
//
//   {"x", 7}            x held 7, and nothing else;
//   {nil, 0}            every key that no other Initial row names held 0, or nothing at all ("initial":0 of
//                       native files);
//   {nil, unknown}      its value was unknown: the first read shows it;
//   no Initial at all   every key held nothing.

// The level that a transaction requested. Unstated: the level of the whole run.
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
  OperationKind operation = OperationKind::Read;  // For RecordKind::Operation.
  // For an operation: a lock that the statement requests (FOR UPDATE, LOCK IN SHARE MODE) or that the
  // source states. Locks implied by writes and the level follow from the profile of the database.
  LockMode lock = LockMode::None;
  ReadMode read_mode = ReadMode::Unstated;
  std::uint32_t session = kNoSession;          // Dense from 0.
  std::uint64_t transaction = kNoTransaction;  // From 1.
  Interval time;

  // Read, write, insert, delete, append: one row (or its columns). InsertMiss: the existing row.
  // CompareAndSet: the row expected, then the row written; CompareAndSetMiss: expected, then found.
  // Predicate operations: the rows returned, written or deleted. Initial: the rows. Begin: nothing, or
  // one row with the source's names of the session (key) and the transaction (value).
  const RecordRow* rows = nullptr;
  // For predicate operations; null: not recorded or not supported. Then any row may match.
  const TracePredicate* predicate = nullptr;
  std::uint32_t row_count = 0;
  std::int32_t rows_matched =
      kUnstated;  // Reported by the server; the numbers of matched and changed rows may differ.
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
