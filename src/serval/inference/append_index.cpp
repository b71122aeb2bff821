#include "serval/inference/append_index.h"

namespace serval {
namespace {

std::vector<OperationId> aborted_appends(const History& history, const ListAccesses& lists) {
  std::vector<OperationId> found;
  for (const TransactionId t : history.transactions()) {
    if (history.outcome(t) != Outcome::Aborted) continue;
    for (const OperationId op : history.operations(t))
      if (history.kind(op) == OperationKind::Append &&
          lists.key_kinds[history.key(op).index] == KeyKind::List)
        found.push_back(op);
  }
  return found;
}

}  // namespace

AppendIndex::AppendIndex(const History& history, const ListAccesses& lists, Budget& budget)
    : history_(history),
      lists_(lists),
      aborted_(aborted_appends(history, lists)),
      table_(lists.appends.size() + aborted_.size()) {
  constexpr std::size_t kAhead = 16;
  const std::size_t live = lists.appends.size();
  const auto key_of = [&](std::size_t i) { return lists.appends[i].key; };
  const auto value_of = [&](std::size_t i) { return history.value(lists.appends[i].op); };
  expects(append_count() < 0x7FFFFFFFu, "fewer than 2^31 - 1 appends");
  for (std::size_t i = 0; i < live; ++i) {
    budget.poll("index of appends");
    if (i + kAhead < live) table_.prefetch(key_of(i + kAhead), value_of(i + kAhead));
    table_.insert(key_of(i), value_of(i), VersionId{static_cast<std::uint32_t>(i)});
  }
  for (std::size_t i = 0; i < aborted_.size(); ++i) {
    const KeyId key = history.key(aborted_[i]);
    const Value value = history.value(aborted_[i]);
    if (table_.find(key, value).version.is_none())
      table_.insert(key, value, VersionId{static_cast<std::uint32_t>(live + i)});
  }
}

AppendIndex::Source AppendIndex::find(KeyId key, Value element) const noexcept {
  const VersionTable::Hit hit = table_.find(key, element);
  if (hit.version.is_none()) return {};
  if (hit.version.index >= lists_.appends.size()) return {Origin::Aborted, hit.version.index};
  return {hit.ambiguous ? Origin::Several : Origin::One, hit.version.index};
}

std::ptrdiff_t AppendIndex::times_appended(KeyId key, Value element) const {
  if (times_.empty())
    for (const ListAppend& append : lists_.appends) ++times_[{append.key, history_.value(append.op)}];
  const auto found = times_.find(std::pair(key, element));
  return found == times_.end() ? 0 : found->second;
}

}  // namespace serval
