#include "serval/history/operation.h"

#include <array>

namespace serval {

std::string_view name_of(OperationKind kind) {
  static constexpr std::array<std::string_view, 12> kNames{
      "read",   "write", "append",   "read-list",      "insert",           "insert-miss",
      "delete", "cas",   "cas-miss", "predicate-read", "predicate-update", "predicate-delete"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace serval
