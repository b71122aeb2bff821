#include "serval/inference/expected_snapshots.h"

#include <algorithm>
#include <limits>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/inference/key_kinds.h"

namespace serval {
namespace {

// By which a transaction is placed: its commit, or without one its start.
std::int64_t timestamp_of(const TransactionHints& hints) {
  return hints.commit_timestamp ? *hints.commit_timestamp : *hints.start_timestamp;
}

template <class Visit>
void for_each_written(const History& history, TransactionId t, Visit&& visit) {
  for (const OperationId op : history.operations(t)) {
    const OperationKind kind = history.kind(op);
    if (writes_key(kind)) visit(history.key(op), kind == OperationKind::Delete);
    if (kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete)
      for (const Row& row : history.rows(op)) visit(row.key, kind == OperationKind::PredicateDelete);
  }
}

std::string flaw_of_start(const History& history, TransactionId t) {
  const TransactionHints* const hints = history.hints(t);
  if (hints == nullptr || !hints->start_timestamp)
    return fmt::format("{} has no start timestamp", name_of(history, t));
  if (*hints->start_timestamp > timestamp_of(*hints))
    return fmt::format("{} committed before its start timestamp", name_of(history, t));
  return {};
}

}  // namespace

ExpectedSnapshots snapshots_by_timestamps(const History& history) {
  ExpectedSnapshots out{.order = order_by_timestamps(history)};
  const std::vector<TransactionId>& order = out.order.transactions;
  for (const TransactionId t : order) {
    if (out.order.problem.empty()) out.order.problem = flaw_of_start(history, t);
    if (!out.order.problem.empty()) break;
    const std::int64_t start = *history.hints(t)->start_timestamp;
    const auto after = std::ranges::upper_bound(
        order, start, {}, [&](TransactionId other) { return timestamp_of(*history.hints(other)); });
    const auto count = static_cast<std::size_t>(after - order.begin());
    out.visible.push_back(static_cast<std::uint32_t>(std::min(count, out.visible.size())));
  }
  return out;
}

std::vector<bool> unsettled_keys(const History& history, const ExpectedSnapshots& expected) {
  std::vector<bool> open = unsettled_keys(history, expected.order);
  absl::flat_hash_set<std::int64_t> starts;
  for (const TransactionId t : expected.order.transactions)
    if (const TransactionHints& hints = *history.hints(t);
        !hints.commit_timestamp || *hints.start_timestamp != *hints.commit_timestamp)
      starts.insert(*hints.start_timestamp);
  for (const TransactionId t : history.transactions()) {
    if (history.outcome(t) == Outcome::Aborted) continue;
    const TransactionHints* const hints = history.hints(t);
    const bool at_start =
        hints != nullptr && hints->commit_timestamp && starts.contains(*hints->commit_timestamp);
    for_each_written(history, t, [&](KeyId key, bool deletes) {
      if (deletes || at_start) open[key.index] = true;
    });
  }
  return open;
}

std::optional<OverlappingWrites> find_overlap(const History& history, const ExpectedSnapshots& expected,
                                              const std::vector<bool>& ignored) {
  constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  const std::vector<TransactionId>& order = expected.order.transactions;
  std::vector<std::uint32_t> last(history.key_count(), kNever);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    std::optional<OverlappingWrites> found;
    for_each_written(history, order[i], [&](KeyId key, bool) {
      const std::uint32_t before = std::exchange(last[key.index], i);
      const bool overlaps = before != kNever && before != i && before >= expected.visible[i];
      if (overlaps && !found && !ignored[key.index])
        found = {.earlier = order[before], .later = order[i], .key = key};
    });
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace serval
