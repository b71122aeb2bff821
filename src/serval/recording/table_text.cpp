#include "serval/recording/table_text.h"

#include <algorithm>

#include "serval/base/contract.h"
#include "serval/formats/native/jsonl_line.h"
#include "serval/formats/native/jsonl_value.h"

namespace serval {
namespace {

constexpr std::string_view kTagColumn = "tag";

using Node = Predicate::Node;

std::string start_of(Node node, std::string_view name = {}) {
  std::string out;
  append_json_node_start(out, node, name);
  return out;
}
std::string column_node(const std::string& name) { return start_of(Node::Column, name) + "]"; }

// By Request::Function.
constexpr std::array<std::string_view, 5> kFunctions{"", "count", "min", "max", "sum"};

std::size_t place_of(std::uint32_t column) { return column == Request::kKey ? 0 : column + 1u; }

}  // namespace

// Keys of the first table do not name it; the fact "table" does.
TableText::TableText(const Schema& schema)
    : between_(start_of(Node::Between) + ","),
      update_(start_of(Node::Update) + ","),
      set_tag_("," + start_of(Node::Set, kTagColumn) + ","),
      set_value_("," + start_of(Node::Set, "value") + ",") {
  for (std::size_t i = 0; i < aggregates_.size(); ++i)
    aggregates_[i] = start_of(Node::Aggregate, kFunctions[i]) + ",";
  for (const TableInfo& table : schema) {
    Entry entry;
    if (!entries_.empty()) entry.key_prefix = "\"" + table.name + "/";
    entry.nodes.push_back(column_node(table.name + ".k"));
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const ColumnInfo& column = table.columns[i];
      entry.nodes.push_back(column_node(table.name + "." + column.name));
      entry.assigned.push_back("," + start_of(Node::Set, column.name) + ",");
      entry.initial.push_back(column.initial);
      if (records_columns(table)) entry.cells.push_back({column.name, i});
    }
    if (records_columns(table)) entry.cells.push_back({std::string(kTagColumn), kTag});
    std::ranges::sort(entry.cells, {}, &Cell::before);  // As the reader sorts them.
    for (Cell& cell : entry.cells)
      cell.before = (&cell == entry.cells.data() ? "{" : ",") + json_string(cell.before) + ":";
    entries_.push_back(std::move(entry));
  }
}

void TableText::put_key(std::string& to, std::uint32_t table, std::uint64_t key) const {
  const std::string& prefix = entries_[table].key_prefix;
  to += prefix;
  put(to, static_cast<std::int64_t>(key));
  if (!prefix.empty()) to += '"';
}

void TableText::put_value(std::string& to, std::uint32_t table, std::int64_t tag,
                          std::span<const std::int64_t> columns) const {
  const Entry& entry = entries_[table];
  if (entry.cells.empty()) return put(to, tag);
  expects(columns.size() + 1 == entry.cells.size(), "a recorded row has all columns");
  for (const Cell& cell : entry.cells)
    put_all(to, cell.before, cell.column == kTag ? tag : columns[cell.column]);
  to += '}';
}

void TableText::put_written(std::string& to, const Request& request) const {
  const bool initial = request.columns.empty() && request.kind == Request::Kind::Insert;
  put_value(to, request.table, request.tag, initial ? entries_[request.table].initial : request.columns);
}

void TableText::put_condition(std::string& to, const Entry& entry, const Request& request) const {
  put_all(to, between_, entry.nodes[place_of(request.column)], ",", request.low, ",", request.high, "]");
}

void TableText::put_assignments(std::string& to, const Entry& entry, const Request& request) const {
  if (entry.cells.empty()) return put_all(to, set_value_, request.tag, "]");
  put_all(to, set_tag_, request.tag, "]");
  for (std::size_t i = 0; i < request.columns.size(); ++i)
    put_all(to, entry.assigned[i], request.columns[i], "]");
}

void TableText::put_predicate(std::string& to, const Request& request) const {
  const Entry& entry = entries_[request.table];
  if (request.kind == Request::Kind::UpdateRange) {
    put(to, update_);
    put_condition(to, entry, request);
    put_assignments(to, entry, request);
    return put(to, "]");
  }
  if (request.function == Request::Function::None) return put_condition(to, entry, request);
  put(to, aggregates_[static_cast<std::size_t>(request.function)]);
  if (request.function != Request::Function::Count) put_all(to, entry.nodes[place_of(request.argument)], ",");
  put_condition(to, entry, request);
  put(to, "]");
}

}  // namespace serval
