#include "serval/inference/changed_answers.h"

#include <algorithm>
#include <cstdint>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/inference/key_kinds.h"

namespace serval {
namespace {

std::size_t hash_of(const Predicate& tree) {
  std::size_t hash = absl::HashOf(static_cast<int>(tree.node), tree.name, tree.literal, tree.children.size());
  for (const Predicate& child : tree.children) hash = absl::HashOf(hash, hash_of(child));
  return hash;
}

bool is_aggregate(const Predicate& tree) { return tree.node == Predicate::Node::Aggregate; }

class AnswerFinder {
 public:
  AnswerFinder(const History& history, Budget& budget) : history_(history), budget_(budget) {}

  std::vector<FaultyRead> find() && {
    for (const TransactionId t : history_.transactions())
      if (history_.outcome(t) == Outcome::Committed) look_at(t);
    return std::move(found_);
  }

 private:
  void look_at(TransactionId t) {
    first_.clear();
    written_.clear();
    wrote_unknown_rows_ = false;
    for (const OperationId op : history_.operations(t)) {
      budget_.poll("predicates");
      const OperationKind kind = history_.kind(op);
      if (kind == OperationKind::PredicateRead && !history_.predicate_id(op).is_none()) {
        compare(t, op);
      } else if (kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete) {
        note_rows(op);
      } else if (!is_predicate(kind) && (writes_key(kind) || history_.value(op).is_unknown())) {
        written_.insert(history_.key(op));  // Or may have been: see without_keys in check/new_rows.h.
      }
    }
  }

  void note_rows(OperationId op) {
    const Operation all = history_.operation(op);
    for (const Row& row : all.rows) written_.insert(row.key);
    wrote_unknown_rows_ =
        wrote_unknown_rows_ || all.rows_changed.value_or(0) > static_cast<std::int64_t>(all.rows.size());
  }

  // With the first answer to the same predicate.
  void compare(TransactionId t, OperationId op) {
    const Predicate& asked = history_.predicate(history_.predicate_id(op));
    const auto [place, is_new] = first_.try_emplace(hash_of(asked), op);
    if (is_new || wrote_unknown_rows_ || history_.predicate(history_.predicate_id(place->second)) != asked)
      return;
    if (is_aggregate(asked) ? differs_in_count(asked, place->second, op) : differs_in_keys(place->second, op))
      found_.push_back({ReadFault::Phantom, t, op, place->second});
  }

  bool differs_in_count(const Predicate& asked, OperationId first, OperationId second) const {
    const Value before = history_.value(first), after = history_.value(second);
    return asked.name == "count" && written_.empty() && !before.is_unknown() && !after.is_unknown() &&
           before != after;
  }

  bool differs_in_keys(OperationId first, OperationId second) {
    return lacks_a_key(first, second) || lacks_a_key(second, first);
  }
  // Whether `other` has a row that `one` lacks.
  bool lacks_a_key(OperationId one, OperationId other) {
    keys_.clear();
    for (const Row& row : history_.rows(one)) keys_.insert(row.key);
    return std::ranges::any_of(history_.rows(other), [&](const Row& row) {
      return !keys_.contains(row.key) && !written_.contains(row.key);
    });
  }

  const History& history_;
  Budget& budget_;
  absl::flat_hash_map<std::size_t, OperationId> first_;  // By hash of the predicate.
  absl::flat_hash_set<KeyId> written_, keys_;
  bool wrote_unknown_rows_ = false;
  std::vector<FaultyRead> found_;
};

}  // namespace

std::vector<FaultyRead> changed_answers(const History& history, Budget& budget) {
  if (std::ranges::find(history.kind_column(), OperationKind::PredicateRead) == history.kind_column().end())
    return {};
  return AnswerFinder(history, budget).find();
}

}  // namespace serval
