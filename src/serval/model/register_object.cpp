#include "serval/model/register_object.h"

#include <algorithm>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace serval {
namespace {

using Kind = RegisterOperation::Kind;

bool compares(const RegisterOperation& one) {
  return one.kind == Kind::Read || one.kind == Kind::CompareAndSet;
}

absl::flat_hash_set<Value> seen_values(std::span<const RegisterOperation> operations,
                                       std::span<const CallSpan> spans, const std::vector<bool>& keep) {
  absl::flat_hash_set<Value> seen;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const RegisterOperation& one = operations[i];
    if (!keep[i] || !compares(one) || (one.kind == Kind::Read && spans[i].lost())) continue;
    seen.insert(one.kind == Kind::Read ? one.value : one.expected);
  }
  return seen;
}

}  // namespace

RegisterObject::RegisterObject(Value initial, std::span<const RegisterOperation> operations)
    : initial_(initial), operations_(operations) {
  absl::flat_hash_map<std::tuple<Kind, Value, Value>, std::uint32_t> kinds;
  kinds_.reserve(operations.size());
  for (const RegisterOperation& one : operations)
    kinds_.push_back(
        kinds.try_emplace({one.kind, one.expected, one.value}, static_cast<std::uint32_t>(kinds.size()))
            .first->second);
}

std::vector<bool> lost_operations_worth_keeping(std::span<const RegisterOperation> operations,
                                                std::span<const CallSpan> spans) {
  std::vector<bool> keep(operations.size(), true);
  // Any change of the value can make a mismatch fit.
  if (std::ranges::find(operations, Kind::Mismatch, &RegisterOperation::kind) != operations.end())
    return keep;
  for (bool changed = true; changed;) {
    changed = false;
    const absl::flat_hash_set<Value> seen = seen_values(operations, spans, keep);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (!keep[i] || !spans[i].lost() || seen.contains(operations[i].value)) continue;
      keep[i] = false;
      changed = true;
    }
  }
  return keep;
}

}  // namespace serval
