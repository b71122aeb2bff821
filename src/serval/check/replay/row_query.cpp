#include "serval/check/replay/row_query.h"

#include "serval/predicate/evaluate.h"

namespace serval::replay {
namespace {

using Kind = Condition::Kind;
using Columns = std::vector<std::uint32_t>;

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

Columns columns_of(const Condition& condition, RowState& state) {
  Columns out;
  for (const std::string& name : condition.columns()) out.push_back(state.column(name));
  return out;
}

}  // namespace

RowQuery::RowQuery(const Predicate& tree, const History& history, RowState& state, RowFilters& filters)
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

Scalar RowQuery::argument(const RowState& state, KeyId key) const {
  return value_of(query_.argument, gathered(state, argument_columns_, key));
}

Scalar RowQuery::assigned(const RowState& state, std::size_t assignment, KeyId key) const {
  return value_of(query_.assignments[assignment].value,
                  gathered(state, assignment_columns_[assignment], key));
}

bool RowQuery::is_safe(const RowState& state) const {
  return std::ranges::all_of(filter_->needs, [&](const auto& need) {
    const RowIndex& index = state.index(need.first);
    return need.second == Cut::Family::End ? !index.has_undefined() : index.has_only(need.second);
  });
}

Truth RowQuery::truth_of_row(const RowState& state, KeyId key) const {
  const Truth belongs = table_.has(history_, key);
  if (belongs == Truth::False) return Truth::False;
  return both(belongs, evaluate(query_.where, gathered(state, filter_->columns, key)));
}

std::span<const Scalar> RowQuery::gathered(const RowState& state, const Columns& columns, KeyId key) const {
  row_.clear();
  for (const std::uint32_t column : columns) row_.push_back(state.at(column, key));
  return row_;
}

}  // namespace serval::replay
