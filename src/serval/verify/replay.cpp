#include "serval/verify/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "serval/predicate/row_columns.h"

namespace serval::verify {

Flaw Replay::run(TransactionId t) {
  log_.clear();
  deleted_.clear();
  for (const OperationId op : history_.operations(t)) {
    if (!reinserted_.empty()) note_deleted(t, op);
    if (is_predicate(history_.kind(op))) {
      if (Flaw flaw = run_predicate(op)) return flaw;
      continue;
    }
    if (Flaw flaw = check_read(t, op)) return flaw;
    write(op);
  }
  return std::nullopt;
}

// The row that a predicate finds at a key: nil if there is none, unknown if the key holds a list.
Value Replay::row_at(KeyId key) const {
  const Cell& cell = cells_[key.index];
  if (cell.state == Cell::State::List) return Value::unknown();
  if (cell.state == Cell::State::Scalar) return cell.value;
  return absent_[key.index] ? Value::nil() : history_.initial_value();
}

void Replay::find_absent(const std::vector<TransactionId>& order) {
  absent_.assign(history_.key_count(), false);
  if (history_.initial_value().is_nil()) return;
  std::vector<bool> written(history_.key_count(), false);
  const auto note = [&](KeyId key, bool inserts) {
    if (!written[key.index]) absent_[key.index] = inserts;
    written[key.index] = true;
  };
  for (const TransactionId t : order) {
    if (t.index >= history_.transaction_count()) continue;
    for (const OperationId op : history_.operations(t)) {
      const OperationKind kind = history_.kind(op);
      if (kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete)
        for (const Row& row : history_.rows(op)) note(row.key, false);
      else if (!is_predicate(kind) && value_written(history_, op))
        note(history_.key(op), kind == OperationKind::Insert);
    }
  }
  const std::set<KeyId> found = initial_rows_found(history_);
  for (const KeyId key : history_.key_ids())
    if (!written[key.index]) absent_[key.index] = !found.contains(key);
}

Flaw Replay::run_predicate(OperationId op) {
  const auto row = [this](KeyId key) { return row_at(key); };
  if (Flaw flaw = predicates_.flaw_of_operation(op, row, deleted_)) return flaw;
  write_rows(op);
  return std::nullopt;
}

void Replay::write_rows(OperationId op) {
  if (history_.kind(op) == OperationKind::PredicateRead) return;
  const bool deletes = history_.kind(op) == OperationKind::PredicateDelete;
  for (const Row& row : history_.rows(op)) {
    Cell& cell = cells_[row.key.index];
    log_.push_back({row.key, std::move(cell)});
    cell = Cell{Cell::State::Scalar, deletes ? Value::nil() : row.value, {}};
  }
}

// For the first write of a key that was actually free.
void Replay::note_deleted(TransactionId t, OperationId op) {
  if (is_predicate(history_.kind(op)) || !value_written(history_, op)) return;
  const KeyId key = history_.key(op);
  const auto is_there = [&](const Row& row) { return row.key == key; };
  if (!reinserted_.contains({t, key}) || std::ranges::any_of(deleted_, is_there)) return;
  if (const Value row = row_at(key); !row.is_nil() && !row.is_unknown()) deleted_.push_back({key, row});
}

Flaw Replay::run_and_undo(TransactionId t) {
  Flaw flaw = run(t);
  undo();
  return flaw;
}

void Replay::apply_writes(TransactionId t, OperationId end) {
  log_.clear();
  for (const OperationId op : history_.operations(t)) {
    if (op == end) return;
    is_predicate(history_.kind(op)) ? write_rows(op) : write(op);
  }
}

bool Replay::is_known(KeyId key) const {
  const Cell& cell = cells_[key.index];
  const auto unknown = [](Value element) { return element.is_unknown(); };
  return cell.state == Cell::State::List ? std::ranges::none_of(cell.list, unknown) : !unknown(cell.value);
}

Flaw Replay::flaw_of_disagreement(OperationId op, KeyId key, const std::string& expected) {
  const std::string spelled = print_in_transaction(history_, op);
  if (is_predicate(history_.kind(op))) {
    bool may_be_absent = false;
    for (const KeyId k : history_.key_ids())
      may_be_absent = may_be_absent || ((key.is_none() || k == key) && !history_.initial_value().is_nil() &&
                                        cells_[k.index].state == Cell::State::Untouched);
    if (may_be_absent) return fmt::format("{} may have found an initial row, or none", spelled);
    return predicates_.flaw_of_disagreement(op, key, expected, [this](KeyId k) { return row_at(k); });
  }
  if (history_.key(op) != key) return fmt::format("{} is not about the key", spelled);
  const std::optional<Value> seen = value_read(history_, op);
  if (!seen) return fmt::format("it is not known what {} saw", spelled);
  if (!is_known(key)) return fmt::format("a value was not recorded that {} may have seen", spelled);
  const bool same_row = cells_[key.index].state == Cell::State::Scalar &&
                        rows_agree(cells_[key.index].value, *seen, history_.values());
  return same_row || matches(key, *seen) ? Flaw(fmt::format("{} agrees with the replay", spelled))
                                         : std::nullopt;
}

bool Replay::matches(KeyId key, Value seen) const {
  const Cell& cell = cells_[key.index];
  const bool empty_list = seen.is_list() && history_.values().elements(seen).empty();
  switch (cell.state) {
    case Cell::State::Untouched:
      return may_be_initial(history_, seen) || empty_list;
    case Cell::State::Scalar:
      return seen == cell.value || (cell.value.is_nil() && empty_list);
    case Cell::State::List:
      return seen.is_list() && std::ranges::equal(history_.values().elements(seen), cell.list);
  }
  return false;
}

std::string Replay::format(const Cell& cell) const {
  if (cell.state == Cell::State::Untouched) return "the initial version";
  if (cell.state == Cell::State::Scalar) return history_.format(cell.value);
  std::string out = "[";
  for (const Value element : cell.list) out += (out.size() > 1 ? " " : "") + history_.format(element);
  return out + "]";
}

Flaw Replay::check_read(TransactionId t, OperationId op) const {
  const std::optional<Value> seen = value_read(history_, op);
  if (!seen) return std::nullopt;
  if (matches(history_.key(op), *seen)) return std::nullopt;
  const bool inserts = history_.kind(op) == OperationKind::Insert;
  if (inserts && reinserted_.contains({t, history_.key(op)})) return std::nullopt;
  return fmt::format("{} does not match the replay: {} holds {} there", print_in_transaction(history_, op),
                     history_.format_key(history_.key(op)), format(cells_[history_.key(op).index]));
}

void Replay::write(OperationId op) {
  const std::optional<Value> value = value_written(history_, op);
  if (!value) return;
  const KeyId key = history_.key(op);
  if (history_.kind(op) == OperationKind::Append) return append(key, *value);
  Cell& cell = cells_[key.index];
  log_.push_back({key, std::move(cell)});
  cell = Cell{Cell::State::Scalar, *value, {}};
}

// The first append to a key turns its content into a list.
void Replay::append(KeyId key, Value element) {
  Cell& cell = cells_[key.index];
  if (cell.state == Cell::State::List) {
    log_.push_back({key, std::nullopt});
  } else {
    Cell list{Cell::State::List, Value::nil(), {}};
    if (cell.value.is_list()) {
      const auto elements = history_.values().elements(cell.value);
      list.list.assign(elements.begin(), elements.end());
    }
    log_.push_back({key, std::exchange(cell, std::move(list))});
  }
  cell.list.push_back(element);
}

void Replay::undo() {
  for (; !log_.empty(); log_.pop_back()) {
    Undo& last = log_.back();
    Cell& cell = cells_[last.key.index];
    if (last.before)
      cell = std::move(*last.before);
    else
      cell.list.pop_back();
  }
}

}  // namespace serval::verify
