#include "serval/inference/key_kinds.h"

#include <algorithm>

namespace serval {
namespace {

enum class Says : std::uint8_t { Nothing, Register, List, Mixed };

Says says(const History& history, OperationId op) {
  const Value value = history.value(op);
  switch (history.kind(op)) {
    case OperationKind::Append:
      return value.is_unknown() ? Says::Mixed : Says::List;
    case OperationKind::ReadList:
    case OperationKind::Read:
      if (value.is_nil() || value.is_unknown()) return Says::Nothing;
      if (!value.is_list()) return history.kind(op) == OperationKind::Read ? Says::Register : Says::Mixed;
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

}  // namespace

std::vector<KeyKind> kinds_of_keys(const History& history) {
  const auto of_list = [](OperationKind kind) {
    return kind == OperationKind::Append || kind == OperationKind::ReadList;
  };
  if (std::ranges::none_of(history.kind_column(), of_list)) return {};
  std::vector<KeyKind> kinds(history.key_count(), KeyKind::Register);
  std::vector<bool> spoken(history.key_count(), false);
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    const OperationId op{i};
    if (is_predicate(history.kind(op))) continue;
    const std::size_t key = history.key(op).index;
    const Says word = says(history, op);
    kinds[key] = combine(kinds[key], word, !spoken[key]);
    if (word != Says::Nothing) spoken[key] = true;
  }
  return kinds;
}

}  // namespace serval
