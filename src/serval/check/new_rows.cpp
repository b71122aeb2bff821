#include "serval/check/new_rows.h"

#include "serval/history/changed_history.h"

namespace serval {
namespace {

// The transactions that do something to a key: none yet, one, or several.
class Doers {
 public:
  void add(TransactionId t) {
    several_ = several_ || (!one_.is_none() && one_ != t);
    one_ = t;
  }
  bool differ_from(const Doers& other) const {
    if (one_.is_none() || other.one_.is_none()) return false;
    return several_ || other.several_ || one_ != other.one_;
  }

 private:
  TransactionId one_ = TransactionId::none();
  bool several_ = false;
};

}  // namespace

// Read committed only requires that the delete precedes the insert; for repeatable read and stronger
// levels no order of the two explains both.
bool tells_new_rows_apart(Level level) {
  return level != Level::Linearizable && !implies(level, Level::RepeatableRead) &&
         !implies(Level::StrongReadCommitted, level);
}

std::vector<KeyId> renewed_keys(const History& history) {
  std::vector<Doers> makes(history.key_count()), deletes(history.key_count());
  for (const TransactionId t : history.transactions()) {
    if (history.outcome(t) == Outcome::Aborted) continue;
    for (const OperationId op : history.operations(t)) {
      const OperationKind kind = history.kind(op);
      if (kind == OperationKind::Insert || kind == OperationKind::Write) makes[history.key(op).index].add(t);
      if (kind == OperationKind::Delete) deletes[history.key(op).index].add(t);
      if (kind == OperationKind::PredicateDelete)
        for (const Row& row : history.rows(op)) deletes[row.key.index].add(t);
    }
  }
  std::vector<KeyId> keys;
  for (const KeyId key : history.key_ids())
    if (makes[key.index].differ_from(deletes[key.index])) keys.push_back(key);
  return keys;
}

History without_keys(const History& history, const std::vector<KeyId>& keys) {
  std::vector<bool> dropped(history.key_count(), false);
  for (const KeyId key : keys) dropped[key.index] = true;
  std::vector<ChangedOperation> changes;
  for (std::uint32_t op = 0; op < history.operation_count(); ++op) {
    const KeyId key = history.key(OperationId{op});
    if (!key.is_none() && dropped[key.index])
      changes.push_back({OperationId{op}, OperationKind::Read, Value::unknown()});
  }
  return with_changes(history, changes);
}

}  // namespace serval
