#include "serval/check/dependency/graph_cycle.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "serval/check/dependency/name_cycle.h"
#include "serval/graph/path_finder.h"
#include "serval/graph/strong_components.h"

namespace serval {
namespace {

class Teller {
 public:
  Teller(const History& history, const ExplainEdge& explain, GraphShape shape)
      : history_(history), explain_(explain), shape_(shape), map_(shape) {}

  // `path` repeats its first vertex at the end.
  Cycle tell(std::vector<Vertex> path) const {
    path.pop_back();
    const auto start = std::ranges::find_if(path, [&](Vertex v) { return is_point(v); });
    std::rotate(path.begin(), start, path.end());
    path.push_back(path.front());
    Cycle cycle;
    Vertex from = path.front();
    bool through_time = false;
    for (std::size_t i = 1; i < path.size(); ++i) {
      through_time = through_time || is_end(path[i]);
      if (!is_point(path[i])) continue;
      if (through_time)
        cycle.edges.push_back({map_.transaction(from), map_.transaction(path[i]), EdgeKind::RealTime});
      else if (map_.transaction(from) != map_.transaction(path[i]))
        cycle.edges.push_back(edge(from, path[i]));
      from = path[i];
      through_time = false;
    }
    return cycle;
  }

 private:
  bool is_helper(Vertex v) const { return map_.is_helper(v, history_.transaction_count()); }
  bool is_point(Vertex v) const { return !is_helper(v) && (map_.is_begin(v) || map_.is_commit(v)); }
  bool is_end(Vertex v) const { return !is_helper(v) && !map_.is_begin(v) && !map_.is_commit(v); }

  Edge edge(Vertex from, Vertex to) const {
    const std::vector<Edge> reasons = explain_(shape_, map_.transaction(from), map_.transaction(to));
    static constexpr std::array kPreferred{EdgeKind::WriteWrite, EdgeKind::WriteRead, EdgeKind::Session,
                                           EdgeKind::RealTime, EdgeKind::ReadWrite};
    for (const EdgeKind kind : kPreferred) {
      const auto fits = [&](const Edge& reason) { return reason.kind == kind && can_be(reason, from, to); };
      const auto found = std::ranges::find_if(reasons, fits);
      if (found != reasons.end()) return *found;
    }
    broken_contract("every edge of the graph has a reason", __FILE__, __LINE__);
  }

  bool can_be(const Edge& reason, Vertex from, Vertex to) const {
    const bool write = reason.kind == EdgeKind::WriteWrite, anti = reason.kind == EdgeKind::ReadWrite;
    if (shape_.data != GraphShape::Data::All && anti) return false;
    if (shape_.data == GraphShape::Data::ShownWrites && reason.kind == EdgeKind::WriteRead) return false;
    if (shape_.snapshots && map_.is_begin(from)) return anti;
    if (shape_.snapshots && map_.is_commit(to)) return write;
    // A register's write dependency that is derived from a read is that read dependency.
    if (write && !reason.to_read.is_none()) return false;
    return !shape_.snapshots || (!anti && !(write && shape_.writes_may_overlap));
  }

  const History& history_;
  const ExplainEdge& explain_;
  GraphShape shape_;
  VertexMap map_;
};

}  // namespace

std::vector<Vertex> shortest_cycle(std::span<const Vertex> component, const CsrGraph& graph, Budget& budget) {
  constexpr std::uint64_t kEffort = 5'000'000;
  PathFinder finder(graph, std::numeric_limits<std::uint64_t>::max(), budget);
  std::vector<Vertex> best;
  for (const Vertex start : component) {
    if (!best.empty() && finder.spent() > kEffort) break;
    const std::size_t most = best.empty() ? graph.vertex_count() : best.size() - 2;
    std::vector<Vertex> found = finder.path(start, most, [&](Vertex v) { return v == start; });
    if (!found.empty()) best = std::move(found);
  }
  return best;
}

std::vector<Anomaly> cycles_of_graph(const History& history, const ExplainEdge& explain, GraphShape shape,
                                     const CsrGraph& graph, Budget& budget) {
  std::vector<Anomaly> found;
  const Teller teller(history, explain, shape);
  const Jagged<Vertex> components = cyclic_components(graph, budget);
  for (std::size_t row = 0; row < components.rows(); ++row) {
    Cycle cycle = teller.tell(shortest_cycle(components[row], graph, budget));
    const AnomalyKind kind = name_cycle(cycle.edges);
    found.push_back({kind, std::move(cycle)});
  }
  return found;
}

}  // namespace serval
