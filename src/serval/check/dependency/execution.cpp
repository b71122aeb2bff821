#include "serval/check/dependency/execution.h"

namespace serval {

Holds execution(const History& history, const std::vector<bool>& takes_part, GraphShape shape, Level level,
                const std::vector<Vertex>& order) {
  const VertexMap map(shape);
  Holds holds{.proven = level, .commit_order = {}, .snapshot = {}};
  holds.commit_order.reserve(history.transaction_count());
  std::vector<std::uint32_t> commits_at_begin(shape.snapshots ? history.transaction_count() : 0);
  for (const Vertex v : order) {
    if (map.is_helper(v, history.transaction_count())) continue;
    const TransactionId t = map.transaction(v);
    if (!takes_part[t.index]) continue;
    if (shape.snapshots && map.is_begin(v)) {
      commits_at_begin[t.index] = static_cast<std::uint32_t>(holds.commit_order.size());
    } else if (map.is_commit(v)) {
      holds.commit_order.push_back(t);
      if (shape.snapshots) holds.snapshot.push_back(commits_at_begin[t.index]);
    }
  }
  return holds;
}

Undecided no_times(std::string reason) {
  return {Undecided::Cause::NoTimes,
          std::move(reason),
          {"the strong-session variant of the level holds", "record when each transaction began and ended"}};
}

}  // namespace serval
