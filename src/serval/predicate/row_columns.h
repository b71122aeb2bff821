#pragma once
// The columns of a version: what a predicate sees in the row that a key holds.
//
//   key 5, value {"owner":"bob","place":3}      place is 3, owner is 'bob', key is 5, value is Undefined
//   key "pieces/5", value 7                     value is 7, key is 'pieces/5', pieces.key is 5
//
// A value that is a row has the columns that it names. Any other value has the single column `value`.
// `key`, or `k`, is the key, unless the row has such a column. A column that was not recorded is
// Undefined: it may have had any value.
//
// Keys may name their table, "table/key". A predicate with qualified columns, table.column, ranges over
// that table; one without ranges over all keys. See Table.

#include <span>
#include <string>
#include <vector>

#include "serval/history/history.h"
#include "serval/predicate/condition.h"

namespace serval {

// Stores the values of the columns, named as in a condition, in `out`. O(characters of the value).
void read_columns(std::span<const std::string> columns, Value key, Value value, const ValuePool& pool,
                  std::vector<Scalar>& out);

// The columns that a row names, in its order; `value` if it is not a row. Empty if there is no value.
std::vector<std::string> column_names(Value value, const ValuePool& pool);

// Whether two recordings of one row agree: they are equal, or rows that agree in the columns that both
// name.
bool rows_agree(Value a, Value b, const ValuePool& pool);

// The keys over which a predicate ranges.
class Table {
 public:
  explicit Table(const Condition& condition);

  const std::string& name() const noexcept { return name_; }  // Empty: all keys.
  // The condition mentions several tables: a join, which cannot be evaluated on one row.
  bool is_join() const noexcept { return is_join_; }
  // Whether the key is one of its rows. A key without a table name belongs to the table that the
  // history's fact "table" names; without that fact the answer is Undefined.
  Truth has(const History& history, KeyId key) const;

 private:
  std::string name_;
  bool is_join_ = false;
};

}  // namespace serval
