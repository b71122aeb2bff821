#include "serval/history/operation.h"

#include <array>
#include <utility>

namespace serval {
namespace {

constexpr std::array<std::pair<OperationKind, std::string_view>, 12> kNames{{
    {OperationKind::Read, "read"},
    {OperationKind::Write, "write"},
    {OperationKind::Append, "append"},
    {OperationKind::ReadList, "read-list"},
    {OperationKind::Insert, "insert"},
    {OperationKind::InsertMiss, "insert-miss"},
    {OperationKind::Delete, "delete"},
    {OperationKind::CompareAndSet, "cas"},
    {OperationKind::CompareAndSetMiss, "cas-miss"},
    {OperationKind::PredicateRead, "predicate-read"},
    {OperationKind::PredicateUpdate, "predicate-update"},
    {OperationKind::PredicateDelete, "predicate-delete"},
}};

}  // namespace

std::string_view name_of(OperationKind kind) { return kNames[static_cast<std::size_t>(kind)].second; }

std::optional<OperationKind> operation_kind_named(std::string_view name) {
  for (const auto& [kind, spelled] : kNames) {
    if (spelled == name) return kind;
  }
  return std::nullopt;
}

}  // namespace serval
