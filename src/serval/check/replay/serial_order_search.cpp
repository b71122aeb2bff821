#include "serval/check/replay/serial_order_search.h"

#include <algorithm>

#include "serval/graph/topological_order.h"

namespace serval {

SerialOrderSearch::SerialOrderSearch(const History& history, const Relations& relations, Level level,
                                     Budget& budget)
    : history_(history),
      has_times_(history.has_times() && !find_clock_contradiction(history)),
      budget_(budget) {
  shape_.session_order = uses_session_order(level);
  shape_.real_time = has_times_ && uses_real_time(level);
  known_ = whole_dependency_graph(history, relations, shape_, budget);
}

bool SerialOrderSearch::run() {
  for (const By by : {By::End, By::Begin, By::File})
    if ((by == By::File || has_times_) && try_from(by)) return true;
  return false;
}

bool SerialOrderSearch::try_from(By by) {
  constexpr std::size_t kEffort = 20'000'000;
  const std::vector<std::int64_t> keys = keys_by(by);
  const std::size_t round = known_.vertex_count() + known_.edge_count() + history_.operation_count() + 1;
  guessed_.clear();
  for (std::size_t spent = 0; spent < kEffort; spent += round) {
    budget_.look("serial order");
    if (!arrange(keys)) return false;
    const ReplayResult result = replay_in_order(history_, order_, budget_);
    if (result.passes()) return true;
    obstacle_ = result.mismatch ? result.mismatch->format(history_, order_) : result.undefined;
    if (!result.mismatch || !mend(*result.mismatch)) return false;
  }
  return false;
}

std::vector<std::int64_t> SerialOrderSearch::keys_by(By by) const {
  const VertexMap map(shape_);
  std::vector<std::int64_t> keys(known_.vertex_count(), 0);
  for (Vertex v = 0; v < known_.vertex_count(); ++v) {
    if (map.is_helper(v, history_.transaction_count())) continue;
    const TransactionId t = map.transaction(v);
    keys[v] = by == By::File    ? static_cast<std::int64_t>(t.index)
              : by == By::Begin ? history_.interval(t).begin
                                : history_.interval(t).end;
  }
  return keys;
}

bool SerialOrderSearch::arrange(const std::vector<std::int64_t>& keys) {
  const VertexMap map(shape_);
  const CsrGraph graph = build_graph(known_.vertex_count(), [&](auto&& emit) {
    for (Vertex v = 0; v < known_.vertex_count(); ++v)
      for (const Vertex next : known_.successors(v)) emit(v, next);
    for (const auto& [from, to] : guessed_) emit(map.commit(from), map.begin(to));
  });
  const std::vector<Vertex> order = topological_order(graph, keys, budget_);
  if (order.size() < graph.vertex_count()) return false;
  order_.clear();
  for (const Vertex v : order) {
    if (map.is_helper(v, history_.transaction_count()) || !map.is_commit(v)) continue;
    if (history_.outcome(map.transaction(v)) == Outcome::Committed) order_.push_back(map.transaction(v));
  }
  return true;
}

// The state has a version that the transaction did not see: the transaction must precede its writer.
bool SerialOrderSearch::mend(const ReplayMismatch& mismatch) {
  if (mismatch.key.is_none() || mismatch.writer.is_none() || mismatch.writer == mismatch.transaction)
    return false;
  const std::pair step(mismatch.transaction, mismatch.writer);
  if (std::ranges::find(guessed_, step) != guessed_.end()) return false;
  guessed_.push_back(step);
  return true;
}

}  // namespace serval
