#include "serval/history/changed_history.h"

#include <absl/container/flat_hash_set.h>

#include "serval/base/contract.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

Interval widened(Interval time, Time error) {
  return {time.begin < kUnknownBegin + error ? kUnknownBegin : time.begin - error,
          time.end > kUnknownEnd - error ? kUnknownEnd : time.end + error};
}

class Copy {
 public:
  Copy(const History& from, std::span<const ChangedOperation> changes, Time clock_error)
      : from_(from), changes_(changes), clock_error_(clock_error) {}

  History run() {
    to_.set_initial_value(copied(from_.initial_value()));
    for (const auto& [name, text] : from_.facts()) to_.set_fact(name, text);
    for (const KeyId key : from_.key_ids()) to_.key(copied(from_.key_value(key)));
    for (const SessionId s : from_.sessions()) to_.session(copied(from_.session_label(s)));
    for (const TransactionId t : from_.transactions()) copy(t);
    for (const KeyOrder& order : from_.certificate().orders) to_.add_order(order);
    for (const auto& [op, seen] : from_.certificate().version_sets) to_.add_version_set(op, seen);
    if (from_.certificate().ordered_by_commit) to_.set_ordered_by_commit();
    return std::move(to_).freeze();
  }

 private:
  void copy(TransactionId t) {
    to_.begin_transaction(from_.session(t), copied(from_.label(t)));
    to_.set_outcome(t, from_.outcome(t));
    to_.set_interval(t, widened(from_.interval(t), clock_error_));
    if (const TransactionHints* hints = from_.hints(t)) to_.set_hints(t, *hints);
    for (const OperationId op : from_.operations(t)) to_.add(t, operation(op));
  }

  Operation operation(OperationId op) {
    Operation copy = from_.operation(op);
    if (!changes_.empty() && changes_.front().op == op) {
      copy.kind = changes_.front().kind;
      copy.value = changes_.front().value;
      copy.expected = changes_.front().expected;
      changes_ = changes_.subspan(1);
    }
    copy.time = widened(copy.time, clock_error_);
    copy.value = copied(copy.value);
    copy.expected = copied(copy.expected);
    for (Row& row : copy.rows) row.value = copied(row.value);
    if (!copy.predicate.is_none()) copy.predicate = copied(copy.predicate);
    return copy;
  }

  Value copied(Value value) { return to_.values().adopt(from_.values(), value); }

  // Many operations share one predicate.
  PredicateId copied(PredicateId id) {
    if (id.index >= predicates_.size()) predicates_.resize(id.index + 1, PredicateId::none());
    PredicateId& place = predicates_[id.index];
    if (place.is_none()) {
      Predicate tree = from_.predicate(id);
      adopt_literals(tree, from_.values(), to_.values());
      place = to_.predicate(std::move(tree));
    }
    return place;
  }

  const History& from_;
  std::span<const ChangedOperation> changes_;  // Not applied yet.
  Time clock_error_;
  HistoryBuilder to_;
  std::vector<PredicateId> predicates_;  // By the original's predicate.
};

}  // namespace

History with_changes(const History& history, std::span<const ChangedOperation> changes) {
  return Copy(history, changes, 0).run();
}

History with_clock_error(const History& history, Time error) {
  expects(error >= 0, "a clock error is not negative");
  return Copy(history, {}, error).run();
}

std::vector<Value> unused_values(const History& history, std::size_t count) {
  absl::flat_hash_set<Value> used{history.initial_value()};
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    used.insert(history.value(OperationId{i}));
    used.insert(history.expected(OperationId{i}));
  }
  std::vector<Value> unused;
  for (std::int64_t number = Value::kMinInline; unused.size() < count; ++number)
    if (!used.contains(Value::integer(number))) unused.push_back(Value::integer(number));
  return unused;
}

}  // namespace serval
