#include "serval/verify/facts.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "serval/history/notation.h"

namespace serval::verify {

std::optional<Value> value_read(const History& history, OperationId op) {
  std::optional<Value> value;
  switch (history.kind(op)) {
    case OperationKind::Read:
    case OperationKind::ReadList:
    case OperationKind::InsertMiss:
    case OperationKind::CompareAndSetMiss:
      value = history.value(op);
      break;
    case OperationKind::CompareAndSet:
      value = history.expected(op);
      break;
    case OperationKind::Insert:
      value = Value::nil();
      break;
    default:
      break;
  }
  if (history.kind(op) == OperationKind::ReadList && value->is_list() &&
      history.values().elements(*value).empty())
    return Value::nil();
  return value && value->is_unknown() ? std::nullopt : value;
}

std::optional<Value> value_written(const History& history, OperationId op) {
  switch (history.kind(op)) {
    case OperationKind::Write:
    case OperationKind::Append:
    case OperationKind::Insert:
    case OperationKind::CompareAndSet:
      return history.value(op);
    case OperationKind::Delete:
      return Value::nil();
    default:
      return std::nullopt;
  }
}

bool may_be_initial(const History& history, Value value) {
  return value.is_nil() || value == history.initial_value();
}

std::set<KeyId> initial_rows_found(const History& history) {
  std::set<KeyId> found;
  for (const TransactionId t : history.transactions()) {
    std::set<KeyId> own;
    for (const OperationId op : history.operations(t)) {
      const bool ranges = is_predicate(history.kind(op));
      if (!ranges && value_read(history, op) == history.initial_value() && !own.contains(history.key(op)))
        found.insert(history.key(op));
      if (!ranges && value_written(history, op)) own.insert(history.key(op));
      const bool reads = history.kind(op) == OperationKind::PredicateRead;
      for (const Row& row : history.rows(op)) {
        if ((!reads || row.value == history.initial_value()) && !own.contains(row.key)) found.insert(row.key);
        if (!reads) own.insert(row.key);
      }
    }
  }
  return found;
}

std::string name(const History& history, TransactionId t) { return "T" + history.format(history.label(t)); }

std::string print_in_transaction(const History& history, OperationId op) {
  return fmt::format("{} of {}", print_operation(history, op), name(history, history.transaction_of(op)));
}

Flaw flaw_of_attendance(const History& history, const std::vector<TransactionId>& order,
                        std::vector<std::uint32_t>& position) {
  position.assign(history.transaction_count(), kNowhere);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const TransactionId t = order[i];
    if (t.index >= position.size()) return fmt::format("position {} does not name a transaction", i);
    if (position[t.index] != kNowhere) return fmt::format("{} takes part twice", name(history, t));
    if (history.outcome(t) == Outcome::Aborted)
      return fmt::format("{} aborted and must not take part", name(history, t));
    position[t.index] = i;
  }
  for (const TransactionId t : history.transactions())
    if (history.outcome(t) == Outcome::Committed && position[t.index] == kNowhere)
      return fmt::format("{} committed but does not take part", name(history, t));
  return std::nullopt;
}

Facts::Facts(const History& history, std::span<const std::int64_t> transaction_order)
    : history_(history),
      transaction_order_(transaction_order),
      lists_(history),
      opaque_(history.key_count(), false),
      participates_(history.transaction_count(), false),
      session_position_(history.transaction_count(), 0) {
  for (const SessionId s : history.sessions())
    for (std::uint32_t position = 0; const TransactionId t : history.session_transactions(s))
      session_position_[t.index] = position++;
  index_writes();
  mark_participants();
}

// Backwards, so that the first write found of a transaction to a key is the final one. seen[k] is one
// past the last transaction found that writes k.
void Facts::index_writes() {
  std::vector<std::uint32_t> seen(history_.key_count(), 0);
  for (const TransactionId t : history_.transactions()) {
    const IdRange<OperationId> operations = history_.operations(t);
    for (std::uint32_t i = operations.size(); i-- > 0;) note_write(t, operations[i], seen);
  }
}

void Facts::note_write(TransactionId t, OperationId op, std::vector<std::uint32_t>& seen) {
  const OperationKind kind = history_.kind(op);
  if (is_predicate(kind)) return;
  const KeyId key = history_.key(op);
  const std::optional<Value> value = value_written(history_, op);
  if (lists_.is_opaque(key)) opaque_[key.index] = true;
  if (!value) return;
  Written& written = written_[{key, *value}];
  ++written.writes;
  const bool is_final = std::exchange(seen[key.index], t.index + 1) != t.index + 1;
  if (!is_final || !live(t)) return;
  if (value->is_unknown()) opaque_[key.index] = true;
  ++written.live_final;
  written.final_write = op;
}

void Facts::mark_participants() {
  std::vector<TransactionId> pending;
  std::vector<std::uint32_t> written(history_.key_count(), 0);
  for (const TransactionId t : history_.transactions())
    if (history_.outcome(t) == Outcome::Committed) {
      participates_[t.index] = true;
      pending.push_back(t);
    }
  const auto none_indeterminate = std::ranges::count(history_.outcome_column(), Outcome::Indeterminate) == 0;
  if (none_indeterminate) return;
  while (!pending.empty()) {
    const TransactionId t = pending.back();
    pending.pop_back();
    mark_writers_read_by(t, written, pending);
    mark_appenders_shown(t, pending);
  }
}

// Marks each transaction that is the only one that can have appended an element shown by a participant's
// read.
void Facts::mark_appenders_shown(TransactionId t, std::vector<TransactionId>& pending) {
  for (const OperationId op : history_.operations(t)) {
    if (!lists_.is_list_read(op)) continue;
    for (const Value element : elements_read(history_, op)) {
      const OperationId append = lists_.only_append(history_.key(op), element);
      if (append.is_none()) continue;
      const TransactionId writer = history_.transaction_of(append);
      if (participates_[writer.index]) continue;
      participates_[writer.index] = true;
      pending.push_back(writer);
    }
  }
}

// written[k] is one past the last transaction found that writes k: its later reads of k are not
// external.
void Facts::mark_writers_read_by(TransactionId t, std::vector<std::uint32_t>& written,
                                 std::vector<TransactionId>& pending) {
  for (const OperationId op : history_.operations(t)) {
    if (is_predicate(history_.kind(op))) continue;
    std::uint32_t& writer_here = written[history_.key(op).index];
    const bool external = writer_here != t.index + 1;
    if (value_written(history_, op)) writer_here = t.index + 1;
    const std::optional<OperationId> version = external ? version_of_external(op) : std::nullopt;
    if (!version || version->is_none()) continue;
    const TransactionId writer = history_.transaction_of(*version);
    if (participates_[writer.index]) continue;
    participates_[writer.index] = true;
    pending.push_back(writer);
  }
}

std::optional<std::int64_t> Facts::commit_position(TransactionId t) const {
  constexpr std::int64_t kNoPosition = std::numeric_limits<std::int64_t>::min();
  if (!transaction_order_.empty()) {
    const std::int64_t place = transaction_order_[t.index];
    return place == kNoPosition ? std::nullopt : std::optional(place);
  }
  const TransactionHints* hints = history_.hints(t);
  return hints == nullptr ? std::nullopt : hints->commit_timestamp;
}

bool Facts::participates(TransactionId t) const { return has(t) && participates_[t.index]; }

bool Facts::belongs(OperationId op, TransactionId t) const {
  if (!has(t) || op.index >= history_.operation_count()) return false;
  const IdRange<OperationId> own = history_.operations(t);
  return own.first <= op.index && op.index < own.last;
}

Facts::Written Facts::find(KeyId key, Value value) const {
  const auto found = written_.find(std::pair(key, value));
  return found == written_.end() ? Written{} : found->second;
}

std::uint32_t Facts::final_writers_besides(TransactionId reader, KeyId key, Value value) const {
  std::optional<Value> own;
  for (const OperationId op : history_.operations(reader)) {
    if (is_predicate(history_.kind(op)) || history_.key(op) != key) continue;
    if (const std::optional<Value> written = value_written(history_, op)) own = written;
  }
  return find(key, value).live_final - (own == value && live(reader) ? 1 : 0);
}

OperationId Facts::own_write_before(OperationId op) const {
  const IdRange<OperationId> own = history_.operations(history_.transaction_of(op));
  for (std::uint32_t i = op.index; i-- > own.first;) {
    const OperationId earlier{i};
    if (is_predicate(history_.kind(earlier)) || history_.key(earlier) != history_.key(op)) continue;
    if (value_written(history_, earlier)) return earlier;
  }
  return OperationId::none();
}

Value Facts::value_left_by(OperationId op) const {
  const Value written = *value_written(history_, op);
  if (!written.is_unknown()) return written;
  const IdRange<OperationId> own = history_.operations(history_.transaction_of(op));
  for (OperationId later{op.index + 1}; later.index < own.last; ++later.index) {
    if (is_predicate(history_.kind(later)) || history_.key(later) != history_.key(op)) continue;
    if (const std::optional<Value> seen = value_read(history_, later)) return *seen;
    if (value_written(history_, later)) break;
  }
  return written;
}

OperationId Facts::final_write(OperationId write) const {
  const IdRange<OperationId> own = history_.operations(history_.transaction_of(write));
  for (std::uint32_t i = own.last; i-- > own.first;) {
    const OperationId op{i};
    if (is_predicate(history_.kind(op)) || history_.key(op) != history_.key(write)) continue;
    if (value_written(history_, op)) return op;
  }
  return OperationId::none();
}

std::optional<OperationId> Facts::version_read(OperationId read) const {
  return own_write_before(read).is_none() ? version_of_external(read) : std::nullopt;
}

std::optional<OperationId> Facts::version_of_external(OperationId read) const {
  const std::optional<Value> value = value_read(history_, read);
  if (!value || opaque(history_.key(read))) return std::nullopt;
  if (is_list(history_.key(read))) return version_of_list(read);
  const Written written = find(history_.key(read), *value);
  const bool initial = may_be_initial(history_, *value);
  if (written.live_final == 0 && initial) return OperationId::none();
  if (written.live_final != 1) return std::nullopt;
  const bool own = history_.transaction_of(written.final_write) == history_.transaction_of(read);
  if (own) return initial ? std::optional(OperationId::none()) : std::nullopt;
  return initial ? std::nullopt : std::optional(written.final_write);
}

std::optional<OperationId> Facts::version_of_list(OperationId read) const {
  if (!lists_.is_list_read(read)) return std::nullopt;
  const std::span<const Value> shown = elements_read(history_, read);
  if (shown.empty()) return OperationId::none();
  const OperationId append = lists_.only_append(history_.key(read), shown.back());
  if (append.is_none() || !is_final_write(append)) return std::nullopt;
  const bool own = history_.transaction_of(append) == history_.transaction_of(read);
  return own ? std::nullopt : std::optional(append);
}

}  // namespace serval::verify
