#pragma once
// A predicate operation prepared for a replay: what it requests, the columns it needs, and which index
// finds the rows that can match.
//
//   const RowQuery query(history.predicate(id), history, state);
//   query.visit_matches(state, [&](KeyId key) { ... });
//
// Rows outside the condition's region are skipped only if the condition cannot be undefined for them: if
// every column in a comparison holds only NULL and values of the constant's kind. Otherwise all rows are
// evaluated.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/check/replay/row_state.h"
#include "serval/predicate/query.h"
#include "serval/predicate/region.h"

namespace serval::replay {

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

class RowQuery {
 public:
  // All but `tree` must outlive it.
  RowQuery(const Predicate& tree, const History& history, RowState& state, RowFilters& filters);

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

  Scalar argument(const RowState& state, KeyId key) const;
  // The new value of an assignment, computed from the current row.
  Scalar assigned(const RowState& state, std::size_t assignment, KeyId key) const;

 private:
  using Columns = std::vector<std::uint32_t>;

  bool is_safe(const RowState& state) const;
  Truth truth_of_row(const RowState& state, KeyId key) const;
  std::span<const Scalar> gathered(const RowState& state, const Columns& columns, KeyId key) const;

  const History& history_;
  Query query_;
  Table table_;
  std::string problem_;
  const RowFilter* filter_;
  Columns argument_columns_;
  std::vector<Columns> assignment_columns_;
  mutable std::vector<Scalar> row_;
};

}  // namespace serval::replay
