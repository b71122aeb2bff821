#include "serval/inference/key_kinds.h"

#include <algorithm>

namespace serval {
namespace {

enum class Says : std::uint8_t { Nothing, Register, List, Mixed };

// A register may hold a list as its value: a Read of a key is a list read only if nobody writes the key
// as a whole.
Says says(const History& history, OperationId op, const std::vector<bool>& written) {
  const Value value = history.value(op);
  switch (history.kind(op)) {
    case OperationKind::Append:
      return value.is_unknown() ? Says::Mixed : Says::List;
    case OperationKind::ReadList:
    case OperationKind::Read:
      if (value.is_nil() || value.is_unknown()) return Says::Nothing;
      if (!value.is_list()) return history.kind(op) == OperationKind::Read ? Says::Register : Says::Mixed;
      if (history.kind(op) == OperationKind::Read && written[history.key(op).index]) return Says::Register;
      return elements_shown(history, op).empty() ? Says::Nothing : Says::List;
    default:
      return Says::Register;
  }
}

KeyKind combine(KeyKind kind, Says says, bool fresh) {
  switch (says) {
    case Says::Nothing:
      return kind;
    case Says::Register:
      return kind == KeyKind::Register ? kind : KeyKind::Mixed;
    case Says::List:
      return kind == KeyKind::List || fresh ? KeyKind::List : KeyKind::Mixed;
    case Says::Mixed:
      break;
  }
  return KeyKind::Mixed;
}

bool writes_by_predicate(OperationKind kind) {
  return kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete;
}

// If the response was lost, any key may have been written.
void mark_written(const History& history, TransactionId t, OperationId op, std::vector<KeyKind>& kinds) {
  const std::vector<Row> rows = history.operation(op).rows;
  if (rows.empty() && history.outcome(t) == Outcome::Indeterminate) std::ranges::fill(kinds, KeyKind::Mixed);
  for (const Row& row : rows) kinds[row.key.index] = KeyKind::Mixed;
}

}  // namespace

OperationId last_write(const History& history, TransactionId t, KeyId key, OperationId end) {
  OperationId last = OperationId::none();
  if (t.is_none() || key.is_none()) return last;
  for (const OperationId op : history.operations(t)) {
    if (op == end) break;
    const OperationKind kind = history.kind(op);
    const auto rows = history.rows(op);
    if (is_predicate(kind)
            ? kind != OperationKind::PredicateRead && std::ranges::find(rows, key, &Row::key) != rows.end()
            : history.key(op) == key && writes_key(kind))
      last = op;
  }
  return last;
}

std::vector<KeyKind> kinds_of_keys(const History& history) {
  const auto matters = [](OperationKind kind) {
    return kind == OperationKind::Append || kind == OperationKind::ReadList || writes_by_predicate(kind);
  };
  if (history.values().list_count() == 0 && std::ranges::none_of(history.kind_column(), matters)) return {};
  std::vector<bool> written(history.key_count(), false);
  for (std::uint32_t i = 0; i < history.operation_count(); ++i)
    if (writes_whole(history.kind(OperationId{i}))) written[history.key(OperationId{i}).index] = true;
  std::vector<KeyKind> kinds(history.key_count(), KeyKind::Register);
  std::vector<bool> spoken(history.key_count(), false);
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    const OperationId op{i};
    if (is_predicate(history.kind(op))) continue;
    const std::size_t key = history.key(op).index;
    const Says word = says(history, op, written);
    kinds[key] = combine(kinds[key], word, !spoken[key]);
    if (word != Says::Nothing) spoken[key] = true;
  }
  for (const TransactionId t : history.transactions())
    for (const OperationId op : history.operations(t))
      if (writes_by_predicate(history.kind(op))) mark_written(history, t, op, kinds);
  return kinds;
}

}  // namespace serval
