#include "serval/database/simulated/group_by_session.h"

#include <utility>
#include <vector>

#include "serval/history/history_builder.h"

namespace serval::simulated {
namespace {

// Integers and nil are the same in every pool; lists of integers need to be interned anew.
Value move_to(ValuePool& pool, const History& history, Value value) {
  return value.is_list() ? pool.list(history.values().elements(value)) : value;
}

void copy_transaction(const History& history, TransactionId t, HistoryBuilder& builder) {
  const TransactionId copy = builder.begin_transaction(history.session(t), history.label(t));
  for (const OperationId op : history.operations(t)) {
    Operation operation = history.operation(op);
    operation.key = builder.key(history.key_value(operation.key));
    operation.value = move_to(builder.values(), history, operation.value);
    builder.add(copy, operation);
  }
  builder.set_outcome(copy, history.outcome(t));
  builder.set_interval(copy, history.interval(t));
  if (const TransactionHints* hints = history.hints(t)) builder.set_hints(copy, *hints);
}

}  // namespace

History group_by_session(const History& history) {
  HistoryBuilder builder;
  builder.set_initial_value(history.initial_value());
  for (const auto& [name, fact] : history.facts()) builder.set_fact(name, fact);
  for (const SessionId s : history.sessions()) builder.session(history.session_label(s));
  for (const SessionId s : history.sessions())
    for (const TransactionId t : history.session_transactions(s)) copy_transaction(history, t, builder);
  return std::move(builder).freeze();
}

}  // namespace serval::simulated
