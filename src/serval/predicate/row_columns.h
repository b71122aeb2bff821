#pragma once
// The columns of a version: what a predicate finds in the row that a key holds.
//
//   key 5, value {"owner":"bob","place":3}      place is 3, owner is 'bob', key is 5, value is Undefined
//   key "pieces/5", value 7                     value is 7, key is 'pieces/5', pieces.key is 5
//
// A value that is a row has the columns that it names. Any other has one, `value`. `key`, or `k`, is the key,
// unless the row has such a column. A column that was not recorded is Undefined: it may have been anything.
//
// Keys may name their table, "table/key". A predicate whose columns are qualified, table.column, ranges over
// that table; one without qualified columns over all keys. See Table.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/history/history.h"
#include "serval/predicate/condition.h"

namespace serval {

// Puts the values of the columns, named as in a condition, into `out`. O(characters of the value).
void read_columns(std::span<const std::string> columns, Value key, Value value, const ValuePool& pool,
                  std::vector<Scalar>& out);

// The columns that a row names, in its order; `value` where it is no row. None where there is nothing.
std::vector<std::string> column_names(Value value, const ValuePool& pool);

// What a predicate ranges over.
class Table {
 public:
  explicit Table(const Condition& condition);

  const std::string& name() const noexcept { return name_; }  // Empty: all keys.
  // The condition speaks of several tables: a join, which has no meaning over one row.
  bool is_join() const noexcept { return is_join_; }
  // Whether the key is one of its rows. A key that names no table is one of the table that the history's fact
  // "table" names; without that fact it is not known, Undefined.
  Truth has(const History& history, KeyId key) const;

 private:
  std::string name_;
  bool is_join_ = false;
};

}  // namespace serval
