#include "serval/verify/lists.h"

#include <algorithm>

namespace serval::verify {

std::span<const Value> elements_read(const History& history, OperationId read) {
  const Value value = history.value(read);
  return value.is_list() ? history.values().elements(value) : std::span<const Value>{};
}

std::vector<bool> written_as_registers(const History& history) {
  std::vector<bool> written(history.key_count(), false);
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    const OperationKind kind = history.kind(OperationId{i});
    if (kind == OperationKind::Write || kind == OperationKind::Insert || kind == OperationKind::CompareAndSet)
      written[history.key(OperationId{i}).index] = true;
  }
  return written;
}

Lists::Lists(const History& history)
    : history_(history),
      kinds_(history.key_count(), Kind::Unknown),
      written_by_predicates_(history.key_count(), false),
      reads_(history.key_count()) {
  const std::vector<bool> written = written_as_registers(history);
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    const OperationId op{i};
    if (!is_predicate(history.kind(op))) classify(op, written[history.key(op).index]);
  }
  for (const TransactionId t : history.transactions())
    for (const OperationId op : history.operations(t)) note_predicate_write(t, op);
  for (const TransactionId t : history.transactions()) {
    const bool live = history.outcome(t) != Outcome::Aborted;
    for (const OperationId op : history.operations(t)) {
      if (live && is_list_read(op)) reads_[history.key(op).index].push_back(op);
      if (history.kind(op) != OperationKind::Append || !is_list(history.key(op))) continue;
      Appended& appended = appended_[{history.key(op), history.value(op)}];
      ++appended.all;
      if (!live) continue;
      ++appended.live;
      appended.live_append = op;
    }
  }
}

void Lists::classify(OperationId op, bool written) {
  const OperationKind kind = history_.kind(op);
  const bool reads = kind == OperationKind::Read || kind == OperationKind::ReadList;
  const Value value = history_.value(op);
  Kind& known = kinds_[history_.key(op).index];
  if (reads && (value.is_nil() || value.is_unknown())) return;
  if (reads && value.is_list() && elements_read(history_, op).empty()) return;
  const bool strange = (kind == OperationKind::Append && value.is_unknown()) ||
                       (kind == OperationKind::ReadList && !value.is_list());
  const bool shows_list =
      value.is_list() && (kind == OperationKind::ReadList || (kind == OperationKind::Read && !written));
  const Kind says = strange                                       ? Kind::Opaque
                    : kind == OperationKind::Append || shows_list ? Kind::List
                                                                  : Kind::Register;
  known = known == Kind::Unknown || known == says ? says : Kind::Opaque;
}

void Lists::note_predicate_write(TransactionId t, OperationId op) {
  const OperationKind kind = history_.kind(op);
  if (!is_predicate(kind) || kind == OperationKind::PredicateRead) return;
  const auto touch = [&](KeyId key) {
    kinds_[key.index] = Kind::Opaque;
    written_by_predicates_[key.index] = true;
  };
  const std::vector<Row> rows = history_.operation(op).rows;
  for (const Row& row : rows) touch(row.key);
  if (!rows.empty() || history_.outcome(t) != Outcome::Indeterminate) return;
  for (std::uint32_t key = 0; key < history_.key_count(); ++key) touch(KeyId{key});
}

bool Lists::is_list_read(OperationId op) const {
  const OperationKind kind = history_.kind(op);
  const bool reads = kind == OperationKind::Read || kind == OperationKind::ReadList;
  return reads && is_list(history_.key(op)) && !history_.value(op).is_unknown();
}

Lists::Appended Lists::appended(KeyId key, Value element) const {
  const auto found = appended_.find(std::pair(key, element));
  return found == appended_.end() ? Appended{} : found->second;
}

OperationId Lists::only_append(KeyId key, Value element) const {
  const Appended found = appended(key, element);
  return found.live == 1 ? found.live_append : OperationId::none();
}

std::ptrdiff_t Lists::times_shown(OperationId read, Value element) const {
  return std::ranges::count(elements_read(history_, read), element);
}

std::optional<std::size_t> Lists::first_position(OperationId read, Value element) const {
  const auto shown = elements_read(history_, read);
  const auto found = std::ranges::find(shown, element);
  if (found == shown.end()) return std::nullopt;
  return static_cast<std::size_t>(found - shown.begin());
}

std::vector<Value> Lists::counted(OperationId read) const {
  std::vector<Value> kept;
  for (const Value element : elements_read(history_, read))
    if (appended(history_.key(read), element).live > 0) kept.push_back(element);
  return kept;
}

const Lists::Order& Lists::order_of(KeyId key, const std::vector<bool>& participates) const {
  const auto [slot, fresh] = orders_.try_emplace(key);
  Order& order = slot->second;
  if (!fresh) return order;
  std::vector<std::vector<Value>> lists;
  for (const OperationId read : reads_of(key)) {
    if (!participates[history_.transaction_of(read).index]) continue;
    lists.push_back(counted(read));
    for (const Value element : elements_read(history_, read)) order.seen.emplace(element, true);
  }
  std::vector<Value> longest;
  for (const std::vector<Value>& list : lists)
    if (list.size() > longest.size()) longest = list;
  const auto is_prefix = [&](const std::vector<Value>& list) {
    return std::equal(list.begin(), list.end(), longest.begin());
  };
  if (!std::ranges::all_of(lists, is_prefix)) return order;
  for (std::size_t i = 0; i < longest.size(); ++i) order.place.emplace(longest[i], i);
  order.shown = std::move(longest);
  return order;
}

const std::optional<std::vector<Value>>& Lists::shown(KeyId key,
                                                      const std::vector<bool>& participates) const {
  return order_of(key, participates).shown;
}

bool Lists::is_unseen(KeyId key, Value element, const std::vector<bool>& participates) const {
  return !order_of(key, participates).seen.contains(element);
}

std::optional<std::size_t> Lists::place(KeyId key, Value element,
                                        const std::vector<bool>& participates) const {
  const Order& order = order_of(key, participates);
  const auto found = order.place.find(element);
  if (found == order.place.end()) return std::nullopt;
  return found->second;
}

bool Lists::certainly_before(OperationId first, OperationId second,
                             const std::vector<bool>& participates) const {
  const KeyId key = history_.key(first);
  if (history_.key(second) != key || !is_list(key) || !shown(key, participates)) return false;
  const Value before = history_.value(first), after = history_.value(second);
  if (only_append(key, before) != first) return false;
  const std::optional<std::size_t> place_before = place(key, before, participates);
  if (!place_before) return false;
  if (is_unseen(key, after, participates)) return true;
  const std::optional<std::size_t> place_after = place(key, after, participates);
  return only_append(key, after) == second && place_after && *place_before < *place_after;
}

}  // namespace serval::verify
