#include "workload/memory_store.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "serval/workload/aggregate.h"

namespace serval {
namespace {

using Kind = Request::Kind;

bool has_row(const TableInfo& table) { return table.initial == TableInfo::Initial::Zero; }

Answer answer_with(const Answer::Row* row) {
  Answer answer;
  if (row != nullptr) answer.rows.push_back(*row);
  return answer;
}

}  // namespace

MemoryStore::MemoryStore(Schema schema, StoreFaults faults)
    : schema_(std::move(schema)), faults_(faults), tables_(schema_.size()), lists_(schema_.size()) {
  for (std::size_t i = 0; i < schema_.size(); ++i) {
    if (!has_row(schema_[i]) || schema_[i].holds == TableInfo::Holds::Lists) continue;
    Row row;
    for (const ColumnInfo& column : schema_[i].columns) row.columns.push_back(column.initial);
    for (row.key = 0; row.key < schema_[i].rows; ++row.key) tables_[i][row.key] = row;
  }
}

void MemoryStore::check(const Request& request) const {
  expects(request.table < schema_.size(), "a table of the schema");
  const TableInfo& table = schema_[request.table];
  const bool of_list = request.kind == Kind::Append || request.kind == Kind::ReadList;
  expects(of_list == (table.holds == TableInfo::Holds::Lists), "lists in tables of lists");
  expects(request.key <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
          "a signed key");
  const std::size_t columns = request.columns.size();
  expects(columns == 0 || columns == table.columns.size(), "all columns or none");
  const bool writes_row = request.kind == Kind::Insert;
  expects(!writes_row || columns == table.columns.size(), "whole rows to insert");
  if (!is_range(request.kind)) return;
  expects(is_unbounded(request) || (request.low >= 0 && request.low <= request.high), "a range of values");
  expects(request.column == Request::kKey || table.columns.at(request.column).indexed, "an indexed column");
}

Answer MemoryStore::perform(const Request& request) {
  check(request);
  return is_range(request.kind) ? perform_on_range(request) : perform_on_key(request);
}

Answer MemoryStore::perform_on_key(const Request& request) {
  const Row* row = find(request);
  Answer answer;
  switch (request.kind) {
    case Kind::Append:
      lists_[request.table][request.key].push_back(request.tag);
      return answer;
    case Kind::ReadList:
      answer.list = lists_[request.table][request.key];
      return answer;
    case Kind::Read:
      return answer_with(row);
    case Kind::Write:
      put(request, request.key);
      return answer;
    case Kind::Update:
      answer = answer_with(row);
      answer.applied = row != nullptr;
      break;
    case Kind::Insert:
      answer = answer_with(row);
      answer.applied = row == nullptr;
      break;
    case Kind::CompareAndSet:
      answer.applied = row != nullptr && row->tag == request.expected;
      if (!answer.applied) answer.rows = answer_with(row).rows;
      break;
    default:
      answer.applied = row != nullptr;
      if (answer.applied) erase(request.table, request.key);
      return answer;
  }
  if (answer.applied) put(request, request.key);
  return answer;
}

Answer MemoryStore::perform_on_range(const Request& request) {
  Answer answer;
  answer.rows = rows_in_range(request);
  for (const Row& row : answer.rows) {
    if (request.kind == Kind::UpdateRange) put(request, row.key);
    if (request.kind == Kind::DeleteRange) erase(request.table, row.key);
  }
  answer_aggregate(request, answer);
  return answer;
}

std::vector<Answer::Row> MemoryStore::rows_in_range(const Request& request) const {
  const auto& table = tables_[request.table];
  std::vector<Row> rows;
  if (request.column == Request::kKey) {
    const auto end = table.upper_bound(static_cast<std::uint64_t>(request.high));
    for (auto at = table.lower_bound(static_cast<std::uint64_t>(request.low)); at != end; ++at)
      rows.push_back(at->second);
    return rows;
  }
  for (const auto& [key, row] : table) {
    const std::int64_t value = row.columns[request.column];
    if (value >= request.low && value <= request.high) rows.push_back(row);
  }
  return rows;
}

const Answer::Row* MemoryStore::find(const Request& request) const {
  const auto found = tables_[request.table].find(request.key);
  return found == tables_[request.table].end() ? nullptr : &found->second;
}

void MemoryStore::put(const Request& request, std::uint64_t key) {
  if (faults_.lost_write > 0 && ++writes_ % faults_.lost_write == 0) return;
  auto& table = tables_[request.table];
  const auto found = table.find(key);
  undo_.push_back({request.table, key, found == table.end() ? std::nullopt : std::optional(found->second)});
  Row& row = table[key];
  row.key = key;
  row.tag = request.tag;
  if (!request.columns.empty()) row.columns = request.columns;
  row.columns.resize(schema_[request.table].columns.size());
}

void MemoryStore::erase(std::uint32_t table, std::uint64_t key) {
  undo_.push_back({table, key, tables_[table].at(key)});
  tables_[table].erase(key);
}

void MemoryStore::roll_back() {
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) {
    if (undo->before)
      tables_[undo->table][undo->key] = *undo->before;
    else
      tables_[undo->table].erase(undo->key);
  }
  undo_.clear();
}

}  // namespace serval
