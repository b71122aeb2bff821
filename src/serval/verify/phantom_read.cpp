#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "serval/verify/violation.h"

namespace serval::verify {
namespace {

std::set<KeyId> keys_of_rows(const History& history, OperationId op) {
  std::set<KeyId> keys;
  for (const Row& row : history.rows(op)) keys.insert(row.key);
  return keys;
}

bool changes_rows(OperationKind kind) {
  return kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete;
}

// Why `t` may have changed the key (any key if none()) itself before `end`; nothing if it did not.
Flaw flaw_of_own_change(const History& history, TransactionId t, KeyId key, OperationId end) {
  for (const OperationId op : history.operations(t)) {
    if (op == end) break;
    const OperationKind kind = history.kind(op);
    const bool ranges = changes_rows(kind);
    const Operation all = ranges ? history.operation(op) : Operation{};
    const bool lacks_rows = all.rows_changed.value_or(0) > static_cast<std::int64_t>(all.rows.size());
    const bool changes_row =
        ranges && (key.is_none() ? !all.rows.empty() : keys_of_rows(history, op).contains(key));
    const bool writes =
        !is_predicate(kind) && value_written(history, op) && (key.is_none() || history.key(op) == key);
    if (lacks_rows || changes_row || writes)
      return fmt::format("{} may have changed the row itself", print_in_transaction(history, op));
  }
  return std::nullopt;
}

Flaw flaw_of_counts(const History& history, const BadRead& claim) {
  const Value before = history.value(claim.source), after = history.value(claim.read);
  if (history.predicate(history.predicate_id(claim.read)).name != "count") return "only counts are exact";
  if (before.is_unknown() || after.is_unknown()) return "a count was not recorded";
  if (before == after) return "both counts are the same";
  return flaw_of_own_change(history, claim.reader, KeyId::none(), claim.read);
}

}  // namespace

Flaw flaw_of_phantom_read(const Facts& facts, const BadRead& claim) {
  const History& history = facts.history();
  if (!facts.has(claim.reader) || history.outcome(claim.reader) != Outcome::Committed)
    return "cites a reader that did not commit";
  for (const OperationId op : {claim.read, claim.source}) {
    if (!facts.belongs(op, claim.reader)) return "cites an operation that the reader does not have";
    if (history.kind(op) != OperationKind::PredicateRead || history.predicate_id(op).is_none())
      return fmt::format("{} is not a read of a known predicate", print_in_transaction(history, op));
  }
  if (claim.source >= claim.read) return "the answer that it contradicts does not come first";
  const Predicate& asked = history.predicate(history.predicate_id(claim.read));
  if (asked != history.predicate(history.predicate_id(claim.source))) return "the two predicates differ";
  if (asked.node == Predicate::Node::Aggregate) return flaw_of_counts(history, claim);
  const std::set<KeyId> first = keys_of_rows(history, claim.source),
                        second = keys_of_rows(history, claim.read);
  Flaw why = "both answers have rows of the same keys";
  for (const KeyId key : history.key_ids())
    if (first.contains(key) != second.contains(key)) {
      why = flaw_of_own_change(history, claim.reader, key, claim.read);
      if (!why) return std::nullopt;
    }
  return why;
}

}  // namespace serval::verify
