#include "serval/database/sql/statements.h"

#include <algorithm>

#include <fmt/format.h>

#include "serval/database/database.h"

namespace serval::sql {
namespace {

using Answers = Statement::Answers;

std::string quoted(std::string_view name, const Dialect& dialect) {
  return fmt::format("{0}{1}{0}", dialect.quote, name);
}

std::string table_name(const TableInfo& table, const Dialect& dialect) {
  return quoted("serval_" + table.name, dialect);
}

// Generates the statements of one table. Texts use $1, $2, ...; finish() converts them to the dialect.
class Writer {
 public:
  Writer(const TableInfo& table, const Dialect& dialect, std::uint32_t& count)
      : info_(table), dialect_(dialect), count_(count), table_(table_name(table, dialect)) {
    for (const ColumnInfo& column : table.columns) columns_.push_back(quoted(column.name, dialect));
  }

  TableStatements registers();
  TableStatements lists();

 private:
  enum class Given : std::uint8_t { Tag, Columns };  // What a write sets besides the key.

  Statement finish(std::string_view text, Answers answers = Answers::Count);

  std::string names(std::string_view prefix = "") const;          // k, tag, columns
  std::string assignments(Given given, std::size_t first) const;  // tag = $2, "c" = $3
  std::string row_values(Given given) const;                      // $1, $2, and columns
  std::string locking(const std::string& asked, const std::string& where) const;

  Statement write(Given given);
  Statement insert(Given given);
  Statement add(Given given);
  Statement update(Given given);
  TableStatements::Range range(const std::string& column);
  std::vector<Statement> aggregates(const std::string& where);
  Statement update_range(Given given, const std::string& where);
  // A write that returns the rows before (old) or after it (final), if the dialect supports it.
  Statement telling(Dialect::Written way, std::string_view state, const std::string& text);

  const TableInfo& info_;
  const Dialect& dialect_;
  std::uint32_t& count_;
  std::string table_;
  std::vector<std::string> columns_;
};

Statement Writer::finish(std::string_view text, Answers answers) {
  Statement out{.id = count_++, .answers = answers};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out.text += text[i];
      continue;
    }
    std::size_t number = 0;
    for (; i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9'; ++i)
      number = number * 10 + static_cast<std::size_t>(text[i + 1] - '0');
    out.order.push_back(static_cast<std::uint8_t>(number - 1));
    if (dialect_.parameters == Dialect::Parameters::Dollar)
      out.text += fmt::format("${}", number);
    else if (dialect_.parameters == Dialect::Parameters::NumberedMark)
      out.text += fmt::format("?{}", number);
    else
      out.text += '?';
  }
  return out;
}

std::string Writer::names(std::string_view prefix) const {
  std::string out = fmt::format("{0}k, {0}tag", prefix);
  for (const std::string& column : columns_) out += fmt::format(", {}{}", prefix, column);
  return out;
}

std::string Writer::assignments(Given given, std::size_t first) const {
  std::string out = fmt::format("tag = ${}", first);
  if (given == Given::Columns)
    for (std::size_t i = 0; i < columns_.size(); ++i)
      out += fmt::format(", {} = ${}", columns_[i], first + 1 + i);
  return out;
}

std::string Writer::row_values(Given given) const {
  std::string out = "$1, $2";
  for (std::size_t i = 0; i < columns_.size(); ++i)
    out +=
        given == Given::Columns ? fmt::format(", ${}", i + 3) : fmt::format(", {}", info_.columns[i].initial);
  return out;
}

std::string Writer::locking(const std::string& asked, const std::string& where) const {
  if (dialect_.lock == Dialect::Lock::EmptyUpdate)
    return fmt::format("update {0} set {1} = {1} where {2} returning {3}", table_,
                       info_.holds == TableInfo::Holds::Lists ? "list" : "tag", where, asked);
  return fmt::format("select {} from {} where {} for update", asked, table_, where);
}

Statement Writer::telling(Dialect::Written way, std::string_view state, const std::string& text) {
  if (way == Dialect::Written::Returning) return finish(text + " returning " + names(), Answers::Rows);
  if (way == Dialect::Written::DeltaTable)
    return finish(fmt::format("select {} from {} table ({})", names(), state, text), Answers::Rows);
  return finish(text);
}

Statement Writer::insert(Given given) {
  return finish(fmt::format("insert into {} ({}) values ({})", table_, names(), row_values(given)));
}

Statement Writer::write(Given given) {
  if (dialect_.upsert == Dialect::Upsert::UpdateThenInsert)
    return finish(fmt::format("update {} set {} where k = $1", table_, assignments(given, 2)));
  const bool conflict = dialect_.upsert == Dialect::Upsert::OnConflict;
  const auto taken = [&](const std::string& name) {
    return conflict ? fmt::format("{0} = excluded.{0}", name) : fmt::format("{0} = values({0})", name);
  };
  std::string sets = taken("tag");
  if (given == Given::Columns)
    for (const std::string& column : columns_) sets += ", " + taken(column);
  return finish(fmt::format("insert into {} ({}) values ({}) {} {}", table_, names(), row_values(given),
                            conflict ? "on conflict (k) do update set" : "on duplicate key update", sets));
}

// Counts 0 if the row exists. Without ON CONFLICT a concurrent insert violates the constraint.
Statement Writer::add(Given given) {
  if (dialect_.insert == Dialect::Insert::Fails) return insert(given);
  if (dialect_.upsert == Dialect::Upsert::OnConflict)
    return finish(fmt::format("insert into {} ({}) values ({}) on conflict (k) do nothing", table_, names(),
                              row_values(given)));
  if (dialect_.upsert == Dialect::Upsert::OnDuplicateKey)
    return finish(fmt::format("insert ignore into {} ({}) values ({})", table_, names(), row_values(given)));
  return finish(
      fmt::format("insert into {0} ({1}) select {2} where not exists (select 1 from {0} where k = $1)",
                  table_, names(), row_values(given)));
}

// The joined row is read under its lock, so that it is the row that the update replaces, even at read
// committed, where the statement's snapshot may be older.
Statement Writer::update(Given given) {
  const std::string sets = assignments(given, 2);
  if (dialect_.before == Dialect::Before::JoinedRow)
    return finish(fmt::format("update {0} set {1} from (select {2} from {0} where k = $1 for update) as old "
                              "where {0}.k = $1 and old.k = {0}.k returning {3}",
                              table_, sets, names(), names("old.")),
                  Answers::Rows);
  const std::string text = fmt::format("update {} set {} where k = $1", table_, sets);
  return dialect_.before == Dialect::Before::DeltaTable ? telling(Dialect::Written::DeltaTable, "old", text)
                                                        : finish(text);
}

Statement Writer::update_range(Given given, const std::string& where) {
  return telling(dialect_.updated, "final",
                 fmt::format("update {} set {} where {}", table_, assignments(given, 3), where));
}

TableStatements::Range Writer::range(const std::string& column) {
  const std::string where = fmt::format("{} between $1 and $2", column);
  TableStatements::Range out;
  out.scan = finish(fmt::format("select {} from {} where {}", names(), table_, where), Answers::Rows);
  out.everything =
      finish(fmt::format("select {} from {} order by {}", names(), table_, column), Answers::Rows);
  out.lock = finish(locking(names(), where), Answers::Rows);
  out.update = update_range(Given::Tag, where);
  out.update_columns = update_range(Given::Columns, where);
  out.written =
      finish(fmt::format("select {} from {} where {} and tag = $3", names(), table_, where), Answers::Rows);
  out.remove = telling(dialect_.deleted, "old", fmt::format("delete from {} where {}", table_, where));
  out.aggregates = aggregates(where);
  for (Statement* statement :
       {&out.scan, &out.everything, &out.lock, &out.update, &out.update_columns, &out.remove})
    statement->by_predicate = true;
  return out;
}

std::vector<Statement> Writer::aggregates(const std::string& where) {
  std::vector<Statement> out;
  if (!records_columns(info_)) return out;
  const auto add = [&](const std::string& value) {
    out.push_back(
        finish(fmt::format("select count(*), {} from {} where {}", value, table_, where), Answers::Rows));
    out.back().by_predicate = true;
  };
  add("0");
  for (const char* function : {"min", "max", "sum"}) {
    add(fmt::format("coalesce({}(k), 0)", function));
    for (const std::string& column : columns_) add(fmt::format("coalesce({}({}), 0)", function, column));
  }
  return out;
}

TableStatements Writer::registers() {
  TableStatements out;
  const std::string select = fmt::format("select {} from {} where k = $1", names(), table_);
  out.read = finish(select, Answers::Rows);
  out.lock = finish(locking(names(), "k = $1"), Answers::Rows);
  out.read_current = finish(select + std::string(dialect_.current_read), Answers::Rows);
  out.write = write(Given::Tag);
  out.write_columns = write(Given::Columns);
  out.insert = insert(Given::Tag);
  out.insert_columns = insert(Given::Columns);
  out.add = add(Given::Tag);
  out.add_columns = add(Given::Columns);
  out.update = update(Given::Tag);
  out.update_columns = update(Given::Columns);
  out.remove = finish(fmt::format("delete from {} where k = $1", table_));
  out.compare_and_set = finish(fmt::format("update {} set tag = $2 where k = $1 and tag = $3", table_));
  out.ranges.push_back(range("k"));
  for (const std::string& column : columns_) out.ranges.push_back(range(column));
  out.width = 2 + columns_.size();
  return out;
}

TableStatements Writer::lists() {
  TableStatements out;
  const bool mysql = dialect_.upsert == Dialect::Upsert::OnDuplicateKey;
  const std::string element = mysql ? "concat(',', $2)" : "',' || cast($2 as varchar)";
  out.read_list = finish(fmt::format("select list from {} where k = $1", table_), Answers::Text);
  out.lock_list = finish(locking("list", "k = $1"), Answers::Text);
  std::string columns, initial;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns += ", " + columns_[i];
    initial += fmt::format(", {}", info_.columns[i].initial);
  }
  const std::string insert =
      fmt::format("insert into {} (k, list{}) values ($1, {}{})", table_, columns, element, initial);
  out.insert_list = finish(insert);
  if (mysql)
    out.append = finish(insert + " on duplicate key update list = concat(list, values(list))");
  else if (dialect_.upsert == Dialect::Upsert::OnConflict)
    out.append = finish(
        fmt::format("{} on conflict (k) do update set list = {}.list || excluded.list", insert, table_));
  else
    out.append = finish(fmt::format("update {} set list = list || {} where k = $1", table_, element));
  out.remove = finish(fmt::format("delete from {} where k = $1", table_));
  return out;
}

void create_table(const TableInfo& table, const Dialect& dialect, const Execute& execute) {
  const std::string name = table_name(table, dialect);
  std::string columns = table.holds == TableInfo::Holds::Lists ? fmt::format("list {} not null", dialect.text)
                                                               : "tag bigint not null";
  for (const ColumnInfo& column : table.columns)
    columns += fmt::format(", {} bigint not null", quoted(column.name, dialect));
  execute(fmt::format("create table {} (k {} primary key, {})", name, dialect.key, columns));
  for (const ColumnInfo& column : table.columns)
    if (column.indexed)
      execute(fmt::format("create index {} on {} ({})",
                          quoted(fmt::format("serval_{}_{}", table.name, column.name), dialect), name,
                          quoted(column.name, dialect)));
}

constexpr std::uint64_t kRowsAtOnce = 1000;

void load(const TableInfo& table, const Dialect& dialect, const Execute& execute) {
  std::string values = table.holds == TableInfo::Holds::Lists ? "''" : "0";
  for (const ColumnInfo& column : table.columns) values += fmt::format(", {}", column.initial);
  for (std::uint64_t first = 0; first < table.rows; first += kRowsAtOnce) {
    std::string text = fmt::format("insert into {} values ", table_name(table, dialect));
    const std::uint64_t end = std::min(table.rows, first + kRowsAtOnce);
    for (std::uint64_t key = first; key < end; ++key)
      fmt::format_to(std::back_inserter(text), "{}({}, {})", key == first ? "" : ", ", key, values);
    execute(text);
  }
}

}  // namespace

Statements::Statements(const Schema& schema, const Dialect& used) : dialect(used) {
  for (const TableInfo& table : schema) {
    Writer writer(table, dialect, count);
    tables.push_back(table.holds == TableInfo::Holds::Lists ? writer.lists() : writer.registers());
  }
}

void create_tables(const Schema& schema, const Dialect& dialect, const Execute& execute) {
  drop_tables(schema, dialect, execute);
  for (const TableInfo& table : schema) create_table(table, dialect, execute);
  execute("begin");
  for (const TableInfo& table : schema)
    if (table.initial == TableInfo::Initial::Zero) load(table, dialect, execute);
  execute("commit");
}

void drop_tables(const Schema& schema, const Dialect& dialect, const Execute& execute,
                 const std::function<bool()>& is_lost) {
  const auto drop_all = [&] {
    for (const TableInfo& table : schema)
      execute(fmt::format("drop table if exists {}", table_name(table, dialect)));
  };
  try {
    drop_all();
  } catch (const DatabaseError&) {
    if (!is_lost()) throw;
    drop_all();
  }
}

}  // namespace serval::sql
