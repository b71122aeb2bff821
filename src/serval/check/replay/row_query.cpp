#include "serval/check/replay/row_query.h"

#include <algorithm>

#include "serval/predicate/region.h"

namespace serval::replay {
namespace {

using Kind = Condition::Kind;

}  // namespace

RowQuery::RowQuery(const Predicate& tree, const History& history, RowState& state)
    : history_(history), query_(query_of(tree, history.values())), table_(query_.where) {
  if (table_.is_join()) problem_ = "it speaks of several tables";
  if (problem_.empty()) problem_ = query_.where.problem();
  where_columns_ = columns_of(query_.where, state);
  argument_columns_ = columns_of(query_.argument, state);
  for (const Query::Assignment& assignment : query_.assignments)
    assignment_columns_.push_back(columns_of(assignment.value, state));
  choose_index(state);
}

RowQuery::Columns RowQuery::columns_of(const Condition& condition, RowState& state) const {
  Columns out;
  for (const std::string& name : condition.columns()) out.push_back(state.column(name));
  return out;
}

// A column compared with constants of one family, NULL aside.
bool RowQuery::note_comparison(std::uint32_t node) {
  const auto nodes = query_.where.nodes();
  std::optional<std::uint32_t> column;
  std::optional<Cut::Family> family;
  for (std::uint32_t child = node + 1; child < nodes[node].end; child = nodes[child].end) {
    if (nodes[child].kind == Kind::Column && !column) {
      column = nodes[child].at;
      continue;
    }
    if (nodes[child].kind != Kind::Constant) return false;
    const Scalar& value = query_.where.constants()[nodes[child].at];
    if (value.is_undefined()) return false;
    if (value.is_null()) continue;
    const Cut::Family found = cut_before(value).family;
    if (family && *family != found) return false;
    family = found;
  }
  if (!column || !family) return false;
  needs_.emplace_back(where_columns_[*column], *family);
  return true;
}

bool RowQuery::note_needs(std::uint32_t node) {
  const auto nodes = query_.where.nodes();
  switch (nodes[node].kind) {
    case Kind::And:
    case Kind::Or:
    case Kind::Not:
      for (std::uint32_t child = node + 1; child < nodes[node].end; child = nodes[child].end)
        if (!note_needs(child)) return false;
      return true;
    case Kind::IsNull:
      if (nodes[node + 1].kind != Kind::Column) return false;
      needs_.emplace_back(where_columns_[nodes[node + 1].at], Cut::Family::End);
      return true;
    case Kind::Equal:
    case Kind::NotEqual:
    case Kind::Less:
    case Kind::LessOrEqual:
    case Kind::Greater:
    case Kind::GreaterOrEqual:
    case Kind::Between:
    case Kind::In:
      return note_comparison(node);
    default:
      return false;
  }
}

void RowQuery::choose_index(RowState& state) {
  if (query_.where.nodes().empty() || !note_needs(0)) return;
  const Region region = region_of(query_.where);
  for (std::size_t i = 0; i < where_columns_.size(); ++i) {
    IntervalSet hull = region.hull(i);
    if (hull.is_everything()) continue;
    index_column_ = where_columns_[i];
    ranges_ = std::move(hull);
    break;
  }
  if (!index_column_) return;
  for (const auto& need : needs_) state.make_index(need.first);
}

bool RowQuery::is_safe(const RowState& state) const {
  return std::ranges::all_of(needs_, [&](const auto& need) {
    const RowIndex& index = state.index(need.first);
    return need.second == Cut::Family::End ? !index.has_undefined() : index.has_only(need.second);
  });
}

Truth RowQuery::truth_of_row(const RowState& state, KeyId key) const {
  const Truth belongs = table_.has(history_, key);
  if (belongs == Truth::False) return Truth::False;
  return both(belongs, evaluate(query_.where, gathered(state, where_columns_, key)));
}

}  // namespace serval::replay
