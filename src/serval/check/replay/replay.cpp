#include "serval/check/replay/replay.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "serval/check/replay/expected_order.h"
#include "serval/check/replay/row_state.h"
#include "serval/history/notation.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/print_predicate.h"
#include "serval/predicate/query.h"
#include "serval/predicate/region.h"

namespace serval {
namespace replay {
namespace {

using Kind = Condition::Kind;

// Which rows a condition can be true for.
struct RowFilter {
  std::vector<std::uint32_t> columns;  // The condition's columns, in its order.
  // Columns of comparisons, and the family of the constants they are compared with; End: only NULL
  // counts.
  std::vector<std::pair<std::uint32_t, Cut::Family>> needs;
  std::optional<std::uint32_t> index_column;
  IntervalSet ranges;
  bool all_match = false;  // All rows that the index finds match.
};

// The filters of a replay, one per condition: updates that differ only in their assignments share one.
using RowFilters = absl::flat_hash_map<Condition, std::unique_ptr<RowFilter>>;

// Finds the index for a condition, and what must hold for the rows so that the index may be used.
class FilterBuilder {
 public:
  FilterBuilder(const Condition& condition, RowState& state) : condition_(condition), state_(state) {
    for (const std::string& name : condition.columns()) filter_.columns.push_back(state.column(name));
  }

  RowFilter build() && {
    if (condition_.nodes().empty() || !note_needs(0)) return std::move(filter_);
    const Region region = region_of(condition_);
    for (std::size_t i = 0; i < filter_.columns.size(); ++i) {
      IntervalSet hull = region.hull(i);
      if (hull.is_everything()) continue;
      filter_.index_column = filter_.columns[i];
      filter_.ranges = std::move(hull);
      break;
    }
    if (!filter_.index_column) return std::move(filter_);
    filter_.all_match = region.exact && filter_.columns.size() == 1;
    for (const auto& need : filter_.needs) state_.make_index(need.first);
    return std::move(filter_);
  }

 private:
  // Notes which kinds the comparisons below a node need; false if it is more than comparisons of columns
  // with constants.
  bool note_needs(std::uint32_t node) {
    const auto nodes = condition_.nodes();
    const Kind kind = nodes[node].kind;
    if (is_comparison(kind)) return note_comparison(node);
    switch (kind) {
      case Kind::And:
      case Kind::Or:
      case Kind::Not:
        for (const std::uint32_t child : condition_.operands(node))
          if (!note_needs(child)) return false;
        return true;
      case Kind::IsNull:
        if (nodes[node + 1].kind != Kind::Column) return false;
        filter_.needs.emplace_back(filter_.columns[nodes[node + 1].at], Cut::Family::End);
        return true;
      case Kind::Between:
      case Kind::In:
        return note_comparison(node);
      default:
        return false;
    }
  }

  // A column compared with constants of one family, NULL aside.
  bool note_comparison(std::uint32_t node) {
    const auto nodes = condition_.nodes();
    std::optional<std::uint32_t> column;
    std::optional<Cut::Family> family;
    for (const std::uint32_t child : condition_.operands(node)) {
      if (nodes[child].kind == Kind::Column && !column) {
        column = nodes[child].at;
        continue;
      }
      if (nodes[child].kind != Kind::Constant) return false;
      const Scalar& value = condition_.constants()[nodes[child].at];
      if (value.is_undefined()) return false;
      if (value.is_null()) continue;
      const Cut::Family found = cut_before(value).family;
      if (family && *family != found) return false;
      family = found;
    }
    if (!column || !family) return false;
    filter_.needs.emplace_back(filter_.columns[*column], *family);
    return true;
  }

  const Condition& condition_;
  RowState& state_;
  RowFilter filter_;
};

const RowFilter* filter_for(const Condition& condition, RowState& state, RowFilters& filters) {
  std::unique_ptr<RowFilter>& place = filters[condition];
  if (!place) place = std::make_unique<RowFilter>(FilterBuilder(condition, state).build());
  return place.get();
}

// A predicate operation prepared for a replay: what it requests, the columns it needs, and which index
// finds the rows that can match.
//
//   const RowQuery query(history.predicate(id), history, state);
//   query.visit_matches(state, [&](KeyId key) { ... });
//
// Rows outside the condition's region are skipped only if the condition cannot be undefined for them: if
// every column in a comparison holds only NULL and values of the constant's kind. Otherwise all rows are
// evaluated.
class RowQuery {
 public:
  RowQuery(const Predicate& tree, const History& history, RowState& state, RowFilters& filters)
      : history_(history),
        query_(query_of(tree, history.values())),
        table_(query_.where),
        filter_(filter_for(query_.where, state, filters)) {
    if (table_.is_join()) problem_ = "it refers to several tables";
    if (problem_.empty()) problem_ = query_.where.problem();
    argument_columns_ = columns_of(query_.argument, state);
    for (const Query::Assignment& assignment : query_.assignments)
      assignment_columns_.push_back(columns_of(assignment.value, state));
  }

  const Query& query() const noexcept { return query_; }
  // Why it cannot be evaluated on one row; otherwise empty.
  const std::string& problem() const noexcept { return problem_; }

  // Visits the keys whose rows match, each once, in any order. Returns a key for which the condition is
  // undefined, if one was found.
  template <class Visitor>
  std::optional<KeyId> visit_matches(const RowState& state, Visitor&& visitor) const {
    std::optional<KeyId> undefined;
    const auto look = [&](KeyId key) {
      const Truth truth = truth_of_row(state, key);
      if (truth == Truth::True) visitor(key);
      if (truth == Truth::Undefined) undefined = key;
    };
    if (filter_->index_column && is_safe(state)) {
      const RowIndex& index = state.index(*filter_->index_column);
      if (filter_->all_match && table_.name().empty())
        index.visit(filter_->ranges, visitor);
      else
        index.visit(filter_->ranges, look);
      return undefined;
    }
    for (const KeyId key : history_.key_ids())
      if (state.is_row(key)) look(key);
    return undefined;
  }

  Scalar argument(const RowState& state, KeyId key) const {
    return value_of(query_.argument, gathered(state, argument_columns_, key));
  }
  // The new value of an assignment, computed from the current row.
  Scalar assigned(const RowState& state, std::size_t assignment, KeyId key) const {
    return value_of(query_.assignments[assignment].value,
                    gathered(state, assignment_columns_[assignment], key));
  }

 private:
  using Columns = std::vector<std::uint32_t>;

  static Columns columns_of(const Condition& condition, RowState& state) {
    Columns out;
    for (const std::string& name : condition.columns()) out.push_back(state.column(name));
    return out;
  }
  bool is_safe(const RowState& state) const {
    return std::ranges::all_of(filter_->needs, [&](const auto& need) {
      const RowIndex& index = state.index(need.first);
      return need.second == Cut::Family::End ? !index.has_undefined() : index.has_only(need.second);
    });
  }
  Truth truth_of_row(const RowState& state, KeyId key) const {
    const Truth belongs = table_.has(history_, key);
    if (belongs == Truth::False) return Truth::False;
    return both(belongs, evaluate(query_.where, gathered(state, filter_->columns, key)));
  }
  std::span<const Scalar> gathered(const RowState& state, const Columns& columns, KeyId key) const {
    row_.clear();
    for (const std::uint32_t column : columns) row_.push_back(state.at(column, key));
    return row_;
  }

  const History& history_;
  Query query_;
  Table table_;
  std::string problem_;
  const RowFilter* filter_;
  Columns argument_columns_;
  std::vector<Columns> assignment_columns_;
  mutable std::vector<Scalar> row_;
};

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
  Replayer(const History& history, std::span<const TransactionId> order, Budget& budget)
      : history_(history),
        order_(order),
        budget_(budget),
        state_(history, order),
        matched_(history.key_count(), 0) {}

  ReplayResult run() {
    for (position_ = 0; position_ < order_.size(); ++position_) {
      transaction_ = order_[position_];
      for (const OperationId op : history_.operations(transaction_)) {
        budget_.poll("replay");
        operation_ = op;
        const bool goes_on =
            is_predicate(history_.kind(op)) ? run_predicate(op) : run_item(op, history_.kind(op));
        if (!goes_on) return std::move(result_);
      }
    }
    return std::move(result_);
  }

 private:
  // Failures. All return false, so that they end the replay.

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
    result_.undefined = fmt::format("{}: {}: {}", name_of(history_, transaction_),
                                    format_operation(history_, operation_), why);
    return false;
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
      case OperationKind::Append:
        state_.append(key, value, transaction_);
        return true;
      case OperationKind::Delete:
        state_.set(key, Value::nil(), transaction_);
        return true;
      default:
        break;
    }
    state_.set(key, value, transaction_);
    return true;
  }

  bool see(KeyId key, Value seen) {
    if (seen.is_unknown() || state_.shows(key, seen)) return true;
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
    if (query == nullptr) return give_up("its predicate was not recorded");
    if (!query->problem().empty()) return give_up(query->problem());
    keys_.clear();
    const std::optional<KeyId> undefined =
        query->visit_matches(state_, [&](KeyId key) { keys_.push_back(key); });
    if (undefined)
      return give_up(fmt::format("whether {} = {} matches is not defined", history_.format_key(*undefined),
                                 state_.format(*undefined)));
    if (query->query().function != Query::Function::None) return run_aggregate(op, *query);
    return compare_keys(op) && take_rows(op, *query);
  }

  bool run_aggregate(OperationId op, const RowQuery& query) {
    if (history_.value(op).is_unknown()) return true;
    Aggregation aggregation(query.query().function);
    for (const KeyId key : keys_) aggregation.add(query.argument(state_, key));
    const Scalar expected = aggregation.result();
    const Scalar seen = Scalar::of(history_.value(op), history_.values());
    if (expected.is_undefined()) return give_up("the aggregate is not defined");
    return same(expected, seen) || fail(KeyId::none(), expected.format(), seen.format());
  }

  // matched_ has this operation's number for matching keys that are not accounted for yet.
  bool compare_keys(OperationId op) {
    const std::uint32_t mark = op.index + 1;
    for (const KeyId key : keys_) matched_[key.index] = mark;
    std::size_t found = 0;
    for (const Row& row : history_.rows(op)) {
      if (matched_[row.key.index] != mark)
        return fail(row.key, fmt::format("no match, {}", state_.format(row.key)), "a match");
      matched_[row.key.index] = 0;
      ++found;
    }
    if (found == keys_.size()) return true;
    const auto missed = std::ranges::find_if(keys_, [&](KeyId key) { return matched_[key.index] == mark; });
    return fail_at(*missed, "no match");
  }

  bool take_rows(OperationId op, const RowQuery& query) {
    for (const Row& row : history_.rows(op)) {
      switch (history_.kind(op)) {
        case OperationKind::PredicateRead:
          if (row.value.is_nil()) return fail_at(row.key, history_.format(row.value));  // No row at all.
          if (!see(row.key, row.value)) return false;
          break;
        case OperationKind::PredicateUpdate:
          if (!take_update(row, query)) return false;
          break;
        default:
          state_.set(row.key, Value::nil(), transaction_);
      }
    }
    return true;
  }

  // Assigned columns have the values of the assignments; all others keep theirs.
  bool take_update(const Row& row, const RowQuery& query) {
    if (row.value.is_unknown()) return give_up("the value that it wrote was not recorded");
    if (!query.query().assignments.empty() && !is_right_update(row, query)) return false;
    state_.set(row.key, row.value, transaction_);
    return true;
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
      if (expected.is_undefined() && set != assignments.end())
        return give_up(fmt::format("the value that it assigns to {} of {} is undefined", names[i],
                                   history_.format_key(row.key)));
      if (!same(expected, row_after_[i]))
        return fail(row.key,
                    fmt::format("{} = {} from {}", names[i], expected.format(), state_.format(row.key)),
                    history_.format(row.value));
    }
    return true;
  }

  const History& history_;
  std::span<const TransactionId> order_;
  Budget& budget_;
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

ReplayResult replay_in_order(const History& history, std::span<const TransactionId> order, Budget& budget) {
  return replay::Replayer(history, order, budget).run();
}

}  // namespace serval
