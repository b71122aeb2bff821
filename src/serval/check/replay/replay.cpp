#include "serval/check/replay/replay.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "serval/check/replay/row_query.h"
#include "serval/check/replay/row_state.h"
#include "serval/history/notation.h"
#include "serval/inference/expected_order.h"
#include "serval/inference/key_kinds.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/print_predicate.h"
#include "serval/predicate/row_columns.h"

namespace serval {
namespace replay {
namespace {

// Predicate operations with their predicate, and the number of rows they saw or wrote.
std::string format_operation(const History& history, OperationId op) {
  if (!is_predicate(history.kind(op))) return print_operation(history, op);
  const PredicateId id = history.predicate_id(op);
  const std::string asked =
      id.is_none() ? "an unknown predicate" : print_predicate(history.predicate(id), history.values());
  return fmt::format("{} of {} ({} row{})", name_of(history.kind(op)), asked, history.rows(op).size(),
                     history.rows(op).size() == 1 ? "" : "s");
}

class Replayer {
 public:
  // With `unsettled`, only what is certainly wrong is a mismatch.
  Replayer(const History& history, std::span<const TransactionId> order,
           std::span<const std::uint32_t> visible, const std::vector<bool>* unsettled, Budget& budget)
      : history_(history),
        order_(order),
        visible_(visible),
        unsettled_(unsettled),
        any_unsettled_(unsettled != nullptr && std::ranges::find(*unsettled, true) != unsettled->end()),
        budget_(budget),
        state_(history, order),
        matched_(history.key_count(), 0) {}

  // Transactions that do not see all before them run on their snapshot, which is then restored.
  ReplayResult run() {
    const std::vector<std::uint32_t> early = early_snapshots();
    auto next = early.begin();
    for (std::uint32_t shown = 0; shown < order_.size(); ++shown) {
      for (; next != early.end() && visible_[*next] == shown; ++next) {
        state_.begin_trial();
        const bool goes_on = run_transaction(*next);
        state_.undo_trial();
        if (!goes_on) return std::move(result_);
      }
      const bool sees_all = visible_.empty() || visible_[shown] == shown;
      if (sees_all && !run_transaction(shown)) return std::move(result_);
      if (!sees_all) install(order_[shown]);
    }
    return std::move(result_);
  }

 private:
  // Their positions, by snapshot.
  std::vector<std::uint32_t> early_snapshots() const {
    std::vector<std::uint32_t> early;
    for (std::uint32_t i = 0; i < visible_.size(); ++i)
      if (visible_[i] < i) early.push_back(i);
    std::ranges::stable_sort(early, {}, [&](std::uint32_t position) { return visible_[position]; });
    return early;
  }

  bool run_transaction(std::uint32_t position) {
    position_ = position;
    transaction_ = order_[position];
    const bool committed = history_.outcome(transaction_) == Outcome::Committed;
    for (const OperationId op : history_.operations(transaction_)) {
      budget_.poll("replay");
      operation_ = op;
      const OperationKind kind = history_.kind(op);
      compares_ = !wants_certainty() || (committed && (visible_.empty() || is_plain_read(kind)));
      if (!(is_predicate(kind) ? run_predicate(op) : run_item(op, kind))) return false;
    }
    return true;
  }

  // Inserts, updates and refusals may use newer rows than their snapshot has.
  static bool is_plain_read(OperationKind kind) {
    return kind == OperationKind::Read || kind == OperationKind::ReadList ||
           kind == OperationKind::PredicateRead;
  }

  void install(TransactionId t) {
    transaction_ = t;
    for (const OperationId op : history_.operations(t)) {
      const OperationKind kind = history_.kind(op);
      if (is_predicate(kind))
        write_rows(op);
      else if (writes_key(kind))
        write_item(op, kind);
    }
  }

  bool wants_certainty() const { return unsettled_ != nullptr; }

  // Whether an answer about the key may be compared with the state.
  bool is_comparable(KeyId key) const {
    return !wants_certainty() || (compares_ && !(*unsettled_)[key.index] && state_.is_known(key));
  }
  // Before any write, a key may hold the initial value, or nothing.
  bool may_be_either(KeyId key) const {
    return wants_certainty() && state_.writer(key).is_none() && !history_.initial_value().is_nil();
  }

  // Failures. All return false, so that they end the replay; except that a doubt does not end the search
  // for something certain.

  bool fail(KeyId key, std::string expected, std::string seen) {
    result_.mismatch = {.position = position_,
                        .transaction = transaction_,
                        .operation = operation_,
                        .key = key,
                        .expected = std::move(expected),
                        .seen = std::move(seen),
                        .writer = key.is_none() ? TransactionId::none() : state_.writer(key)};
    return false;
  }
  bool fail_at(KeyId key, std::string seen) { return fail(key, state_.format(key), std::move(seen)); }
  bool give_up(const std::string& why) {
    if (result_.undefined.empty())
      result_.undefined = fmt::format("{}: {}: {}", name_of(history_, transaction_),
                                      format_operation(history_, operation_), why);
    return wants_certainty();
  }

  // Operations on single keys.

  bool run_item(OperationId op, OperationKind kind) {
    const KeyId key = history_.key(op);
    const Value value = history_.value(op);
    switch (kind) {
      case OperationKind::Read:
      case OperationKind::ReadList:
      case OperationKind::InsertMiss:
      case OperationKind::CompareAndSetMiss:
        return see(key, value);
      case OperationKind::Insert:
        if (!see(key, Value::nil())) return false;
        break;
      case OperationKind::CompareAndSet:
        if (!see(key, history_.expected(op))) return false;
        break;
      default:
        break;
    }
    write_item(op, kind);
    return true;
  }

  void write_item(OperationId op, OperationKind kind) {
    const KeyId key = history_.key(op);
    if (kind == OperationKind::Append)
      state_.append(key, history_.value(op), transaction_);
    else
      state_.set(key, kind == OperationKind::Delete ? Value::nil() : history_.value(op), transaction_);
  }

  bool see(KeyId key, Value seen) {
    if (seen.is_unknown() || state_.shows(key, seen) || !is_comparable(key)) return true;
    if (wants_certainty() && rows_agree(state_.value(key), seen, history_.values())) return true;
    return fail_at(key, history_.format(seen));
  }

  // Predicate operations.

  // Queries with assignments rarely repeat; all others are cached.
  const RowQuery* query_of_operation(OperationId op) {
    const PredicateId id = history_.predicate_id(op);
    if (id.is_none()) return nullptr;
    const Predicate& tree = history_.predicate(id);
    if (id.index >= queries_.size()) queries_.resize(id.index + 1);
    std::unique_ptr<RowQuery>& place =
        tree.node == Predicate::Node::Update ? single_use_ : queries_[id.index];
    if (!place || tree.node == Predicate::Node::Update)
      place = std::make_unique<RowQuery>(tree, history_, state_, filters_);
    return place.get();
  }

  bool run_predicate(OperationId op) {
    const RowQuery* query = query_of_operation(op);
    if (query == nullptr) return give_up("its predicate was not recorded") && write_rows(op);
    if (!query->problem().empty()) return give_up(query->problem()) && write_rows(op);
    keys_.clear();
    const std::optional<KeyId> undefined =
        query->visit_matches(state_, [&](KeyId key) { keys_.push_back(key); });
    if (undefined)
      return give_up(fmt::format("whether {} = {} matches is not defined", history_.format_key(*undefined),
                                 state_.format(*undefined))) &&
             write_rows(op);
    if (query->query().function != Query::Function::None) return run_aggregate(op, *query);
    return compare_keys(op) && take_rows(op, *query);
  }

  // Sums of decimals depend on how a database rounds.
  bool is_comparable(const Scalar& expected, const Scalar& seen) const {
    if (!wants_certainty()) return true;
    const auto is_exact = [](const Scalar& s) { return s.is_null() || s.kind() == Scalar::Kind::Integer; };
    return compares_ && !any_unsettled_ && history_.initial_value().is_nil() && is_exact(expected) &&
           is_exact(seen);
  }

  bool run_aggregate(OperationId op, const RowQuery& query) {
    if (history_.value(op).is_unknown()) return true;
    Aggregation aggregation(query.query().function);
    for (const KeyId key : keys_) aggregation.add(query.argument(state_, key));
    const Scalar expected = aggregation.result();
    const Scalar seen = Scalar::of(history_.value(op), history_.values());
    if (expected.is_undefined()) return give_up("the aggregate is not defined");
    if (same(expected, seen) || !is_comparable(expected, seen)) return true;
    return fail(KeyId::none(), expected.format(), seen.format());
  }

  // Lists are not rows.
  bool may_compare_row(KeyId key) const {
    return !wants_certainty() ||
           (is_comparable(key) && !may_be_either(key) && !state_.value(key).is_unknown());
  }

  // matched_ has this operation's number for matching keys that are not accounted for yet.
  bool compare_keys(OperationId op) {
    const std::uint32_t mark = op.index + 1;
    for (const KeyId key : keys_) matched_[key.index] = mark;
    for (const Row& row : history_.rows(op)) {
      if (matched_[row.key.index] != mark && may_compare_row(row.key))
        return fail(row.key, fmt::format("no match, {}", state_.format(row.key)), "a match");
      matched_[row.key.index] = 0;
    }
    const auto missed = std::ranges::find_if(
        keys_, [&](KeyId key) { return matched_[key.index] == mark && may_compare_row(key); });
    return missed == keys_.end() || fail_at(*missed, "no match");
  }

  bool take_rows(OperationId op, const RowQuery& query) {
    if (history_.kind(op) == OperationKind::PredicateRead) {
      for (const Row& row : history_.rows(op)) {
        if (!may_compare_row(row.key)) continue;
        if (row.value.is_nil()) return fail_at(row.key, history_.format(row.value));  // No row at all.
        if (!see(row.key, row.value)) return false;
      }
      return true;
    }
    if (history_.kind(op) == OperationKind::PredicateUpdate)
      for (const Row& row : history_.rows(op))
        if (!look_at_update(row, query)) return false;
    return write_rows(op);
  }

  bool write_rows(OperationId op) {
    if (history_.kind(op) == OperationKind::PredicateRead) return true;
    const bool deletes = history_.kind(op) == OperationKind::PredicateDelete;
    for (const Row& row : history_.rows(op))
      state_.set(row.key, deletes ? Value::nil() : row.value, transaction_);
    return true;
  }

  // Assigned columns have the values of the assignments; all others keep theirs.
  bool look_at_update(const Row& row, const RowQuery& query) {
    if (row.value.is_unknown()) return give_up("the value that it wrote was not recorded");
    return query.query().assignments.empty() || !may_compare_row(row.key) || is_right_update(row, query);
  }

  // A column that was not recorded, or a decimal, which databases round differently.
  bool is_open(const Scalar& expected, const Scalar& seen) const {
    const auto open = [](const Scalar& s) { return s.is_undefined() || s.kind() == Scalar::Kind::Decimal; };
    return wants_certainty() && (open(expected) || open(seen));
  }

  bool is_right_update(const Row& row, const RowQuery& query) {
    const auto& assignments = query.query().assignments;
    const Value before = state_.value(row.key);
    std::vector<std::string> names = column_names(before, history_.values());
    for (std::string& name : column_names(row.value, history_.values())) names.push_back(std::move(name));
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const Value key = history_.key_value(row.key);
    read_columns(names, key, before, history_.values(), row_before_);
    read_columns(names, key, row.value, history_.values(), row_after_);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto set = std::ranges::find(assignments, names[i], &Query::Assignment::column);
      const Scalar expected =
          set == assignments.end()
              ? row_before_[i]
              : query.assigned(state_, static_cast<std::size_t>(set - assignments.begin()), row.key);
      if (expected.is_undefined() && set != assignments.end()) {
        if (!give_up(fmt::format("the value that it assigns to {} of {} is undefined", names[i],
                                 history_.format_key(row.key))))
          return false;
      } else if (!same(expected, row_after_[i]) && !is_open(expected, row_after_[i]))
        return fail(row.key,
                    fmt::format("{} = {} from {}", names[i], expected.format(), state_.format(row.key)),
                    history_.format(row.value));
    }
    return true;
  }

  const History& history_;
  std::span<const TransactionId> order_;
  std::span<const std::uint32_t> visible_;  // By position; empty: each transaction sees all before it.
  const std::vector<bool>* unsettled_;      // By key; null: everything is compared.
  bool any_unsettled_;
  Budget& budget_;
  bool compares_ = true;  // The current operation.
  RowState state_;
  RowFilters filters_;
  std::uint32_t position_ = 0;
  TransactionId transaction_;
  OperationId operation_;
  std::vector<std::unique_ptr<RowQuery>> queries_;  // By predicate.
  std::unique_ptr<RowQuery> single_use_;
  std::vector<KeyId> keys_;             // Matching keys.
  std::vector<std::uint32_t> matched_;  // By key.
  std::vector<Scalar> row_before_, row_after_;
  ReplayResult result_;
};

}  // namespace
}  // namespace replay

std::string ReplayMismatch::format(const History& history, std::span<const TransactionId> order) const {
  const auto place_of = [&](TransactionId t) {
    const auto found = std::ranges::find(order, t);
    return static_cast<std::size_t>(found - order.begin()) + 1;
  };
  std::string out = fmt::format("{} ({} of {} in the order): {} ", name_of(history, transaction),
                                position + 1, order.size(), replay::format_operation(history, operation));
  if (key.is_none()) return out + fmt::format("should give {}, but gave {}", expected, seen);
  out += fmt::format("expects {} to be {}, ", history.format_key(key), expected);
  if (writer.is_none())
    out += "the initial version";
  else if (writer == transaction)
    out += "its own write";
  else
    out += fmt::format("written by {} ({} in the order)", name_of(history, writer), place_of(writer));
  return out + fmt::format(", but saw {}", seen);
}

ReplayResult replay_in_order(const History& history, std::span<const TransactionId> order, Budget& budget,
                             std::span<const std::uint32_t> visible) {
  return replay::Replayer(history, order, visible, nullptr, budget).run();
}

ReplayResult find_certain_mismatch(const History& history, std::span<const TransactionId> order,
                                   const std::vector<bool>& unsettled, Budget& budget,
                                   std::span<const std::uint32_t> visible) {
  return replay::Replayer(history, order, visible, &unsettled, budget).run();
}

}  // namespace serval
