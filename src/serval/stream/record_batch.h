#pragma once
// Consecutive records of one client with the memory that they refer to. Clients hand batches to the
// pipeline; afterwards they are cleared and reused, so that an endless run allocates nothing.
//
//   RecordBatch batch;
//   Record& read = batch.add();
//   read.session = 0, read.transaction = 7, read.time = {10, 12};
//   batch.set_rows(read, {{.key = batch.text("x"), .value = TraceValue::of(std::int64_t{1})}});
//
// Used by one thread at a time. Pointers into a batch stay valid when it is moved, until clear().

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "serval/stream/record.h"

namespace serval {

class RecordBatch {
 public:
  RecordBatch() = default;
  RecordBatch(RecordBatch&&) noexcept = default;
  RecordBatch& operator=(RecordBatch&&) noexcept = default;

  Record& add() { return records_.emplace_back(); }
  std::span<Record> records() noexcept { return records_; }
  std::span<const Record> records() const noexcept { return records_; }
  std::size_t size() const noexcept { return records_.size(); }
  bool empty() const noexcept { return records_.empty(); }

  // Copies into the batch.
  std::string_view keep(std::string_view text);
  std::span<RecordRow> keep(std::span<const RecordRow> rows);  // Copies the rows, but not their texts.
  TraceValue text(std::string_view text) { return TraceValue::of(TraceValue::Kind::Text, keep(text)); }
  TraceValue value(Value value, const ValuePool& pool);
  void set_rows(Record& record, std::span<const RecordRow> rows);
  void set_rows(Record& record, std::initializer_list<RecordRow> rows) {
    set_rows(record, std::span(rows.begin(), rows.size()));
  }
  // The pool of literals lives until clear().
  ValuePool& literals();
  const TracePredicate* predicate(Predicate tree);

  // Removes the records for which `drop` (taking a Record&) returns true; it may change the others.
  template <typename Drop>
  void erase_if(const Drop& drop) {
    std::size_t kept = 0;
    for (Record& record : records_)
      if (!drop(record)) records_[kept++] = record;
    records_.resize(kept);
  }
  void clear() noexcept;
  // Memory held for its records; grows with add() and keep().
  std::size_t bytes() const noexcept;

  // For the pipeline: the result of BackPressure::arrive, and the bytes counted at its gate.
  std::uint64_t ticket = 0;
  std::size_t weight = 0;

 private:
  char* room(std::size_t bytes);  // Aligned for anything.

  struct Chunk {
    std::unique_ptr<char[]> data;
    std::size_t size = 0;
  };
  std::vector<Record> records_;
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;   // The one being filled.
  std::size_t used_ = 0;    // Of it.
  std::size_t filled_ = 0;  // Of those before it.
  std::unique_ptr<ValuePool> literals_;
  std::deque<TracePredicate> predicates_;
};

}  // namespace serval
