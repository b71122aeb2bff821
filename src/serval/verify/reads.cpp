#include "serval/verify/reads.h"

#include <algorithm>

namespace serval::verify {

CertainReads::CertainReads(const Facts& facts) {
  for (const TransactionId t : facts.history().transactions()) {
    if (facts.participates(t))
      for (const OperationId op : facts.history().operations(t)) look_at(facts, op);
    first_.push_back(static_cast<std::uint32_t>(seen_.size()));
  }
}

namespace {

// Whether the read saw the own write; for a list, as the last element.
bool shows(const Facts& facts, OperationId read, OperationId own) {
  const History& history = facts.history();
  if (!facts.is_list(history.key(read))) return value_written(history, own) == value_read(history, read);
  const std::span<const Value> elements = elements_read(history, read);
  return !elements.empty() && elements.back() == value_written(history, own);
}

}  // namespace

void CertainReads::look_at(const Facts& facts, OperationId op) {
  const History& history = facts.history();
  if (is_predicate(history.kind(op))) {
    open_ = std::min(open_, op);
    return;
  }
  const std::optional<Value> value = value_read(history, op);
  if (!value) return;
  const KeyId key = history.key(op);
  if (const OperationId own = facts.own_write_before(op); !own.is_none()) {
    if (!shows(facts, op, own)) unexplained_ = std::min(unexplained_, op);
    return;
  }
  if (const std::optional<OperationId> write = facts.version_read(op)) {
    const TransactionId writer = write->is_none() ? TransactionId::none() : history.transaction_of(*write);
    seen_.push_back({op, key, *write, writer});
    return;
  }
  // An appended value is one element of what is read.
  const bool supplied =
      facts.opaque(key) || may_be_initial(facts.history(), *value) ||
      (!facts.is_list(key) && facts.final_writers_besides(history.transaction_of(op), key, *value) > 0);
  (supplied ? open_ : unexplained_) = std::min(supplied ? open_ : unexplained_, op);
}

}  // namespace serval::verify
