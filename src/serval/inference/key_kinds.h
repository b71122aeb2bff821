#pragma once
// Which keys are lists. A key is a list if something is appended to it or if a read of it shows
// elements; an empty read decides nothing. Keys that are also written or read as registers are mixed and
// not supported, nor are keys written by a predicate update or delete, whose writes are not tracked
// here.
//
//   a(x,1) l(x,[1])  w(y,1) l(y,_)  a(z,1) w(z,2)      x is a list, y a register, z is mixed

#include <cstdint>
#include <vector>

#include "serval/history/history.h"

namespace serval {

enum class KeyKind : std::uint8_t { Register, List, Mixed };

// Of operations on single keys: whether it replaces the value of a register by another one, or by
// nothing, and whether it shows the value of a register.
constexpr bool writes_whole(OperationKind kind) {
  return kind == OperationKind::Write || kind == OperationKind::Insert ||
         kind == OperationKind::CompareAndSet;
}
constexpr bool writes_register(OperationKind kind) {
  return writes_whole(kind) || kind == OperationKind::Delete;
}
constexpr bool writes_key(OperationKind kind) {
  return writes_register(kind) || kind == OperationKind::Append;
}
constexpr bool reads_register(OperationKind kind) {
  return kind == OperationKind::Read || kind == OperationKind::Insert || kind == OperationKind::InsertMiss ||
         is_conditional(kind);
}

// The last write of the key by `t`, also by a predicate, before `end` if that is one of its operations;
// none() if there is none, or no transaction or key.
OperationId last_write(const History& history, TransactionId t, KeyId key, OperationId end);

// By key; empty if all are registers, which the kinds of the operations show quickly. O(operations).
std::vector<KeyKind> kinds_of_keys(const History& history);

// The elements that a list read shows; empty for nil.
inline std::span<const Value> elements_shown(const History& history, OperationId read) {
  const Value value = history.value(read);
  return value.is_list() ? history.values().elements(value) : std::span<const Value>{};
}

}  // namespace serval
