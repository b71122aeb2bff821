#include "serval/inference/initial_rows.h"

#include <utility>

namespace serval {
namespace {

class Finder {
 public:
  explicit Finder(const History& history)
      : history_(history),
        found_(history.key_count(), false),
        writer_(history.key_count(), TransactionId::none()) {}

  std::vector<bool> run() {
    for (const TransactionId t : history_.transactions())
      for (const OperationId op : history_.operations(t)) look(t, op);
    return std::move(found_);
  }

 private:
  void look(TransactionId t, OperationId op) {
    const Value initial = history_.initial_value();
    switch (history_.kind(op)) {
      case OperationKind::Read:
      case OperationKind::InsertMiss:
      case OperationKind::CompareAndSetMiss:
        if (history_.value(op) == initial) find(t, history_.key(op));
        return;
      case OperationKind::CompareAndSet:
        if (history_.expected(op) == initial) find(t, history_.key(op));
        return write(t, history_.key(op));
      case OperationKind::PredicateRead:
        for (const Row& row : history_.rows(op))
          if (row.value == initial) find(t, row.key);
        return;
      case OperationKind::PredicateUpdate:
      case OperationKind::PredicateDelete:
        for (const Row& row : history_.rows(op)) {
          find(t, row.key);
          write(t, row.key);
        }
        return;
      default:
        if (history_.kind(op) != OperationKind::ReadList) write(t, history_.key(op));
    }
  }
  void find(TransactionId t, KeyId key) {
    if (writer_[key.index] != t) found_[key.index] = true;
  }
  void write(TransactionId t, KeyId key) { writer_[key.index] = t; }

  const History& history_;
  std::vector<bool> found_;
  std::vector<TransactionId> writer_;  // The last writer by key, among the transactions visited.
};

}  // namespace

std::vector<bool> rows_found(const History& history) { return Finder(history).run(); }

}  // namespace serval
