#include "serval/check/saturation/commit_cycles.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/check/dependency/name_cycle.h"
#include "serval/check/saturation/visibility_paths.h"
#include "serval/graph/path_finder.h"
#include "serval/graph/strong_components.h"
#include "serval/inference/dependency_graph.h"
#include "serval/inference/external_reads.h"
#include "serval/inference/readers.h"

namespace serval {
namespace {

constexpr std::uint64_t kEffort = 20'000'000;

CsrGraph part_of(const CsrGraph& graph, std::span<const Vertex> vertices) {
  absl::flat_hash_map<Vertex, Vertex> local;
  for (Vertex i = 0; i < vertices.size(); ++i) local.emplace(vertices[i], i);
  return build_graph(static_cast<Vertex>(vertices.size()), [&](auto&& emit) {
    for (Vertex i = 0; i < vertices.size(); ++i)
      for (const Vertex next : graph.successors(vertices[i]))
        if (const auto found = local.find(next); found != local.end()) emit(i, found->second);
  });
}

// A shortest cycle of the component, with its start repeated at the end; once one is found, the search
// for a shorter one ends when the effort is used up.
std::vector<TransactionId> shortest_cycle(const CsrGraph& graph, std::span<const Vertex> vertices,
                                          Budget& budget) {
  const CsrGraph part = part_of(graph, vertices);
  PathFinder finder(part, std::numeric_limits<std::uint64_t>::max(), budget);
  std::vector<Vertex> best;
  for (Vertex start = 0; start < part.vertex_count(); ++start) {
    if (!best.empty() && (best.size() <= 3 || finder.spent() > kEffort)) break;
    const std::size_t most = best.empty() ? part.vertex_count() : best.size() - 2;
    std::vector<Vertex> found = finder.path(start, most, [&](Vertex v) { return v == start; });
    if (!found.empty()) best = std::move(found);
  }
  std::vector<TransactionId> cycle;
  cycle.reserve(best.size());
  for (const Vertex v : best) cycle.push_back(TransactionId{vertices[v]});
  return cycle;
}

class Explainer {
 public:
  Explainer(const History& history, const Relations& relations, Level level, Budget& budget)
      : history_(history),
        relations_(relations),
        level_(level),
        visibility_paths_(history, relations, level, budget) {}

  // `transactions` repeats its start at the end.
  Cycle explain(const std::vector<TransactionId>& transactions, Readers& readers) {
    Cycle cycle;
    for (std::size_t i = 0; i + 1 < transactions.size(); ++i)
      add_step(cycle, transactions[i], transactions[i + 1], readers);
    if (cycle.visibility_paths.empty()) merge_session_edges(cycle.edges);
    return as_dependencies(std::move(cycle));
  }

  std::optional<Cycle> explain(const StaleInitialRead& stale) {
    for (const CertainRead& read : certain_reads(history_, relations_, stale.reader)) {
      if (read.key != stale.key || read.version.index != stale.key.index) continue;
      std::vector<Edge> edges = visibility_paths_.path(stale.missed, stale.reader, read.operation);
      if (edges.empty()) continue;
      const OperationId write = final_write(relations_, stale.missed, stale.key);
      edges.push_back({stale.reader, stale.missed, EdgeKind::ReadWrite, stale.key, read.operation, write});
      return Cycle{std::move(edges)};
    }
    return std::nullopt;
  }
  bool exhausted() const { return visibility_paths_.exhausted(); }

 private:
  void add_step(Cycle& cycle, TransactionId from, TransactionId to, Readers& readers) {
    static constexpr std::array kPreferred{EdgeKind::WriteWrite, EdgeKind::WriteRead, EdgeKind::Session};
    const std::vector<Edge> edges =
        explain_edge(history_, relations_, {.session_order = uses_session_order(level_)}, from, to);
    for (const EdgeKind kind : kPreferred) {
      const auto found = std::ranges::find(edges, kind, &Edge::kind);
      if (found == edges.end()) continue;
      cycle.edges.push_back(*found);
      return;
    }
    if (const std::optional<Edge> repeated = first_read_from(history_, relations_, from, to))
      cycle.edges.push_back(*repeated);
    else
      add_conclusion(cycle, from, to, readers);
  }

  // Of all readers that show it, one to which it was visible in the fewest steps.
  void add_conclusion(Cycle& cycle, TransactionId from, TransactionId to, Readers& readers) {
    VisibilityPath best{cycle.edges.size(), {}};
    Edge edge{from, to, EdgeKind::CommitOrder};
    for (const TransactionId reader : readers.of(to)) {
      if (reader == from) continue;
      for (const CertainRead& read : certain_reads(history_, relations_, reader)) {
        const OperationId write = final_write(relations_, from, read.key);
        if (relations_.read_write_sets.versions[read.version.index].writer != to || write.is_none()) continue;
        std::vector<Edge> path = visibility_paths_.path(from, reader, read.operation);
        if (path.empty() || (!best.path.empty() && best.path.size() <= path.size())) continue;
        best.path = std::move(path);
        edge.key = read.key;
        edge.from_op = write;
        edge.to_op = relations_.read_write_sets.write_operation[read.version.index];
        edge.to_read = read.operation;
      }
      if (best.path.size() == 1) break;
    }
    expects(!best.path.empty(), "every conclusion has a reader that shows it");
    cycle.edges.push_back(edge);
    cycle.visibility_paths.push_back(std::move(best));
  }

  // T2 -co(x)-> T1 because of T3, and T2 overwrote T1's x: then T3 -rw(x)-> T2, and the path by which T2
  // is visible to T3 closes a cycle of plain dependencies.
  Cycle as_dependencies(Cycle cycle) const {
    if (cycle.edges.size() != 2 || cycle.visibility_paths.size() != 1) return cycle;
    const std::optional<Edge> missed = missed_write(cycle.edges[cycle.visibility_paths[0].edge]);
    if (!missed) return cycle;
    Cycle plain{std::move(cycle.visibility_paths[0].path)};
    plain.edges.push_back(*missed);
    return plain;
  }

  std::optional<Edge> missed_write(const Edge& forced) const {
    const TransactionId reader = history_.transaction_of(forced.to_read);
    for (const CertainRead& read : certain_reads(history_, relations_, forced.from))
      if (relations_.read_write_sets.write_operation[read.version.index] == forced.to_op &&
          history_.kind(forced.to_op) != OperationKind::Append)
        return Edge{reader,         forced.from,    EdgeKind::ReadWrite, forced.key,
                    forced.to_read, forced.from_op, read.operation};
    for (const Edge& edge : explain_edge(history_, relations_, {}, reader, forced.from))
      if (edge.kind == EdgeKind::ReadWrite && edge.from_op == forced.to_read) return edge;
    return std::nullopt;
  }

  const History& history_;
  const Relations& relations_;
  Level level_;
  VisibilityPaths visibility_paths_;
};

bool is_one_read(const VisibilityPath& visibility_path) {
  return visibility_path.path.size() == 1 && visibility_path.path[0].kind == EdgeKind::WriteRead;
}

bool has_session_edge(const std::vector<Edge>& edges) {
  return std::ranges::find(edges, EdgeKind::Session, &Edge::kind) != edges.end();
}

std::string kinds_of(const std::vector<Edge>& path) {
  std::string kinds;
  for (const Edge& edge : path) kinds.append(kinds.empty() ? "" : " ").append(name_of(edge.kind));
  return kinds;
}

// Conclusions about a single key that all follow from one session guarantee violate that guarantee.
AnomalyKind name_of_guarantee(const Cycle& cycle) {
  const std::string reason = kinds_of(cycle.visibility_paths.front().path);
  const bool one_key = std::ranges::all_of(cycle.edges, [&](const Edge& edge) {
    const bool of_versions =
        edge.kind == EdgeKind::CommitOrder || (edge.kind == EdgeKind::WriteWrite && edge.to_read.is_none());
    return of_versions && edge.key == cycle.edges.front().key;
  });
  const bool one_reason = std::ranges::all_of(
      cycle.visibility_paths,
      [&](const VisibilityPath& visibility_path) { return kinds_of(visibility_path.path) == reason; });
  if (one_key && one_reason) {
    if (reason == "so") return AnomalyKind::ReadYourWritesViolation;
    if (reason == "wr so") return AnomalyKind::MonotonicReadsViolation;
    if (reason == "so wr") return AnomalyKind::MonotonicWritesViolation;
    if (reason == "wr so wr") return AnomalyKind::WritesFollowReadsViolation;
  }
  return AnomalyKind::ReadSkewSession;
}

}  // namespace

AnomalyKind name_commit_cycle(const Cycle& cycle) {
  if (cycle.visibility_paths.empty()) return name_cycle(cycle.edges);
  const auto by_session = [](const VisibilityPath& visibility_path) {
    return has_session_edge(visibility_path.path);
  };
  if (has_session_edge(cycle.edges) || std::ranges::any_of(cycle.visibility_paths, by_session))
    return name_of_guarantee(cycle);
  if (!std::ranges::all_of(cycle.visibility_paths, is_one_read)) return AnomalyKind::CausalityViolation;
  const auto in_order = [&](const VisibilityPath& visibility_path) {
    return visibility_path.path[0].to_op < cycle.edges[visibility_path.edge].to_read;
  };
  return std::ranges::all_of(cycle.visibility_paths, in_order) ? AnomalyKind::NonMonotonicRead
                                                               : AnomalyKind::FracturedRead;
}

std::vector<Anomaly> find_commit_cycles(const History& history, const Relations& relations, Level level,
                                        const CsrGraph& graph, Budget& budget) {
  const Jagged<Vertex> components = cyclic_components(graph, budget);
  std::vector<std::vector<TransactionId>> cycles;
  absl::flat_hash_set<TransactionId> writers;
  for (std::size_t row = 0; row < components.rows(); ++row) {
    cycles.push_back(shortest_cycle(graph, components[row], budget));
    writers.insert(cycles.back().begin(), cycles.back().end());
  }
  if (cycles.empty()) return {};
  Readers readers(history, relations, writers, budget);
  Explainer explainer(history, relations, level, budget);
  std::vector<Anomaly> anomalies;
  for (const std::vector<TransactionId>& transactions : cycles) {
    Cycle cycle = explainer.explain(transactions, readers);
    anomalies.push_back({name_commit_cycle(cycle), std::move(cycle)});
  }
  return anomalies;
}

std::vector<Anomaly> explain_stale_reads(const History& history, const Relations& relations, Level level,
                                         std::span<const StaleInitialRead> stale, Budget& budget) {
  constexpr std::size_t kMaxAnomalies = 1000;
  Explainer explainer(history, relations, level, budget);
  std::vector<Anomaly> anomalies;
  std::set<std::pair<TransactionId, TransactionId>> shown;
  for (const StaleInitialRead& read : stale) {
    if (anomalies.size() == kMaxAnomalies || (explainer.exhausted() && !anomalies.empty())) break;
    if (!shown.emplace(read.missed, read.reader).second) continue;
    std::optional<Cycle> cycle = explainer.explain(read);
    expects(cycle.has_value(), "every missed write was seen");
    anomalies.push_back({name_cycle(cycle->edges), std::move(*cycle)});
  }
  return anomalies;
}

}  // namespace serval
