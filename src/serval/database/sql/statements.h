#pragma once
// The statements behind every kind of request, for every table of a schema, in the words of one dialect.
// Tables are called serval_NAME; their columns are k (the key), tag or list (tags with a comma before each),
// then the further ones.
//
//   const Statements statements(schema, kSqlite);
//   statements.tables[0].read.text      // select k, tag from "serval_registers" where k = ?1

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "serval/database/sql/dialect.h"
#include "serval/workload/schema.h"

namespace serval::sql {

struct Statement {
  enum class Answers : std::uint8_t { Count, Rows, Text };  // Rows of whole numbers; at most one text.

  std::uint32_t id = 0;  // Dense over all statements: where a connection keeps the prepared one.
  std::string text;
  Answers answers = Answers::Count;
  std::vector<std::uint8_t> order;  // Parameters as they appear in the text, from 0.
  bool by_predicate = false;        // It looks at all rows for those that match; a certificate tells which.
};

// Parameters in this order: key, tag, columns; for ranges low, high, tag, columns. Where `_columns` is
// absent, the columns of the row stay as they are, or become the initial ones.
struct TableStatements {
  Statement read, lock, read_current;
  Statement read_list, lock_list;
  Statement write, write_columns;    // Whether or not the row is there, or only if it is (UpdateThenInsert).
  Statement insert, insert_columns;  // The other half of UpdateThenInsert.
  Statement add, add_columns;        // If the row is absent.
  Statement update, update_columns;  // Answers the row before, unless that takes a locked read.
  Statement append, insert_list;
  Statement remove;
  Statement compare_and_set;  // key, tag, expected.

  struct Range {
    Statement scan, lock;
    Statement everything;  // Of a scan without bounds: no condition, in the order of the column.
    // The count of rows and the value: count, then min, max, sum of the key and of each column. Only of
    // tables whose columns are recorded.
    std::vector<Statement> aggregates;
    Statement update, update_columns;
    Statement written;  // ReadBack: low, high, tag.
    Statement remove;
  };
  std::vector<Range> ranges;  // The key, then each column.
  std::size_t width = 2;      // Of a row: key, tag, columns.
};

class Statements {
 public:
  Statements(const Schema& schema, const Dialect& used);

  Dialect dialect;
  std::vector<TableStatements> tables;
  std::uint32_t count = 0;  // Of statements.
};

using Execute = std::function<void(const std::string& text)>;
// Makes the tables, after dropping those of an earlier run, and the rows that exist at the start.
void create_tables(const Schema& schema, const Dialect& dialect, const Execute& execute);
// Once more where `is_lost()` after a failure: that a connection is lost shows only when it is used.
void drop_tables(
    const Schema& schema, const Dialect& dialect, const Execute& execute,
    const std::function<bool()>& is_lost = [] { return false; });

}  // namespace serval::sql
