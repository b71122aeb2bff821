#include <algorithm>

#include <fmt/format.h>

#include "serval/verify/violation.h"

namespace serval::verify {
namespace {

bool has_row(const History& history, OperationId op, KeyId key) {
  const auto rows = history.rows(op);
  return std::ranges::find(rows, key, &Row::key) != rows.end();
}

// Its transaction inserted the key before it wrote the key in any other way.
Flaw flaw_of_insert(const Facts& facts, const Divergence::Branch& branch, KeyId key) {
  const History& history = facts.history();
  if (!facts.has(branch.transaction) || history.outcome(branch.transaction) != Outcome::Committed)
    return "cites a transaction that did not commit";
  if (!facts.belongs(branch.write, branch.transaction) || branch.read != branch.write ||
      history.kind(branch.write) != OperationKind::Insert || history.key(branch.write) != key)
    return "cites something other than an insert of the key";
  for (const OperationId op : history.operations(branch.transaction)) {
    if (op == branch.write) break;
    const bool writes = is_predicate(history.kind(op))
                            ? history.kind(op) != OperationKind::PredicateRead && has_row(history, op, key)
                            : history.key(op) == key && value_written(history, op).has_value();
    if (writes) return fmt::format("{} wrote the key before", print_in_transaction(history, op));
  }
  return std::nullopt;
}

// Whether the row of the key may have been deleted.
Flaw flaw_of_deletes(const History& history, KeyId key) {
  for (const TransactionId t : history.transactions()) {
    if (history.outcome(t) == Outcome::Aborted) continue;
    for (const OperationId op : history.operations(t)) {
      bool deletes = history.kind(op) == OperationKind::Delete && history.key(op) == key;
      if (history.kind(op) == OperationKind::PredicateDelete) {
        const Operation all = history.operation(op);
        deletes = has_row(history, op, key) || history.outcome(t) == Outcome::Indeterminate ||
                  all.rows_changed.value_or(0) > static_cast<std::int64_t>(all.rows.size());
      }
      if (deletes) return fmt::format("{} may have deleted the row", print_in_transaction(history, op));
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_of_inserts(const Facts& facts, const Divergence& claim) {
  const History& history = facts.history();
  const auto inserts = [&](OperationId op) {
    return op.index < history.operation_count() && history.kind(op) == OperationKind::Insert;
  };
  return claim.version.is_none() && inserts(claim.first.write) && inserts(claim.second.write) &&
         claim.key.index < history.key_count() && facts.lists().is_opaque(claim.key);
}

Flaw flaw_of_repeated_inserts(const Facts& facts, const Divergence& claim) {
  for (const Divergence::Branch& branch : {claim.first, claim.second})
    if (Flaw flaw = flaw_of_insert(facts, branch, claim.key)) return flaw;
  return flaw_of_deletes(facts.history(), claim.key);
}

}  // namespace serval::verify
