#include "serval/database/sql/sql_client.h"

#include <charconv>

#include "serval/base/contract.h"

namespace serval::sql {
namespace {

std::int64_t number(std::uint64_t key) { return static_cast<std::int64_t>(key); }

Answer rows_of(const Result& result, const TableStatements& table) {
  Answer out;
  out.rows.reserve(result.rows);
  for (std::size_t row = 0; row < result.rows; ++row) {
    const auto cells = std::span(result.cells).subspan(row * table.width, table.width);
    out.rows.push_back({.key = static_cast<std::uint64_t>(cells[0]),
                        .tag = cells[1],
                        .columns = {cells.begin() + 2, cells.end()}});
  }
  return out;
}

// Adds what a statement by predicate saw, or one that found no row.
Answer with_snapshot(Answer answer, const Result& result) {
  answer.snapshot = result.snapshot;
  answer.timestamp = result.timestamp;
  answer.saw_the_end = result.saw_the_end;
  return answer;
}

// The rows that a statement returned are those that it matched, and all were written.
Answer with_counts(Answer answer, std::uint64_t matched, std::uint64_t changed) {
  answer.matched = static_cast<std::int64_t>(matched);
  answer.changed = static_cast<std::int64_t>(changed);
  return answer;
}

// ",5,7" or nothing.
Answer list_of(const Result& result) {
  Answer out;
  const char* at = result.text.data();
  const char* const end = at + result.text.size();
  while (at < end) {
    std::int64_t element = 0;
    const auto [next, error] = std::from_chars(at + 1, end, element);
    expects(*at == ',' && error == std::errc{}, "a list is tags with a comma before each");
    out.list.push_back(element);
    at = next;
  }
  return out;
}

Answer applied(bool applied) {
  Answer out;
  out.applied = applied;
  return out;
}

const TableStatements::Range& range_of(const Request& request, const TableStatements& table) {
  const std::size_t at = request.column == Request::kKey ? 0 : request.column + 1u;
  expects(at < table.ranges.size(), "a column of the table");
  return table.ranges[at];
}

}  // namespace

void SqlClient::begin() {
  expects(!open_, "one transaction at a time");
  open_ = true;  // Even a failed begin may have left something to roll back.
  try {
    connection_->begin();
  } catch (const TransactionFailure&) {
    roll_back();
    throw;
  }
}

Answer SqlClient::perform(const Request& request) {
  expects(open_, "requests belong to a transaction");
  expects(request.table < statements_->tables.size(), "a table of the schema");
  const TableStatements& table = statements_->tables[request.table];
  expects(request.columns.empty() || request.columns.size() + 2 == table.width,
          "all columns of the table or none");
  try {
    return answer(request, table);
  } catch (const TransactionFailure&) {
    roll_back();
    throw;
  }
}

Outcome SqlClient::commit() {
  expects(open_, "only what has begun can commit");
  try {
    const Outcome outcome = connection_->commit();
    open_ = false;
    return outcome;
  } catch (const TransactionFailure&) {
    roll_back();
    throw;
  }
}

void SqlClient::roll_back() {
  if (open_) connection_->roll_back();
  open_ = false;
}

Answer SqlClient::answer(const Request& request, const TableStatements& table) {
  switch (request.kind) {
    case Request::Kind::Read:
      return rows(table, request.locks ? table.lock : table.read, {number(request.key)});
    case Request::Kind::ReadList:
      return list_of(run(request.locks ? table.lock_list : table.read_list, {number(request.key)}));
    case Request::Kind::Write:
      return write(request, table);
    case Request::Kind::Update:
      return update(request, table);
    case Request::Kind::Append:
      return append(request, table);
    case Request::Kind::Insert:
      return insert(request, table);
    case Request::Kind::Delete:
      return remove(request, table);
    case Request::Kind::CompareAndSet:
      return compare_and_set(request, table);
    case Request::Kind::Scan:
      return scan(request, table);
    case Request::Kind::UpdateRange:
      return update_range(request, table);
    case Request::Kind::DeleteRange:
      return delete_range(request, table);
  }
  broken_contract("a kind of request", __FILE__, __LINE__);
}

Answer SqlClient::write(const Request& request, const TableStatements& table) {
  const bool all = !request.columns.empty();
  const Result result =
      run(all ? table.write_columns : table.write, {number(request.key), request.tag}, request.columns);
  if (statements_->dialect.upsert == Dialect::Upsert::UpdateThenInsert && result.changed == 0)
    run(all ? table.insert_columns : table.insert, {number(request.key), request.tag}, request.columns);
  return {};
}

// Like SQL's UPDATE, does not write an absent row.
Answer SqlClient::update(const Request& request, const TableStatements& table) {
  const Statement& statement = request.columns.empty() ? table.update : table.update_columns;
  Answer before;
  if (statements_->dialect.before == Dialect::Before::LockedRead) {
    before = rows(table, table.lock, {number(request.key)});
    if (!before.rows.empty()) run(statement, {number(request.key), request.tag}, request.columns);
  } else {
    before = rows(table, statement, {number(request.key), request.tag}, request.columns);
  }
  before.applied = !before.rows.empty();
  return before;
}

Answer SqlClient::remove(const Request& request, const TableStatements& table) {
  const Result result = run(table.remove, {number(request.key)});
  return with_snapshot(applied(result.changed > 0), result);
}

Answer SqlClient::append(const Request& request, const TableStatements& table) {
  const Result result = run(table.append, {number(request.key), request.tag});
  if (statements_->dialect.upsert == Dialect::Upsert::UpdateThenInsert && result.changed == 0)
    run(table.insert_list, {number(request.key), request.tag});
  return {};
}

// At weak levels others may commit between a write without effect and the read that explains it. If the
// two do not fit, tries again. The same holds for compare_and_set.
constexpr int kTries = 100;

Answer SqlClient::insert(const Request& request, const TableStatements& table) {
  const Statement& add = request.columns.empty() ? table.add : table.add_columns;
  for (int i = 0; i < kTries; ++i) {
    if (run(add, {number(request.key), request.tag}, request.columns).changed > 0) return {};
    Answer found = rows(table, table.read_current, {number(request.key)});
    found.applied = false;
    if (!found.rows.empty()) return found;
  }
  throw TransactionFailure(FailureCause::Other, Outcome::Aborted,
                           "a row that is never there refuses an insert");
}

Answer SqlClient::compare_and_set(const Request& request, const TableStatements& table) {
  for (int i = 0; i < kTries; ++i) {
    if (run(table.compare_and_set, {number(request.key), request.tag, request.expected}).changed > 0)
      return {};
    Answer found = rows(table, table.read_current, {number(request.key)});
    found.applied = false;
    if (found.rows.empty() || found.rows.front().tag != request.expected) return found;
  }
  throw TransactionFailure(FailureCause::Other, Outcome::Aborted,
                           "a tag that is as expected refuses its change");
}

Answer SqlClient::scan(const Request& request, const TableStatements& table) {
  const TableStatements::Range& range = range_of(request, table);
  if (request.function == Request::Function::None) {
    if (is_unbounded(request) && !request.locks) return rows(table, range.everything, {});
    return rows(table, request.locks ? range.lock : range.scan, {request.low, request.high});
  }
  const std::size_t columns = table.width - 1;  // The key and the columns.
  const std::size_t argument = request.argument == Request::kKey ? 0 : request.argument + 1u;
  const std::size_t function = static_cast<std::size_t>(request.function) - 1;  // Count is the first.
  const std::size_t at = function == 0 ? 0 : 1 + (function - 1) * columns + argument;
  expects(at < range.aggregates.size() && argument < columns, "a table whose columns are recorded");
  const Result result = run(range.aggregates[at], {request.low, request.high});
  expects(result.cells.size() == 2, "an aggregate answers one row");
  Answer answer;
  if (function == 0)
    answer.result = result.cells[0];
  else if (result.cells[0] > 0)
    answer.result = result.cells[1];
  return with_snapshot(std::move(answer), result);
}

// Reads back the rows with the new tag in the range where the rows are now.
Answer SqlClient::update_range(const Request& request, const TableStatements& table) {
  const TableStatements::Range& range = range_of(request, table);
  const bool all = !request.columns.empty();
  const Result result = run(all ? range.update_columns : range.update,
                            {request.low, request.high, request.tag}, request.columns);
  if (statements_->dialect.updated != Dialect::Written::ReadBack)
    return with_snapshot(with_counts(rows_of(result, table), result.rows, result.rows), result);
  const bool moved = all && request.column != Request::kKey;
  const std::int64_t low = moved ? request.columns[request.column] : request.low;
  const std::int64_t high = moved ? low : request.high;
  Answer written = rows_of(run(range.written, {low, high, request.tag}), table);
  return with_snapshot(
      with_counts(std::move(written), result.changed, result.differing.value_or(result.changed)), result);
}

Answer SqlClient::delete_range(const Request& request, const TableStatements& table) {
  const TableStatements::Range& range = range_of(request, table);
  if (statements_->dialect.deleted != Dialect::Written::ReadBack) {
    const Result result = run(range.remove, {request.low, request.high});
    return with_snapshot(with_counts(rows_of(result, table), result.rows, result.rows), result);
  }
  Answer found = rows_of(run(range.lock, {request.low, request.high}), table);
  const Result result = run(range.remove, {request.low, request.high});
  if (result.changed != found.rows.size())  // At read committed, locks on rows do not prevent new rows.
    throw TransactionFailure(FailureCause::Other, Outcome::Aborted,
                             "rows came between a locked read and its delete");
  return with_snapshot(with_counts(std::move(found), result.changed, result.changed), result);
}

Answer SqlClient::rows(const TableStatements& table, const Statement& statement,
                       std::initializer_list<std::int64_t> first, std::span<const std::int64_t> columns) {
  const Result result = run(statement, first, columns);
  return with_snapshot(rows_of(result, table), result);
}

Result SqlClient::run(const Statement& statement, std::initializer_list<std::int64_t> first,
                      std::span<const std::int64_t> columns) {
  expects(!statement.text.empty(), "the table can be asked this");
  parameters_.assign(first);
  parameters_.insert(parameters_.end(), columns.begin(), columns.end());
  return connection_->run(statement, parameters_);
}

}  // namespace serval::sql
