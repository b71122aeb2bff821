#include "serval/check/mini_transaction.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "serval/check/cycle_search.h"
#include "serval/check/evidence.h"
#include "serval/graph/topological_order.h"
#include "serval/inference/dependency_graph.h"

namespace serval {
namespace {

constexpr std::array kSnapshotLevels{Level::SnapshotIsolation, Level::StrongSessionSnapshotIsolation,
                                     Level::StrongSnapshotIsolation};
constexpr std::array kSerialLevels{Level::Serializable, Level::StrongSessionSerializable,
                                   Level::StrictSerializable};

bool is_snapshot_level(Level level) {
  return std::ranges::find(kSnapshotLevels, level) != kSnapshotLevels.end();
}

// The topological order read as an execution: transactions in the order of their commit vertices, each
// snapshot after the commits that stand before its begin vertex.
Holds execution(const History& history, const Relations& relations, GraphShape shape, Level level,
                const std::vector<Vertex>& order) {
  const VertexMap map(shape);
  Holds holds{.proven = level, .commit_order = {}, .snapshot = {}};
  holds.commit_order.reserve(history.transaction_count());
  std::vector<std::uint32_t> commits_at_begin(shape.snapshots ? history.transaction_count() : 0);
  for (const Vertex v : order) {
    const TransactionId t = map.transaction(v);
    if (!relations.takes_part[t.index]) continue;
    if (shape.snapshots && map.is_begin(v)) {
      commits_at_begin[t.index] = static_cast<std::uint32_t>(holds.commit_order.size());
    } else if (map.is_commit(v)) {
      holds.commit_order.push_back(t);
      if (shape.snapshots) holds.snapshot.push_back(commits_at_begin[t.index]);
    }
  }
  return holds;
}

std::vector<Vertex> ascending_order(Vertex vertices) {
  std::vector<Vertex> order(vertices);
  std::iota(order.begin(), order.end(), Vertex{0});
  return order;
}

Undecided no_times(std::string reason) {
  return {Undecided::Cause::NoTimes,
          std::move(reason),
          {"the strong-session variant of the level holds", "record when each transaction began and ended"}};
}

}  // namespace

bool decides_by_graph(Level level) {
  return is_snapshot_level(level) || std::ranges::find(kSerialLevels, level) != kSerialLevels.end();
}

Verdict check_mini_transactions(const History& history, const Relations& relations, Level level,
                                const CheckOptions& options, Budget& budget) {
  expects(decides_by_graph(level), "a level that cycles decide");
  const auto clock_problem = uses_real_time(level) ? find_clock_contradiction(history) : std::nullopt;
  const GraphShape shape{.snapshots = is_snapshot_level(level),
                         .session_order = uses_session_order(level),
                         .real_time = uses_real_time(level) && history.has_times() && !clock_problem};

  std::vector<Anomaly> anomalies = forbidden_reads(relations, level);
  std::ranges::move(lost_updates(history, relations), std::back_inserter(anomalies));
  const std::optional<CsrGraph> graph = dependency_graph(history, relations, shape, budget);
  const std::vector<Vertex> order =
      graph ? topological_order(*graph, budget)
            : ascending_order(VertexMap(shape).count(history.transaction_count()));
  if (graph && order.size() < graph->vertex_count()) {
    const CycleScope scope{.session_order = shape.session_order,
                           .real_time = shape.real_time,
                           .weakest = shape.snapshots ? CycleClass::NonAdjacent : CycleClass::AntiDependency};
    std::ranges::move(find_cycles(history, relations, scope, budget), std::back_inserter(anomalies));
    expects(!anomalies.empty(), "a cyclic graph has a cycle");
  }

  if (!anomalies.empty()) return make_violated(std::move(anomalies), options);
  if (!relations.order_is_complete()) return missing_order(history, relations);
  if (clock_problem) return no_times("the clock contradicts itself: " + *clock_problem);
  const bool order_matters = history.transaction_count() > 1;
  if (uses_real_time(level) && order_matters && !history.has_times())
    return no_times("the history has no times");
  return execution(history, relations, shape, level, order);
}

}  // namespace serval
