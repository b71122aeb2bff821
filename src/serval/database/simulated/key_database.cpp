#include <algorithm>

#include "serval/base/contract.h"
#include "serval/database/simulated/planned_database.h"

namespace serval::simulated {

void KeyDatabase::begin(PlannedTransaction& transaction) {
  Store::begin(transaction);
  for (const PlannedOperation& planned : transaction.plan.operations) {
    if (planned.kind != Kind::CompareAndSet) continue;
    const Value known = versions()[versions().newest(planned.key)].value;
    transaction.guesses.push_back(known.is_nil() ? Value::integer(0) : known);
  }
  std::ranges::reverse(transaction.guesses);
}

Value KeyDatabase::read_register(PlannedTransaction& transaction, Key key) {
  if (const PendingWrite* own = transaction.find_write(key)) return own->value;
  if (const Transaction* dirty = dirty_writer(transaction, key)) return dirty->find_write(key)->value;
  return versions()[read(transaction, key)].value;
}

Value KeyDatabase::read_list(PlannedTransaction& transaction, Key key) {
  const Transaction* dirty = dirty_writer(transaction, key);
  const VersionId beneath = read(transaction, key);
  if (transaction.find_write(key) != nullptr) transaction.lists_shown.push_back(transaction.reads.back());
  const std::span<const Value> committed = versions().elements(key, beneath);
  std::vector<Value> elements(committed.begin(), committed.end());
  const auto add_appends_of = [&](const Transaction& writer) {
    for (const PendingWrite& write : writer.writes)
      if (write.key == key) elements.push_back(write.value);
  };
  if (dirty != nullptr) add_appends_of(*dirty);
  add_appends_of(transaction);
  return elements.empty() ? Value::nil() : values_.list(elements);
}

PlannedDatabase::Answer KeyDatabase::write_fresh(PlannedTransaction& transaction,
                                                 const RecordedOperation& operation) {
  const Value value = Value::integer(fresh_number());
  const bool refused = level().locks == SimulatedLevelInfo::Locks::All &&
                       is_locked(transaction, operation.key) &&
                       !bugs_.fires(SimulatedBugKind::SkippedValidation);
  if (refused) return Answer::Conflict;
  write(transaction,
        {.key = operation.key, .value = value, .append = operation.kind == OperationKind::Append});
  transaction.operations.push_back(operation);
  transaction.operations.back().value = value;
  return Answer::Done;
}

PlannedDatabase::Answer KeyDatabase::compare_and_set(PlannedTransaction& transaction,
                                                     RecordedOperation operation) {
  operation.expected = transaction.guesses.back();
  transaction.guesses.pop_back();
  operation.value = read_register(transaction, operation.key);
  if (operation.value == operation.expected) return write_fresh(transaction, operation);
  operation.kind = OperationKind::CompareAndSetMiss;
  transaction.operations.push_back(operation);
  return Answer::Done;
}

PlannedDatabase::Answer KeyDatabase::perform(PlannedTransaction& transaction, Interval time) {
  view_of(transaction);
  const auto [kind, key] = transaction.plan.operations[transaction.next_step++];
  RecordedOperation operation{OperationKind::Read, key, Value::nil(), Value::nil(), time};
  const auto becomes = [&](OperationKind recorded) {
    operation.kind = recorded;
    return operation;
  };
  switch (kind) {
    case Kind::Write:
      return write_fresh(transaction, becomes(OperationKind::Write));
    case Kind::Append:
      return write_fresh(transaction, becomes(OperationKind::Append));
    case Kind::CompareAndSet:
      return compare_and_set(transaction, becomes(OperationKind::CompareAndSet));
    case Kind::ReadList:
      operation.kind = OperationKind::ReadList;
      operation.value = read_list(transaction, key);
      break;
    case Kind::Read:
      operation.value = read_register(transaction, key);
      break;
    case Kind::ReadModifyWrite: {
      operation.value = read_register(transaction, key);
      const RecordedOperation seen = operation;
      if (write_fresh(transaction, becomes(OperationKind::Write)) == Answer::Conflict)
        return Answer::Conflict;
      transaction.operations.insert(transaction.operations.end() - 1, seen);
      return Answer::Done;
    }
    case Kind::Insert:
      operation.value = read_register(transaction, key);
      if (operation.value.is_nil()) return write_fresh(transaction, becomes(OperationKind::Insert));
      operation.kind = OperationKind::InsertMiss;
      break;
  }
  transaction.operations.push_back(operation);
  return Answer::Done;
}

}  // namespace serval::simulated
