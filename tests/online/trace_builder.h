#pragma once
// Small traces for tests: each call adds one record; times are [begin, end]. Sessions are transactions,
// unless stated otherwise.
//
//   TraceBuilder trace;
//   trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
//   trace.read(2, "x", 1, {50, 60}).commit(2, {70, 80});
//   trace.verify("postgres:read-committed").violated()

#include <algorithm>
#include <string_view>
#include <vector>

#include "serval/base/contract.h"
#include "serval/online/online_verifier.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/stream/record_batch.h"

namespace serval::online {

class TraceBuilder {
 public:
  struct Cell {
    std::string_view key;
    std::int64_t value;
    std::string_view column = {};
  };
  static constexpr std::int64_t kNil = -1;  // No row.

  TraceBuilder& initial(std::string_view key, std::int64_t value, std::string_view column = {}) {
    Record& record = add(RecordKind::Initial, 0, {kUnknownBegin, kUnknownBegin});
    return rows(record, {{key, value, column}});
  }
  TraceBuilder& unknown_initial() {
    Record& record = add(RecordKind::Initial, 0, {kUnknownBegin, kUnknownBegin});
    batch_.set_rows(record, {{.key = {}, .value = TraceValue::unknown()}});
    return *this;
  }
  TraceBuilder& begin(std::uint64_t t, Interval time, StatedLevel level = StatedLevel::Unstated) {
    add(RecordKind::Begin, t, time).isolation = level;
    return *this;
  }
  TraceBuilder& read(std::uint64_t t, std::string_view key, std::int64_t value, Interval time,
                     LockMode lock = LockMode::None) {
    return operation(t, OperationKind::Read, {{key, value}}, time, lock);
  }
  TraceBuilder& write(std::uint64_t t, std::string_view key, std::int64_t value, Interval time) {
    return operation(t, OperationKind::Write, {{key, value}}, time);
  }
  TraceBuilder& remove(std::uint64_t t, std::string_view key, Interval time) {
    return operation(t, OperationKind::Delete, {{key, kNil}}, time);
  }
  TraceBuilder& operation(std::uint64_t t, OperationKind kind, std::vector<Cell> cells, Interval time,
                          LockMode lock = LockMode::None) {
    Record& record = add(RecordKind::Operation, t, time);
    record.operation = kind;
    record.lock = lock;
    return rows(record, cells);
  }
  // Sets the row counts that the server reported for the last operation.
  TraceBuilder& matched(std::int32_t rows_matched, std::int32_t rows_changed) {
    records_.back().rows_matched = rows_matched;
    records_.back().rows_changed = rows_changed;
    return *this;
  }
  // Sets the condition of the last operation.
  TraceBuilder& where(std::string_view condition) {
    records_.back().predicate = batch_.predicate(parse_predicate(condition, batch_.literals()));
    return *this;
  }
  TraceBuilder& commit(std::uint64_t t, Interval time) { return end(RecordKind::Commit, t, time); }
  TraceBuilder& abort(std::uint64_t t, Interval time) { return end(RecordKind::Abort, t, time); }
  TraceBuilder& lose(std::uint64_t t, Time begin) {
    return end(RecordKind::Indeterminate, t, {begin, kUnknownEnd});
  }
  Record& last() { return records_.back(); }

  OnlineResult verify(std::string_view profile, OnlineOptions options = {}) const {
    const Profile* found = find_profile(profile);
    expects(found != nullptr, "a profile");
    OnlineVerifier verifier(*found, options);
    verifier.accept(ordered());
    return verifier.finish();
  }
  // The records in the order of their begins. They refer to this trace.
  std::vector<Record> ordered() const {
    std::vector<Record> out = records_;
    std::ranges::stable_sort(out, {}, [](const Record& record) { return record.time.begin; });
    return out;
  }

 private:
  Record& add(RecordKind kind, std::uint64_t t, Interval time) {
    Record& record = records_.emplace_back();
    record.kind = kind;
    record.session = static_cast<std::uint32_t>(t);
    record.transaction = t;
    record.time = time;
    return record;
  }
  TraceBuilder& end(RecordKind kind, std::uint64_t t, Interval time) {
    add(kind, t, time);
    return *this;
  }
  TraceBuilder& rows(Record& record, const std::vector<Cell>& cells) {
    std::vector<RecordRow> out;
    for (const Cell& cell : cells)
      out.push_back({.key = batch_.text(cell.key),
                     .value = cell.value == kNil ? TraceValue{} : TraceValue::of(cell.value),
                     .column = cell.column});
    batch_.set_rows(record, out);
    return *this;
  }

  RecordBatch batch_;
  std::vector<Record> records_;
};

}  // namespace serval::online
