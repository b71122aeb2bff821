#pragma once
// What every key holds at one point of a replay, who wrote it, and the columns that predicates use, with
// an ordered index on those that they search by.
//
//   RowState state(history, order);
//   const std::uint32_t place = state.column("place");
//   state.set(x, row, writer);
//   state.at(place, x)                                      // Scalar(3)
//
// A key that nobody has written holds the history's initial value. Columns are decoded once, when a row
// is written; histories without predicates only need the cells.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/history/history.h"
#include "serval/predicate/row_columns.h"
#include "serval/predicate/row_index.h"

namespace serval::replay {

class RowState {
 public:
  // `order`: the order in which transactions will write. A key that is first inserted has no row before.
  RowState(const History& history, std::span<const TransactionId> order);

  Value value(KeyId key) const { return cells_[key.index].value; }
  // None: the initial version.
  TransactionId writer(KeyId key) const { return cells_[key.index].writer; }
  bool is_row(KeyId key) const { return !cells_[key.index].value.is_nil(); }
  // Whether no value in it comes from a write whose value was not recorded. O(elements) for a list.
  bool is_known(KeyId key) const;
  // Whether a read of the key may have seen this value: what the key holds, or nil or the initial value if
  // nobody has written it.
  bool shows(KeyId key, Value seen) const;

  void set(KeyId key, Value value, TransactionId writer);
  void append(KeyId key, Value element, TransactionId writer);
  // What is written from now on is undone by undo_trial().
  void begin_trial() { in_trial_ = true; }
  void undo_trial();

  // The number of a column, by its name in a condition, and its index. Created on first use: O(keys log
  // keys).
  std::uint32_t column(const std::string& name);
  void make_index(std::uint32_t number);
  const RowIndex& index(std::uint32_t column) const { return *columns_[column].index; }
  const Scalar& at(std::uint32_t column, KeyId key) const { return columns_[column].values[key.index]; }

  std::string format(KeyId key) const;

 private:
  struct Cell {
    Value value;  // For a list, empty until it is read; see lists_.
    TransactionId writer = TransactionId::none();
    bool is_list = false;
  };
  struct Column {
    Column(std::string column_name, const Table& column_table)
        : name(std::move(column_name)), table(column_table) {}
    std::string name;
    Table table;                 // The table it belongs to.
    std::vector<Scalar> values;  // By key; meaningless for keys without a row.
    std::unique_ptr<RowIndex> index;
  };

  // What a key held before a write of a trial.
  struct Before {
    KeyId key;
    Cell cell;
    std::vector<Value> list;
  };

  void save(KeyId key);
  void put(KeyId key, const Cell& cell);
  bool belongs(const Column& column, KeyId key) const;
  void decode(Column& column, KeyId key);
  void drop_from_indexes(KeyId key);
  void refresh(KeyId key);

  const History& history_;
  std::vector<Cell> cells_;
  std::vector<Column> columns_;
  std::vector<std::string> names_;  // Of the columns.
  std::vector<Scalar> row_;
  absl::flat_hash_map<KeyId, std::vector<Value>> lists_;
  bool in_trial_ = false;
  std::vector<Before> before_;
};

}  // namespace serval::replay
