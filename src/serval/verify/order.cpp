#include <fmt/format.h>

#include "serval/history/notation.h"
#include "serval/verify/violation.h"

namespace serval::verify {
namespace {

std::string formatted_version(const Facts& facts, OperationId op) {
  return op.is_none() ? "the initial version" : print_operation(facts.history(), op);
}

// Whether `op` wrote the version as its transaction's last write to the key, or certainly read it.
Flaw flaw_of_observed_read(const Facts& facts, KeyId key, OperationId op, OperationId version) {
  const History& history = facts.history();
  if (op.index >= history.operation_count()) return "cites an operation that does not exist";
  const TransactionId t = history.transaction_of(op);
  if (Flaw flaw = flaw_of_participation(facts, t)) return flaw;
  if (is_predicate(history.kind(op)) || history.key(op) != key)
    return fmt::format("{} is not about {}", formatted_version(facts, op), history.format_key(key));
  if (facts.lists().written_by_predicates(key))
    return "cannot order the versions of a key that predicates write";
  if (op == version && value_written(history, op) && facts.is_final_write(op)) return std::nullopt;
  if (value_read(history, op) && facts.version_read(op) == std::optional(version)) return std::nullopt;
  return fmt::format("{} of {} did not certainly see {}", formatted_version(facts, op), name(history, t),
                     formatted_version(facts, version));
}

Flaw flaw_of_update(const Facts& facts, const VersionPrecedence& claim) {
  const History& history = facts.history();
  const bool one = history.transaction_of(claim.seen_earlier) == history.transaction_of(claim.seen_later);
  const bool reads_then_writes = facts.version_read(claim.seen_earlier) == std::optional(claim.earlier) &&
                                 claim.seen_later == claim.later;
  if (one && reads_then_writes) return std::nullopt;
  return "no transaction read the earlier version and wrote the later one";
}

Flaw flaw_of_numbers(const Facts& facts, const VersionPrecedence& claim) {
  const std::optional<std::int64_t> first = facts.history().operation(claim.seen_earlier).version;
  const std::optional<std::int64_t> second = facts.history().operation(claim.seen_later).version;
  if (first && second && *first < *second) return std::nullopt;
  return "the version numbers do not ascend";
}

Flaw flaw_of_commits(const Facts& facts, const VersionPrecedence& claim) {
  if (claim.seen_earlier != claim.earlier || claim.seen_later != claim.later)
    return "the commit order relates the writes themselves";
  const auto first = facts.commit_position(facts.history().transaction_of(claim.earlier));
  const auto second = facts.commit_position(facts.history().transaction_of(claim.later));
  if (first && second && *first < *second) return std::nullopt;
  return "the writers did not commit in this order";
}

Flaw flaw_of_sessions(const Facts& facts, TransactionId first, TransactionId second) {
  const History& history = facts.history();
  if (history.session(first) == history.session(second) &&
      facts.session_position(first) < facts.session_position(second))
    return std::nullopt;
  return fmt::format("{} does not precede {} in a session", name(history, first), name(history, second));
}

Flaw flaw_of_times(const Facts& facts, TransactionId first, TransactionId second) {
  const History& history = facts.history();
  const bool ended = history.outcome(first) == Outcome::Committed;
  if (ended && history.interval(first).end < history.interval(second).begin) return std::nullopt;
  return fmt::format("{} did not end before {} began", name(history, first), name(history, second));
}

Flaw flaw_of_basis(const Facts& facts, const VersionPrecedence& claim) {
  const TransactionId first = facts.history().transaction_of(claim.seen_earlier);
  const TransactionId second = facts.history().transaction_of(claim.seen_later);
  switch (claim.basis) {
    case OrderBasis::Reads:
      return flaw_of_update(facts, claim);
    case OrderBasis::Versions:
      return flaw_of_numbers(facts, claim);
    case OrderBasis::CommitOrder:
      return flaw_of_commits(facts, claim);
    case OrderBasis::SequentialKeys:
      return flaw_of_sessions(facts, first, second);
    case OrderBasis::LinearizableKeys:
      return flaw_of_times(facts, first, second);
    case OrderBasis::Case:
      return "an order that holds in one case only";
    case OrderBasis::Certificate:
      return "a certificate does not order single operations";
  }
  return "an order on an unknown basis";
}

Flaw flaw_of_version_cycle(const VersionContradiction& claim) {
  for (std::size_t i = 0; i < claim.steps.size(); ++i)
    if (claim.steps[i].later != claim.steps[(i + 1) % claim.steps.size()].earlier)
      return fmt::format("step {} does not connect to the next", i + 1);
  return std::nullopt;
}

}  // namespace

Flaw flaw_of_precedence(const Facts& facts, KeyId key, const VersionPrecedence& claim) {
  if (claim.earlier == claim.later) return "a version before itself";
  if (Flaw flaw = flaw_of_observed_read(facts, key, claim.seen_later, claim.later)) return flaw;
  // The initial version precedes whatever was written.
  if (claim.earlier.is_none() && claim.basis == OrderBasis::Reads) return std::nullopt;
  if (Flaw flaw = flaw_of_observed_read(facts, key, claim.seen_earlier, claim.earlier)) return flaw;
  return flaw_of_basis(facts, claim);
}

Flaw flaw_of(const Facts& facts, AnomalyKind kind, const VersionContradiction& claim) {
  if (kind != AnomalyKind::CyclicVersions)
    return fmt::format("a cycle of versions does not show {}", name_of(kind));
  if (claim.key.index >= facts.history().key_count()) return "cites a key that does not exist";
  if (claim.steps.empty()) return "a cycle without steps";
  for (std::size_t i = 0; i < claim.steps.size(); ++i)
    if (const Flaw flaw = flaw_of_precedence(facts, claim.key, claim.steps[i]))
      return fmt::format("step {}: {}", i + 1, *flaw);
  return flaw_of_version_cycle(claim);
}

}  // namespace serval::verify
