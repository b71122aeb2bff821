#include "serval/inference/list_accesses.h"

#include <algorithm>

namespace serval {

void ListCollector::append(TransactionId t, OperationId op) {
  const std::uint32_t position = states_.position(history_.key(op));
  State& state = states_[history_.key(op)];
  const auto number = static_cast<std::uint32_t>(lists_.appends.size());
  if (state.last_append != ListAppend::kNone) lists_.appends[state.last_append].next = number;
  lists_.appends.push_back({op, t, state.key, position, state.last_append});
  state.last_append = number;
  ++state.appended;
}

void ListCollector::read(TransactionId t, OperationId op) {
  if (history_.value(op).is_unknown()) return;
  const std::uint32_t position = states_.position(history_.key(op));
  State& state = states_[history_.key(op)];
  if (state.appended > 0) {
    lists_.reads.push_back({op, state.key, position, ListRead::Role::AfterAppend, state.last_append});
    read_after_append(t, op, state);
  } else if (state.external_read.is_none()) {
    state.external_read = op;
    lists_.reads.push_back({op, state.key, position, ListRead::Role::External});
  } else {
    read_again(t, op, state, position);
  }
}

void ListCollector::read_again(TransactionId t, OperationId op, State& state, std::uint32_t position) {
  const auto first = elements_shown(history_, state.external_read), shown = elements_shown(history_, op);
  const bool same = first.size() == shown.size() && (first.empty() || first.data() == shown.data());
  if (same && !state.varied) return;
  state.varied = true;
  lists_.reads.push_back({op, state.key, position, ListRead::Role::Repeated});
  sets_.repeated_reads.push_back({t, op, state.key});
  if (!same) sets_.internal_faults.push_back({ReadFault::NonRepeatable, t, op, state.external_read});
}

void ListCollector::read_after_append(TransactionId t, OperationId op, const State& state) {
  const std::span<const Value> shown = elements_shown(history_, op);
  if (!ends_with_own_appends(shown, state)) {
    const OperationId last = lists_.appends[state.last_append].op;
    const bool last_shows = !shown.empty() && shown.back() == history_.value(last);
    // If the last one shows and an earlier one is not directly before it, the list order reports the
    // fault.
    if (!last_shows) sets_.internal_faults.push_back(own_append_missing(t, op, state));
  } else if (!state.external_read.is_none() && !same_beneath(shown, state)) {
    sets_.internal_faults.push_back({ReadFault::NonRepeatable, t, op, state.external_read});
  }
}

bool ListCollector::ends_with_own_appends(std::span<const Value> shown, const State& state) const {
  if (shown.size() < state.appended) return false;
  std::size_t at = shown.size();
  for (std::uint32_t own = state.last_append; own != ListAppend::kNone; own = lists_.appends[own].previous)
    if (shown[--at] != history_.value(lists_.appends[own].op)) return false;
  return true;
}

bool ListCollector::same_beneath(std::span<const Value> shown, const State& state) const {
  return std::ranges::equal(shown.first(shown.size() - state.appended),
                            elements_shown(history_, state.external_read));
}

FaultyRead ListCollector::own_append_missing(TransactionId t, OperationId op, const State& state) const {
  const std::span<const Value> shown = elements_shown(history_, op);
  for (const OperationId other : history_.operations(t)) {
    if (other == op) break;  // Others may have appended the elements that it appends later.
    const bool own = history_.kind(other) == OperationKind::Append && history_.key(other) == state.key;
    if (own && !shown.empty() && history_.value(other) == shown.back())
      return {ReadFault::NotMyLastWrite, t, op, other};
  }
  return {ReadFault::NotMyOwnWrite, t, op, lists_.appends[state.last_append].op};
}

void ListCollector::finish() {
  const auto base = static_cast<std::uint32_t>(sets_.accesses.size());
  for (const State& state : states_.all()) {
    sets_.accesses.push_back({.key = state.key});
    sets_.read_operation.push_back(OperationId::none());
  }
  for (; first_append_ < lists_.appends.size(); ++first_append_) lists_.appends[first_append_].access += base;
  for (std::size_t i = lists_.first_read.back(); i < lists_.reads.size(); ++i) lists_.reads[i].access += base;
  lists_.first_read.push_back(static_cast<std::uint32_t>(lists_.reads.size()));
  states_.clear();
}

}  // namespace serval
