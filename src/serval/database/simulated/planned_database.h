#pragma once
// The databases whose transactions are planned in advance, as simulate() runs them: one step of one
// transaction at a time. They keep what the client of each transaction saw, for the recorder.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serval/database/simulated/store.h"
#include "serval/history/operation.h"
#include "serval/history/value.h"
#include "serval/workload/row_plan.h"
#include "serval/workload/transaction_plan.h"

namespace serval::simulated {

struct RecordedOperation {
  OperationKind kind;
  Key key;  // For a range: its index among the ranges of the transaction.
  Value value;
  Value expected;
  Interval time;
};

struct RecordedRange {
  struct Row {
    Key key;
    Value value;
  };
  RowRequest request;
  std::int64_t tag = 0;  // The value that the rows get.
  std::vector<Row> rows;
  Position snapshot = 0;                    // It saw the commits up to this one.
  std::vector<Transaction::Read> examined;  // The same version by version, for full certificates.
};

struct PlannedTransaction : Transaction {
  TransactionPlan plan;  // Of a KeyDatabase.
  RowPlan row_plan;      // Of a RowDatabase.
  std::size_t next_step = 0;
  Time begin = 0;
  std::vector<Value> guesses;  // What the client expects in its compare-and-sets, last one first.
  std::vector<RecordedOperation> operations;
  std::vector<RecordedRange> ranges;

  std::size_t step_count() const { return plan.operations.size() + row_plan.requests.size(); }
  void restart(Time at) {
    Transaction::restart();
    next_step = 0;
    begin = at;
    guesses.clear();
    operations.clear();
    ranges.clear();
  }
};

class PlannedDatabase : public Store {
 public:
  using Store::Store;

  enum class Answer : std::uint8_t { Done, Conflict };
  virtual void begin(PlannedTransaction& transaction) { Store::begin(transaction); }
  // Performs the next step of the plan and adds it to transaction.operations. After a conflict, roll
  // back.
  virtual Answer perform(PlannedTransaction& transaction, Interval time) = 0;

  std::int64_t fresh_number() noexcept { return ++last_number_; }

 private:
  std::int64_t last_number_ = 0;
};

// Registers and lists: single keys, no ranges.
class KeyDatabase final : public PlannedDatabase {
 public:
  // `values` interns the lists that reads return; it outlives the database.
  KeyDatabase(const Options& options, ValuePool& values) : PlannedDatabase(options), values_(values) {}

  void begin(PlannedTransaction& transaction) override;
  Answer perform(PlannedTransaction& transaction, Interval time) override;

 private:
  using Kind = PlannedOperation::Kind;

  Value read_register(PlannedTransaction& transaction, Key key);
  Value read_list(PlannedTransaction& transaction, Key key);
  Answer write_fresh(PlannedTransaction& transaction, const RecordedOperation& operation);
  Answer compare_and_set(PlannedTransaction& transaction, RecordedOperation operation);

  ValuePool& values_;
};

// A table of rows: single rows, ranges and aggregates. Evaluates ranges itself, in integers, sharing no
// code with the predicate room that the checkers use.
class RowDatabase final : public PlannedDatabase {
 public:
  // Whether to keep the version of every row that a range examined.
  enum class Examined : std::uint8_t { Dropped, Kept };

  // `values` interns the rows; it outlives the database.
  RowDatabase(const Options& options, Examined examined, ValuePool& values)
      : PlannedDatabase(options), examined_(examined), values_(values) {}

  Answer perform(PlannedTransaction& transaction, Interval time) override;

 private:
  using Kind = RowRequest::Kind;
  using Place = std::optional<std::int64_t>;
  using Row = RecordedRange::Row;

  void note_installed(const Transaction& transaction, std::span<const PendingWrite> writes) override;
  bool ranges_are_outdated(const Transaction& transaction) const override;

  Value make_row(Place place, std::int64_t tag);
  Place place_of(Value row) const { return row.is_nil() ? Place{} : places_[row.pool_index()]; }
  bool matches(const RowRange& range, Key key, Value row) const {
    return !row.is_nil() && range.has(key, place_of(row));
  }
  Value read_row(PlannedTransaction& transaction, Key key);
  Answer write_row(PlannedTransaction& transaction, Key key, Value row);
  Answer perform_on_row(PlannedTransaction& transaction, const RowRequest& request, Interval time);

  void tidy_place(std::size_t place);
  const std::vector<Key>& keys_in(const RowRange& range);
  std::vector<Row> matching(PlannedTransaction& transaction, const RowRange& range);
  Value aggregate(const RowRequest& request, std::span<const Row> rows) const;
  Answer change(PlannedTransaction& transaction, std::span<const Row> rows, RecordedRange& range);
  void note_examined(const View& view, RecordedRange& range) const;
  Answer perform_on_range(PlannedTransaction& transaction, const RowRequest& request, Interval time);

  Examined examined_;
  ValuePool& values_;
  std::vector<Place> places_;               // By index of the row in the pool.
  std::vector<std::vector<Key>> at_place_;  // Keys that have the place now or had it recently.
  std::vector<Key> found_;
};

}  // namespace serval::simulated
