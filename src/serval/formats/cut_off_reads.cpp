#include "serval/formats/cut_off_reads.h"

#include <algorithm>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/history/changed_history.h"

namespace serval {
namespace {

using KeyAndValue = std::pair<KeyId, Value>;

absl::flat_hash_set<KeyAndValue> all_written(const History& history) {
  absl::flat_hash_set<KeyAndValue> written;
  for (std::uint32_t i = 0; i < history.operation_count(); ++i)
    if (const OperationId op{i}; writes_value(history.kind(op)))
      written.emplace(history.key(op), history.value(op));
  return written;
}

std::vector<ChangedOperation> find_cut_off_reads(const History& history) {
  const absl::flat_hash_set<KeyAndValue> written = all_written(history);
  const auto misses = [&](OperationId read, Value value) {
    const auto unwritten = [&](Value one) { return !written.contains({history.key(read), one}); };
    if (value.is_nil() || value.is_unknown() || value == history.initial_value()) return false;
    if (value.is_list()) return std::ranges::any_of(history.values().elements(value), unwritten);
    return unwritten(value);
  };
  std::vector<ChangedOperation> changes;
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    const OperationId op{i};
    const OperationKind kind = history.kind(op);
    const bool conditional = kind == OperationKind::CompareAndSet;
    const bool reads = kind == OperationKind::Read || kind == OperationKind::ReadList ||
                       kind == OperationKind::InsertMiss || kind == OperationKind::CompareAndSetMiss;
    if (!(reads && misses(op, history.value(op))) && !(conditional && misses(op, history.expected(op))))
      continue;
    changes.push_back({.op = op,
                       .kind = kind,
                       .value = conditional ? history.value(op) : Value::unknown(),
                       .expected = conditional ? Value::unknown() : history.expected(op)});
  }
  return changes;
}

}  // namespace

bool lists_sessions_in_turn(Format format) {
  switch (format) {
    case Format::JepsenEdn:
    case Format::JepsenJson:
    case Format::JepsenJsonl:
    case Format::JepsenText:  // These are ordered by time.
    case Format::Jsonl:
    case Format::Binary:  // Their readers see whether anything is missing.
      return false;
    default:
      return true;
  }
}

History without_cut_off_reads(History history, const Notice& notice) {
  const std::vector<ChangedOperation> changes = find_cut_off_reads(history);
  if (changes.empty()) return history;
  if (notice)
    notice(fmt::format(
        "reads of values that no transaction wrote: {}; left out, since their writes may be in the part "
        "that was cut off",
        changes.size()));
  return with_changes(history, changes);
}

}  // namespace serval
