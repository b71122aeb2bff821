#include "serval/verify/certificate.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include "serval/predicate/evaluate.h"
#include "serval/predicate/row_columns.h"

namespace serval::verify {
namespace {

std::optional<Value> row_written(const History& history, OperationId op, KeyId key) {
  const OperationKind kind = history.kind(op);
  if (!is_predicate(kind)) return history.key(op) == key ? value_written(history, op) : std::nullopt;
  if (kind == OperationKind::PredicateRead) return std::nullopt;
  for (const Row& row : history.rows(op))
    if (row.key == key) return kind == OperationKind::PredicateDelete ? Value::nil() : row.value;
  return std::nullopt;
}

std::int64_t commit_timestamp(const History& history, TransactionId t) {
  const TransactionHints* hints = history.hints(t);
  return hints == nullptr ? 0 : hints->commit_timestamp.value_or(0);
}

}  // namespace

CertifiedFacts::CertifiedFacts(const History& history)
    : history_(history),
      takes_part_(history.transaction_count()),
      orders_(history.key_count(), std::vector<TransactionId>{TransactionId::none()}) {
  std::vector<bool> given(history.key_count(), false);
  for (const TransactionId t : history.transactions()) {
    const TransactionHints* hints = history.hints(t);
    takes_part_[t.index] = history.outcome(t) == Outcome::Committed ||
                           (history.certificate().ordered_by_commit && hints != nullptr &&
                            hints->commit_timestamp && history.outcome(t) == Outcome::Indeterminate);
    for (const OperationId op : history.operations(t))
      if (std::optional<Query> query = query_of(history, op)) queries_.emplace(op, *std::move(query));
  }
  for (const KeyOrder& order : history.certificate().orders) {
    for (const TransactionId t : order.installers) {
      if (history.outcome(t) == Outcome::Aborted) flaw_ = "the certificate lists a transaction that aborted";
      takes_part_[t.index] = true;
    }
    if (!order.complete && !history.certificate().ordered_by_commit)
      flaw_ = fmt::format("the certificate's order of {} is incomplete", history.format_key(order.key));
    if (!order.complete) continue;
    given[order.key.index] = true;
    std::ranges::copy(order.installers, std::back_inserter(orders_[order.key.index]));
  }
  for (const TransactionId t : history.transactions()) {
    if (!takes_part_[t.index]) continue;
    for (const OperationId op : history.operations(t))
      for (const KeyId key : history.key_ids()) {
        if (!is_predicate(history.kind(op)) && history.key(op) != key) continue;
        if (!row_written(history, op, key)) continue;
        std::vector<TransactionId>& order = orders_[key.index];
        if (!position(t, key)) order.push_back(t);
        if (given[key.index] && order.back() == t &&
            static_cast<std::size_t>(std::ranges::count(order, t)) > 1)
          flaw_ = "the certificate lists a transaction twice";
      }
  }
  const auto timed = [&](TransactionId t) {
    const TransactionHints* hints = history.hints(t);
    return hints != nullptr && hints->commit_timestamp.has_value();
  };
  for (const KeyId key : history.key_ids()) {
    const std::span<TransactionId> installers = std::span(orders_[key.index]).subspan(1);
    if (given[key.index] || installers.size() < 2) continue;
    if (!std::ranges::all_of(installers, timed))
      flaw_ = fmt::format("the certificate does not order the versions of {}", history.format_key(key));
    std::ranges::stable_sort(installers, {}, [&](TransactionId t) { return commit_timestamp(history, t); });
  }
  find_initial_rows();
  find_missing(given);
}

// Commit timestamps do not say whether a transaction without one committed.
void CertifiedFacts::find_missing(const std::vector<bool>& given) {
  if (!history_.certificate().ordered_by_commit) return;
  for (const TransactionId t : history_.transactions()) {
    if (takes_part_[t.index] || history_.outcome(t) != Outcome::Indeterminate) continue;
    for (const OperationId op : history_.operations(t)) {
      bool writes = history_.kind(op) == OperationKind::PredicateUpdate ||
                    history_.kind(op) == OperationKind::PredicateDelete;
      for (const KeyId key : history_.key_ids())
        writes = writes || (!given[key.index] && row_written(history_, op, key).has_value());
      if (writes) missing_ = fmt::format("{} may have committed at an unknown time", name(history_, t));
    }
  }
}

const Query* CertifiedFacts::query(OperationId op) const {
  const auto found = queries_.find(op);
  return found == queries_.end() ? nullptr : &found->second;
}

std::optional<std::size_t> CertifiedFacts::position(TransactionId t, KeyId key) const {
  const std::vector<TransactionId>& all = orders_[key.index];
  const auto found = std::ranges::find(all, t);
  return found == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - all.begin()));
}

OperationId CertifiedFacts::last_write(TransactionId t, KeyId key, OperationId end) const {
  OperationId last = OperationId::none();
  for (const OperationId op : history_.operations(t)) {
    if (op == end) break;
    if (row_written(history_, op, key)) last = op;
  }
  return last;
}

Value CertifiedFacts::value_of(OperationId write, KeyId key) const {
  return write.is_none() ? initial_[key.index] : *row_written(history_, write, key);
}

// A key whose first write is an insert had no row before; a key without versions has a row if somebody
// found it.
void CertifiedFacts::find_initial_rows() {
  initial_.assign(history_.key_count(), history_.initial_value());
  if (history_.initial_value().is_nil()) return;
  for (const KeyId key : history_.key_ids()) {
    if (order(key).size() < 2) continue;
    for (const OperationId op : history_.operations(order(key)[1])) {
      if (!row_written(history_, op, key)) continue;
      if (history_.kind(op) == OperationKind::Insert) initial_[key.index] = Value::nil();
      break;
    }
  }
  const std::set<KeyId> found = initial_rows_found(history_);
  for (const KeyId key : history_.key_ids())
    if (order(key).size() < 2 && !found.contains(key)) initial_[key.index] = Value::nil();
}

Value CertifiedFacts::value_at(KeyId key, std::size_t position) const {
  const TransactionId installer = order(key)[position];
  return value_of(installer.is_none() ? OperationId::none() : last_write(installer, key), key);
}

bool CertifiedFacts::is_shown(const VersionSet& set, KeyId key, std::size_t position) const {
  const TransactionId installer = order(key)[position];
  const TransactionHints* hints = history_.hints(installer);
  if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen))
    return hints != nullptr && hints->commit_timestamp && *hints->commit_timestamp <= *timestamp;
  if (const auto* snapshot = std::get_if<TransactionSnapshot>(&set.seen)) {
    std::uint64_t number = 0;
    if (hints == nullptr) return false;
    const std::string& text = hints->server_transaction;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return snapshot->shows(number);
  }
  return std::ranges::find(std::get<std::vector<SeenVersion>>(set.seen), SeenVersion{key, installer}) !=
         std::get<std::vector<SeenVersion>>(set.seen).end();
}

std::optional<std::size_t> CertifiedFacts::seen(OperationId op, KeyId key) const {
  const VersionSet* set = history_.certificate().version_set(op);
  if (set == nullptr) return std::nullopt;
  const TransactionId t = history_.transaction_of(op);
  std::size_t last = 0;
  for (std::size_t i = 1; i < order(key).size(); ++i)
    if (order(key)[i] != t && is_shown(*set, key, i)) last = i;
  const bool locks = is_predicate(history_.kind(op)) && history_.kind(op) != OperationKind::PredicateRead;
  return locks && !std::holds_alternative<std::vector<SeenVersion>>(set->seen) ? locked(op, key, last) : last;
}

// For rows that it changed, an update saw the version that it replaced. For matching rows that it left
// alone, it saw the first later version that does not match, or one whose writer had deleted the row
// before.
std::size_t CertifiedFacts::locked(OperationId op, KeyId key, std::size_t last) const {
  const TransactionId t = history_.transaction_of(op);
  const std::optional<std::size_t> own = position(t, key);
  const bool changed = row_written(history_, op, key).has_value();
  if (changed) return own && *own > last ? *own - 1 : last;
  const Query* const asked = query(op);
  if (!asked || matches(*asked, key, value_at(key, last)) != std::optional(true)) return last;
  for (std::size_t i = last + 1; i < order(key).size(); ++i)
    if (matches(*asked, key, value_at(key, i)) != std::optional(true))
      return order(key)[i] == t ? last : i;
    else if (order(key)[i] != t && deletes(order(key)[i], key))
      return i;
  return last;
}

bool CertifiedFacts::deletes(TransactionId t, KeyId key) const {
  for (const OperationId op : history_.operations(t))
    if (const std::optional<Value> written = row_written(history_, op, key); written && written->is_nil())
      return true;
  return false;
}

std::optional<std::size_t> CertifiedFacts::deleted_row(OperationId op, KeyId key) const {
  const TransactionId t = history_.transaction_of(op);
  if (history_.kind(op) != OperationKind::PredicateRead || last_write(t, key, op).is_none())
    return std::nullopt;
  const std::optional<std::size_t> own = position(t, key), before = seen(op, key);
  const Query* const asked = query(op);
  if (!own || !before || !asked || *own == 0 || *before + 1 >= *own) return std::nullopt;
  const bool is_new = value_at(key, *own - 1).is_nil();
  return is_new && matches(*asked, key, value_at(key, *before)) == std::optional(true) ? before
                                                                                       : std::nullopt;
}

std::optional<Value> CertifiedFacts::item_value(OperationId op, KeyId key) const {
  if (!is_predicate(history_.kind(op)))
    return history_.key(op) == key ? value_read(history_, op) : std::nullopt;
  const Query* const asked = query(op);
  const std::optional<std::size_t> at = seen(op, key);
  if (!asked || !at || matches(*asked, key, value_at(key, *at)) != std::optional(true)) return std::nullopt;
  if (asked->function != Query::Function::None)
    return asked->argument == Condition() ? std::nullopt : std::optional(value_at(key, *at));
  for (const Row& row : history_.rows(op))
    if (row.key == key)
      return history_.kind(op) == OperationKind::PredicateRead ? row.value : value_at(key, *at);
  return std::nullopt;
}

// An indeterminate transaction that no complete order excludes may have installed the value.
bool CertifiedFacts::may_be_unlisted(KeyId key, Value value) const {
  for (const KeyOrder& order : history_.certificate().orders)
    if (order.complete && order.key == key) return false;
  for (const TransactionId t : history_.transactions()) {
    if (history_.outcome(t) != Outcome::Indeterminate || takes_part_[t.index]) continue;
    const OperationId last = last_write(t, key);
    if (!last.is_none() && value_of(last, key) == value) return true;
  }
  return false;
}

std::optional<std::size_t> CertifiedFacts::item_seen(OperationId op, KeyId key, Several take) const {
  const std::optional<Value> value = item_value(op, key);
  const TransactionId t = history_.transaction_of(op);
  if (!last_write(t, key, op).is_none()) {
    const std::optional<std::size_t> deleted = deleted_row(op, key);
    if (!deleted || query(op)->function != Query::Function::None) return std::nullopt;
    const Row shown{key, value_at(key, *deleted)};
    const auto is_shown = [&](const Row& row) { return row.key == key && row.value == shown.value; };
    return std::ranges::any_of(history_.rows(op), is_shown) ? deleted : std::nullopt;
  }
  if (!value || value->is_unknown()) return std::nullopt;
  const auto fits = [&](std::size_t i) {
    const Value held = value_at(key, i);
    return held == *value || held.is_unknown() || (i == 0 && may_be_initial(history_, *value));
  };
  // It found the version before its own, if that has no row.
  if (history_.kind(op) == OperationKind::Insert) {
    const std::optional<std::size_t> own = position(t, key);
    if (own && fits(*own - 1)) return *own - 1;
  } else if (const std::optional<std::size_t> at = seen(op, key)) {
    return fits(*at) ? at : std::nullopt;
  }
  std::optional<std::size_t> only;
  bool several = false;
  for (std::size_t i = 0; i < order(key).size(); ++i)
    if (fits(i) && order(key)[i] != t) {
      several = only.has_value();
      if (several) break;
      only = i;
    }
  if (take == Several::Earliest || (!several && !may_be_unlisted(key, *value))) return only;
  for (const OperationId other : history_.operations(t))
    if (const std::optional<std::size_t> at = seen(other, key); at && fits(*at)) return at;
  return std::nullopt;
}

std::optional<bool> CertifiedFacts::matches(const Query& asked, KeyId key, Value value) const {
  const Table table(asked.where);
  const Truth inside = table.has(history_, key);
  if (table.is_join() || inside == Truth::Undefined) return std::nullopt;
  if (inside != Truth::True || value.is_nil()) return false;
  std::vector<Scalar> row;
  read_columns(asked.where.columns(), history_.key_value(key), value, history_.values(), row);
  const Truth truth = evaluate(asked.where, row);
  return truth == Truth::Undefined ? std::nullopt : std::optional(truth == Truth::True);
}

bool CertifiedFacts::changes(const Query& asked, KeyId key, std::size_t position) const {
  if (position == 0) return false;
  const std::optional<bool> now = matches(asked, key, value_at(key, position));
  const std::optional<bool> before = matches(asked, key, value_at(key, position - 1));
  return now && before && *now != *before;
}

}  // namespace serval::verify
