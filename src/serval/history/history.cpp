#include "serval/history/history.h"

#include <algorithm>

namespace serval {

const TransactionHints* History::hints(TransactionId t) const {
  const auto found =
      std::ranges::lower_bound(hints_, t, {}, &std::pair<TransactionId, TransactionHints>::first);
  return found != hints_.end() && found->first == t ? &found->second : nullptr;
}

TransactionId History::transaction_of(OperationId op) const {
  expects(op.index < operation_count(), "an operation of this history");
  const auto after = std::ranges::upper_bound(first_operation_, op.index);
  return TransactionId{static_cast<std::uint32_t>(after - first_operation_.begin() - 1)};
}

const History::RareMembers* History::rare_members(OperationId op) const {
  const auto found = std::ranges::lower_bound(rare_, op, {}, &RareMembers::op);
  return found != rare_.end() && found->op == op ? &*found : nullptr;
}

PredicateId History::predicate_id(OperationId op) const {
  const RareMembers* found = rare_members(op);
  return found == nullptr ? PredicateId::none() : found->predicate;
}

std::span<const Row> History::rows(OperationId op) const {
  const RareMembers* found = rare_members(op);
  return found == nullptr ? std::span<const Row>() : std::span<const Row>(found->rows);
}

Operation History::operation(OperationId op) const {
  Operation whole;
  whole.kind = kind(op);
  whole.key = key(op);
  whole.value = value(op);
  whole.expected = expected(op);
  if (has_operation_times()) whole.time = {operation_begins_[op.index], operation_ends_[op.index]};
  if (const RareMembers* found = rare_members(op)) {
    whole.predicate = found->predicate;
    whole.rows = found->rows;
    whole.version = found->version;
    whole.rows_matched = found->rows_matched;
    whole.rows_changed = found->rows_changed;
  }
  return whole;
}

}  // namespace serval
