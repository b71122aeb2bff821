#include "serval/verify/observed_reads.h"

#include <algorithm>

#include <fmt/format.h>

#include "serval/history/notation.h"

namespace serval::verify {

ObservedReads::ObservedReads(const History& history, const std::vector<TransactionId>& order)
    : history_(history),
      order_(order),
      position_(history.transaction_count(), kInitially),
      writers_(history.key_count()),
      lists_(history.key_count()),
      is_list_(history.key_count(), false),
      is_register_(history.key_count(), false) {}

Flaw ObservedReads::flaw() {
  if (Flaw flaw = flaw_of_attendance()) return flaw;
  index_writes();
  for (CommitPosition reader = 0; reader < order_.size(); ++reader)
    for (const OperationId op : history_.operations(order_[reader]))
      if (Flaw flaw = trace(reader, op)) return flaw;
  return std::nullopt;
}

Flaw ObservedReads::flaw_of_attendance() {
  for (CommitPosition at = 0; at < order_.size(); ++at) {
    const TransactionId t = order_[at];
    if (t.index >= position_.size()) return fmt::format("position {} does not name a transaction", at);
    if (position_[t.index] != kInitially) return fmt::format("{} takes part twice", name(history_, t));
    if (history_.outcome(t) == Outcome::Aborted)
      return fmt::format("{} aborted and must not take part", name(history_, t));
    position_[t.index] = at;
  }
  for (const TransactionId t : history_.transactions())
    if (history_.outcome(t) == Outcome::Committed && position_[t.index] == kInitially)
      return fmt::format("{} committed but does not take part", name(history_, t));
  return std::nullopt;
}

void ObservedReads::index_writes() {
  const std::vector<bool> registers = written_as_registers(history_);
  absl::flat_hash_map<KeyId, Value> last;
  for (CommitPosition at = 0; at < order_.size(); ++at) {
    last.clear();
    for (const OperationId op : history_.operations(order_[at])) {
      if (is_predicate(history_.kind(op))) continue;
      const KeyId key = history_.key(op);
      const OperationKind kind = history_.kind(op);
      const bool shows_list =
          kind == OperationKind::ReadList || (kind == OperationKind::Read && !registers[key.index]);
      const bool list = kind == OperationKind::Append || (shows_list && !elements_read(history_, op).empty());
      const bool says_nothing = history_.value(op).is_nil() || history_.value(op).is_unknown();
      const bool shows_nothing =
          !list && (kind == OperationKind::ReadList || (kind == OperationKind::Read && says_nothing));
      if (!shows_nothing) (list ? is_list_ : is_register_)[key.index] = true;
      const std::optional<Value> written = value_written(history_, op);
      if (!written) continue;
      if (writers_[key.index].empty() || writers_[key.index].back() != at) writers_[key.index].push_back(at);
      if (list)
        lists_[key.index].push_back({*written, at});
      else
        last[key] = *written;
    }
    for (const auto& [key, value] : last) {
      const auto [found, first] = last_writes_.try_emplace({key, value}, Source{at});
      if (!first) found->second.ambiguous = true;
    }
  }
}

std::string ObservedReads::formatted(OperationId op) const {
  return fmt::format("{} of {}", print_operation(history_, op), name(history_, history_.transaction_of(op)));
}

Flaw ObservedReads::trace(CommitPosition reader, OperationId op) {
  if (is_predicate(history_.kind(op))) return "cannot trace predicate operations";
  const std::optional<Value> seen = value_read(history_, op);
  if (!seen) return std::nullopt;
  const KeyId key = history_.key(op);
  if (is_list_[key.index] && is_register_[key.index])
    return fmt::format("{} is both a list and a register", history_.format_key(key));
  return is_list_[key.index] ? trace_list(reader, op, *seen) : trace_register(reader, op, *seen);
}

Flaw ObservedReads::trace_register(CommitPosition reader, OperationId op, Value seen) {
  const KeyId key = history_.key(op);
  for (OperationId before{op.index}; before.index-- > history_.operations(order_[reader]).first;) {
    if (is_predicate(history_.kind(before)) || history_.key(before) != key) continue;
    const std::optional<Value> own = value_written(history_, before);
    if (!own) continue;
    if (*own == seen) return std::nullopt;
    return fmt::format("{} does not see the transaction's own last write", formatted(op));
  }
  const auto source = last_writes_.find({key, seen});
  const bool written = source != last_writes_.end();
  if (may_be_initial(history_, seen)) {
    const bool by_itself = written && !source->second.ambiguous && source->second.writer == reader;
    if (written && !by_itself) return fmt::format("it is not certain which version {} saw", formatted(op));
    return note(reader, kInitially, op);
  }
  if (!written)
    return fmt::format("{} does not see the last write of a transaction in the order", formatted(op));
  if (source->second.ambiguous) return fmt::format("it is not certain which version {} saw", formatted(op));
  return note(reader, source->second.writer, op);
}

Flaw ObservedReads::trace_list(CommitPosition reader, OperationId op, Value seen) {
  const KeyId key = history_.key(op);
  std::vector<Value> own;
  for (const OperationId before : history_.operations(order_[reader])) {
    if (before == op) break;
    if (history_.kind(before) == OperationKind::Append && history_.key(before) == key)
      own.push_back(history_.value(before));
  }
  const auto shown = seen.is_list() ? history_.values().elements(seen) : std::span<const Value>{};
  if (shown.size() < own.size() || !std::ranges::equal(shown.last(own.size()), own))
    return fmt::format("{} does not end with the transaction's own appends", formatted(op));
  const auto beneath = shown.first(shown.size() - own.size());
  const std::vector<Element>& list = lists_[key.index];
  if (!own.empty()) return flaw_beneath_own(reader, op, beneath);
  const auto same = [](Value value, const Element& element) { return value == element.value; };
  if (beneath.size() > list.size() || !std::equal(beneath.begin(), beneath.end(), list.begin(), same))
    return fmt::format("{} is not a prefix of the appends in this order", formatted(op));
  if (beneath.empty()) return note(reader, kInitially, op);
  const CommitPosition source = list[beneath.size() - 1].writer;
  if (beneath.size() < list.size() && list[beneath.size()].writer == source)
    return fmt::format("{} ends within the appends of {}", formatted(op), name(history_, order_[source]));
  return note(reader, source, op);
}

// A read after own appends is not external; before them it shows everything before its transaction.
Flaw ObservedReads::flaw_beneath_own(CommitPosition reader, OperationId op,
                                     std::span<const Value> beneath) const {
  const std::vector<Element>& list = lists_[history_.key(op).index];
  const auto end = std::ranges::lower_bound(list, reader, {}, &Element::writer);
  const auto same = [](Value value, const Element& element) { return value == element.value; };
  if (std::equal(beneath.begin(), beneath.end(), list.begin(), end, same)) return std::nullopt;
  return fmt::format("{} does not show what was appended before its transaction", formatted(op));
}

Flaw ObservedReads::note(CommitPosition reader, CommitPosition source, OperationId op) {
  if (source != kInitially && source >= reader)
    return fmt::format("{} sees {}, which does not come before it", formatted(op),
                       name(history_, order_[source]));
  observed_.push_back({reader, source, history_.key(op), op});
  return std::nullopt;
}

bool ObservedReads::writes(CommitPosition t, KeyId key) const {
  return std::ranges::binary_search(writers_[key.index], t);
}

CommitPosition ObservedReads::next_writer(const ObservedRead& observed) const {
  const std::vector<CommitPosition>& writers = writers_[observed.key.index];
  const auto next =
      observed.source == kInitially ? writers.begin() : std::ranges::upper_bound(writers, observed.source);
  return next == writers.end() ? kInitially : *next;
}

}  // namespace serval::verify
