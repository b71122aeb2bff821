#pragma once
// The SQL statements of every kind of request, for every table of a schema, in one dialect. Tables are
// named serval_NAME. Their columns are k (the key), tag or list (tags with a comma before each), then the
// others.
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
  enum class Answers : std::uint8_t { Count, Rows, Text };  // Rows of integers; at most one text.

  std::uint32_t id = 0;  // Dense over all statements; index of the prepared statement.
  std::string text;
  Answers answers = Answers::Count;
  std::vector<std::uint8_t> order;  // Parameters as they appear in the text, from 0.
  bool by_predicate = false;        // It examines all rows for matches; a certificate records what it saw.
};

// Parameters in this order: key, tag, columns; for ranges low, high, tag, columns. Statements without
// `_columns` keep the columns of the row, or set the initial ones.
struct TableStatements {
  Statement read, lock, read_current;
  Statement read_list, lock_list;
  Statement write, write_columns;    // Whether or not the row exists, or only if it does (UpdateThenInsert).
  Statement insert, insert_columns;  // The other half of UpdateThenInsert.
  Statement add, add_columns;        // If the row is absent.
  Statement update, update_columns;  // Returns the old row, unless that needs a locking read.
  Statement append, insert_list;
  Statement remove;
  Statement compare_and_set;  // key, tag, expected.

  struct Range {
    Statement scan, lock;
    Statement everything;  // For a scan without bounds: no condition, ordered by the column.
    // The number of rows and the value: count, then min, max, sum of the key and of each column. Only for
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
// Drops the tables of an earlier run, and creates the tables with their initial rows.
void create_tables(const Schema& schema, const Dialect& dialect, const Execute& execute);
// Retries once if `is_lost()` after a failure, because a lost connection shows only when it is used.
void drop_tables(
    const Schema& schema, const Dialect& dialect, const Execute& execute,
    const std::function<bool()>& is_lost = [] { return false; });

}  // namespace serval::sql
