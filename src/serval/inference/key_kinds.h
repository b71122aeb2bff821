#pragma once
// Which keys are lists. A key is a list when something is appended to it or when a read of it shows elements;
// a read of nothing says neither. A key that is also written, or read, as a register has no meaning here, and
// none has one that a predicate update or delete has written: who wrote it when is not looked at yet.
//
//   a(x,1) l(x,[1])  w(y,1) l(y,_)  a(z,1) w(z,2)      x is a list, y a register, z is mixed

#include <cstdint>
#include <vector>

#include "serval/history/history.h"

namespace serval {

enum class KeyKind : std::uint8_t { Register, List, Mixed };

// By key; empty when all are registers, after a glance at the kinds of the operations. O(operations).
std::vector<KeyKind> kinds_of_keys(const History& history);

// What a list read shows; nothing for nil.
inline std::span<const Value> elements_shown(const History& history, OperationId read) {
  const Value value = history.value(read);
  return value.is_list() ? history.values().elements(value) : std::span<const Value>{};
}

}  // namespace serval
