#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/history/notation.h"
#include "serval/verify/violation.h"

// The rules for a chain of lightweight transactions on one key (MTC, Algorithm 2), each re-derived by
// walking back from an operation to the write it saw, and on to what that write had seen.

namespace serval::verify {
namespace {

class Chain {
 public:
  Chain(const Facts& facts, const ChainBreak& claim)
      : facts_(facts), history_(facts.history()), claim_(claim) {}

  Flaw flaw() const {
    if (Flaw flaw = flaw_of_citation(claim_.first)) return flaw;
    switch (claim_.rule) {
      case ChainBreak::Rule::TwoInserts:
        return flaw_of_two_inserts();
      case ChainBreak::Rule::TwoSuccessors:
        return flaw_of_two_successors();
      case ChainBreak::Rule::NeverWritten:
        return flaw_of_never_written();
      case ChainBreak::Rule::Unreachable:
        return flaw_of_unreachable();
      case ChainBreak::Rule::RealTime:
        return flaw_of_real_time();
    }
    return "a rule that does not exist";
  }

 private:
  std::string formatted(OperationId op) const { return print_operation(history_, op); }
  bool reads(OperationId op) const { return value_read(history_, op).has_value(); }
  bool writes(OperationId op) const { return value_written(history_, op).has_value(); }

  Flaw flaw_of_citation(OperationId op) const {
    if (op.index >= history_.operation_count()) return "cites an operation that does not exist";
    const TransactionId t = history_.transaction_of(op);
    if (Flaw flaw = flaw_of_participation(facts_, t)) return flaw;
    if (history_.operations(t).size() != 1)
      return fmt::format("{} is not a lightweight transaction", name(history_, t));
    if (is_predicate(history_.kind(op)) || history_.key(op) != claim_.key)
      return fmt::format("{} is not about the key of the chain", formatted(op));
    if (facts_.opaque(claim_.key)) return "the key has list operations or unknown writes";
    return std::nullopt;
  }
  Flaw flaw_of_two() const {
    if (claim_.second.is_none() || claim_.first == claim_.second) return "needs two operations";
    return flaw_of_citation(claim_.second);
  }

  Flaw flaw_of_two_inserts() const {
    if (Flaw flaw = flaw_of_two()) return flaw;
    for (const OperationId op : {claim_.first, claim_.second})
      if (history_.kind(op) != OperationKind::Insert || history_.value(op).is_nil())
        return fmt::format("{} is not an insert of a row", formatted(op));
    if (facts_.final_writers_besides(history_.transaction_of(claim_.first), claim_.key, Value::nil()) > 0)
      return "the key may have been deleted in between";
    return std::nullopt;
  }

  Flaw flaw_of_two_successors() const {
    if (Flaw flaw = flaw_of_two()) return flaw;
    for (const OperationId op : {claim_.first, claim_.second})
      if (!reads(op) || !writes(op)) return fmt::format("{} does not replace a value", formatted(op));
    const std::optional<OperationId> version = facts_.version_read(claim_.first);
    if (!version) return fmt::format("it is not certain which version {} saw", formatted(claim_.first));
    if (facts_.version_read(claim_.second) == version) return std::nullopt;
    return fmt::format("{} and {} did not certainly see one version", formatted(claim_.first),
                       formatted(claim_.second));
  }

  Flaw flaw_of_never_written() const {
    const std::optional<Value> seen = value_read(history_, claim_.first);
    if (!seen) return fmt::format("{} does not read", formatted(claim_.first));
    if (may_be_initial(facts_.history(), *seen))
      return fmt::format("{} may have read the initial version", formatted(claim_.first));
    if (facts_.final_writers_besides(history_.transaction_of(claim_.first), claim_.key, *seen) > 0)
      return fmt::format("an operation wrote what {} saw", formatted(claim_.first));
    return std::nullopt;
  }

  // Walks back from `op` to the write it saw, then to what that write saw, and so on, until a write that
  // saw nothing (a root), the initial version (a root), a value that was never written, or an operation
  // visited before.
  Flaw flaw_of_unreachable() const {
    absl::flat_hash_set<OperationId> met;
    for (OperationId op = claim_.first; met.insert(op).second;) {
      const std::optional<Value> seen = value_read(history_, op);
      if (!seen) return fmt::format("{} starts a chain", formatted(op));
      const bool supplied = may_be_initial(facts_.history(), *seen) ||
                            facts_.final_writers_besides(history_.transaction_of(op), claim_.key, *seen) > 0;
      if (!supplied) return std::nullopt;
      const std::optional<OperationId> version = facts_.version_read(op);
      if (!version) return fmt::format("it is not certain which version {} saw", formatted(op));
      if (version->is_none()) return fmt::format("{} follows the initial version", formatted(op));
      op = *version;
    }
    return std::nullopt;
  }

  // Whether `early` certainly takes effect before `late`: the walk back from `late` visits it, or it saw
  // a version that an operation on this walk replaced.
  bool precedes(OperationId early, OperationId late) const {
    const std::optional<OperationId> shared = facts_.version_read(early);
    absl::flat_hash_set<OperationId> met;
    for (OperationId op = late; met.insert(op).second;) {
      if (op == early && op != late) return true;
      const std::optional<OperationId> version = facts_.version_read(op);
      if (op != early && writes(op) && shared && (version == shared || shared->is_none())) return true;
      if (!version || version->is_none()) return false;
      op = *version;
    }
    return false;
  }
  bool ended_before(OperationId a, OperationId b) const {
    const TransactionId before = history_.transaction_of(a);
    return history_.outcome(before) == Outcome::Committed &&
           history_.interval(before).end < history_.interval(history_.transaction_of(b)).begin;
  }

  Flaw flaw_of_real_time() const {
    if (Flaw flaw = flaw_of_two()) return flaw;
    const bool second_early = ended_before(claim_.first, claim_.second);
    const OperationId early = second_early ? claim_.second : claim_.first;
    const OperationId late = second_early ? claim_.first : claim_.second;
    if (!ended_before(late, early))
      return fmt::format("neither {} nor {} ended before the other began", formatted(early), formatted(late));
    if (precedes(early, late)) return std::nullopt;
    return fmt::format("{} does not certainly precede {}", formatted(early), formatted(late));
  }

  const Facts& facts_;
  const History& history_;
  const ChainBreak& claim_;
};

}  // namespace

Flaw flaw_of(const Facts& facts, AnomalyKind kind, const ChainBreak& claim) {
  if (kind != AnomalyKind::BrokenChain)
    return fmt::format("a chain of lightweight transactions does not show {}", name_of(kind));
  return Chain(facts, claim).flaw();
}

}  // namespace serval::verify
