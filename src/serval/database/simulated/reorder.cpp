#include "serval/database/simulated/reorder.h"

#include <utility>
#include <vector>

#include "serval/history/history_builder.h"

namespace serval::simulated {
namespace {

// Integers and nil are the same in every pool; lists must be interned again.
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

History in_order(const History& history, const std::vector<TransactionId>& order) {
  HistoryBuilder builder;
  builder.set_initial_value(history.initial_value());
  for (const auto& [name, fact] : history.facts()) builder.set_fact(name, fact);
  for (const SessionId s : history.sessions()) builder.session(history.session_label(s));
  for (const TransactionId t : order) copy_transaction(history, t, builder);
  return std::move(builder).freeze();
}

}  // namespace

History group_by_session(const History& history) {
  std::vector<TransactionId> order;
  order.reserve(history.transaction_count());
  for (const SessionId s : history.sessions())
    for (const TransactionId t : history.session_transactions(s)) order.push_back(t);
  return in_order(history, order);
}

// A shuffled list, with each session once per transaction, determines whose turn it is.
History shuffle(const History& history, Random& random) {
  std::vector<SessionId> turns;
  turns.reserve(history.transaction_count());
  for (const TransactionId t : history.transactions()) turns.push_back(history.session(t));
  for (std::size_t i = turns.size(); i > 1; --i) std::swap(turns[i - 1], turns[random.below(i)]);
  std::vector<std::size_t> next(history.session_count(), 0);
  std::vector<TransactionId> order;
  order.reserve(turns.size());
  for (const SessionId s : turns) order.push_back(history.session_transactions(s)[next[s.index]++]);
  return in_order(history, order);
}

}  // namespace serval::simulated
