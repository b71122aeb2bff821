#include "serval/inference/repeated_inserts.h"

#include <utility>

namespace serval {
namespace {

class InsertFinder {
 public:
  InsertFinder(const History& history, const std::vector<KeyKind>& kinds)
      : history_(history),
        kinds_(kinds),
        deleted_(history.key_count(), false),
        writer_(history.key_count(), TransactionId::none()),
        first_(history.key_count(), OperationId::none()) {}

  std::vector<Divergence> find() && {
    for (const TransactionId t : history_.transactions())
      if (history_.outcome(t) != Outcome::Aborted)
        for (const OperationId op : history_.operations(t)) note_delete(t, op);
    if (may_delete_any_) return {};
    for (const TransactionId t : history_.transactions())
      if (history_.outcome(t) == Outcome::Committed)
        for (const OperationId op : history_.operations(t)) look_at(t, op);
    return std::move(found_);
  }

 private:
  Divergence::Branch branch_of(OperationId insert) const {
    return {history_.transaction_of(insert), insert, insert};
  }

  void note_delete(TransactionId t, OperationId op) {
    const OperationKind kind = history_.kind(op);
    if (kind == OperationKind::Delete) deleted_[history_.key(op).index] = true;
    if (kind != OperationKind::PredicateDelete) return;
    const Operation all = history_.operation(op);
    for (const Row& row : all.rows) deleted_[row.key.index] = true;
    const bool lacks_rows = all.rows_changed.value_or(0) > static_cast<std::int64_t>(all.rows.size());
    may_delete_any_ = may_delete_any_ || lacks_rows || history_.outcome(t) == Outcome::Indeterminate;
  }

  void look_at(TransactionId t, OperationId op) {
    const OperationKind kind = history_.kind(op);
    if (is_predicate(kind)) {
      if (kind == OperationKind::PredicateUpdate)
        for (const Row& row : history_.rows(op)) writer_[row.key.index] = t;
      return;
    }
    if (!writes_key(kind)) return;
    const KeyId key = history_.key(op);
    const bool is_first_write = std::exchange(writer_[key.index], t) != t;
    if (kind != OperationKind::Insert || !is_first_write || deleted_[key.index] ||
        kinds_[key.index] != KeyKind::Mixed)
      return;
    OperationId& first = first_[key.index];
    if (first.is_none())
      first = op;
    else
      found_.push_back({.key = key, .first = branch_of(first), .second = branch_of(op)});
  }

  const History& history_;
  const std::vector<KeyKind>& kinds_;
  std::vector<bool> deleted_;          // By key.
  bool may_delete_any_ = false;        // Some rows that were deleted are not known.
  std::vector<TransactionId> writer_;  // By key: the last of the transactions visited.
  std::vector<OperationId> first_;     // By key.
  std::vector<Divergence> found_;
};

}  // namespace

std::vector<Divergence> repeated_inserts(const History& history, const std::vector<KeyKind>& kinds) {
  if (kinds.empty()) return {};
  return InsertFinder(history, kinds).find();
}

}  // namespace serval
