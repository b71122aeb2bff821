#include "serval/check/replay/row_state.h"

#include <algorithm>

#include "serval/inference/initial_rows.h"

namespace serval::replay {
namespace {

Table table_of(const std::string& column) {
  const Predicate tree{.node = Predicate::Node::Column, .name = column, .literal = {}, .children = {}};
  return Table(Condition(tree, ValuePool()));
}

// Keys that have no row at the start: their first writer inserts it, or they have no writer and no
// transaction found a row.
std::vector<bool> absent_keys(const History& history, std::span<const TransactionId> order) {
  enum class First : std::uint8_t { None, Insert, Other };
  std::vector<First> first(history.key_count(), First::None);
  const auto note = [&](KeyId key, First kind) {
    if (first[key.index] == First::None) first[key.index] = kind;
  };
  for (const TransactionId t : order)
    for (const OperationId op : history.operations(t)) {
      const OperationKind kind = history.kind(op);
      if (kind == OperationKind::Insert) note(history.key(op), First::Insert);
      if (kind == OperationKind::Write || kind == OperationKind::Append || kind == OperationKind::Delete ||
          kind == OperationKind::CompareAndSet)
        note(history.key(op), First::Other);
      if (kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete)
        for (const Row& row : history.rows(op)) note(row.key, First::Other);
    }
  const std::vector<bool> found = rows_found(history);
  std::vector<bool> absent(history.key_count(), false);
  for (std::size_t key = 0; key < first.size(); ++key)
    absent[key] = first[key] == First::Insert || (first[key] == First::None && !found[key]);
  return absent;
}

}  // namespace

RowState::RowState(const History& history, std::span<const TransactionId> order)
    : history_(history), cells_(history.key_count()) {
  if (history.initial_value().is_nil()) return;
  const std::vector<bool> absent = absent_keys(history, order);
  for (std::size_t key = 0; key < cells_.size(); ++key)
    if (!absent[key]) cells_[key].value = history.initial_value();
}

bool RowState::is_known(KeyId key) const {
  if (!cells_[key.index].is_list) return !value(key).is_unknown();
  return std::ranges::none_of(lists_.at(key), [](Value element) { return element.is_unknown(); });
}

bool RowState::shows(KeyId key, Value seen) const {
  const Cell& cell = cells_[key.index];
  const bool empty_list = seen.is_list() && history_.values().elements(seen).empty();
  if (cell.is_list)
    return seen.is_list() && std::ranges::equal(history_.values().elements(seen), lists_.at(key));
  if (seen == cell.value || (empty_list && cell.value.is_nil())) return true;
  return cell.writer.is_none() && (seen.is_nil() || empty_list || seen == history_.initial_value());
}

void RowState::save(KeyId key) {
  if (!in_trial_) return;
  const Cell& cell = cells_[key.index];
  before_.push_back({key, cell, cell.is_list ? lists_.at(key) : std::vector<Value>()});
}

void RowState::undo_trial() {
  for (; !before_.empty(); before_.pop_back()) {
    Before& last = before_.back();
    put(last.key, last.cell);
    if (last.cell.is_list) lists_[last.key] = std::move(last.list);
  }
  in_trial_ = false;
}

void RowState::put(KeyId key, const Cell& cell) {
  if (!columns_.empty() && is_row(key)) drop_from_indexes(key);
  cells_[key.index] = cell;
  if (!columns_.empty() && !cell.value.is_nil()) refresh(key);
}

void RowState::set(KeyId key, Value value, TransactionId writer) {
  save(key);
  put(key, {value, writer, false});
}

// The first append to a key turns its content into a list.
void RowState::append(KeyId key, Value element, TransactionId writer) {
  save(key);
  const Cell before = cells_[key.index];
  std::vector<Value>& list = lists_[key];
  if (!before.is_list) {
    list.clear();
    if (before.value.is_list()) {
      const auto elements = history_.values().elements(before.value);
      list.assign(elements.begin(), elements.end());
    }
    put(key, {Value::unknown(), writer, true});
  }
  list.push_back(element);
  cells_[key.index].writer = writer;
  cells_[key.index].is_list = true;
}

bool RowState::belongs(const Column& column, KeyId key) const {
  return column.table.has(history_, key) != Truth::False;
}

void RowState::drop_from_indexes(KeyId key) {
  for (Column& column : columns_)
    if (column.index && belongs(column, key)) column.index->remove(column.values[key.index], key);
}

void RowState::refresh(KeyId key) {
  read_columns(names_, history_.key_value(key), value(key), history_.values(), row_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    column.values[key.index] = std::move(row_[i]);
    if (column.index && belongs(column, key)) column.index->add(column.values[key.index], key);
  }
}

void RowState::decode(Column& column, KeyId key) {
  read_columns({&column.name, 1}, history_.key_value(key), value(key), history_.values(), row_);
  column.values[key.index] = std::move(row_.front());
}

std::uint32_t RowState::column(const std::string& name) {
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return static_cast<std::uint32_t>(found - names_.begin());
  names_.push_back(name);
  Column& made = columns_.emplace_back(name, table_of(name));
  made.values.resize(cells_.size());
  for (const KeyId key : history_.key_ids())
    if (is_row(key)) decode(made, key);
  return static_cast<std::uint32_t>(columns_.size() - 1);
}

void RowState::make_index(std::uint32_t number) {
  Column& column = columns_[number];
  if (column.index) return;
  column.index = std::make_unique<RowIndex>();
  for (const KeyId key : history_.key_ids())
    if (is_row(key) && belongs(column, key)) column.index->add(column.values[key.index], key);
}

std::string RowState::format(KeyId key) const {
  if (!cells_[key.index].is_list) return history_.format(value(key));
  std::string out = "[";
  for (const Value element : lists_.at(key)) out += (out.size() > 1 ? " " : "") + history_.format(element);
  return out + "]";
}

}  // namespace serval::replay
