#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/base/contract.h"
#include "serval/check/dependency/name_cycle.h"
#include "serval/check/saturation/commit_cycles.h"
#include "serval/check/saturation/version_constraints.h"
#include "serval/check/saturation/visibility_paths.h"
#include "serval/evidence/dependency.h"
#include "serval/graph/strong_components.h"
#include "serval/graph/topological_order.h"
#include "serval/inference/dependency_graph.h"
#include "serval/inference/external_reads.h"
#include "serval/inference/grouped.h"
#include "serval/inference/readers.h"
#include "serval/levels/level.h"

namespace serval {
namespace {

Edge session_edge(TransactionId before, TransactionId after) { return {before, after, EdgeKind::Session}; }

// Why a transaction must be visible to another under a session guarantee or pram, as edges to show:
// paths of exactly the shapes that the guarantee covers.
class GuaranteePaths {
 public:
  // `readers` must know the readers of every `seen` that is queried.
  GuaranteePaths(const History& history, const Relations& relations, Level level, Readers& readers)
      : history_(history), relations_(relations), level_(level), readers_(readers) {}

  // The edges that lead from `seen` to `reader`; empty if the guarantee does not relate the two.
  std::vector<Edge> path(TransactionId seen, TransactionId reader) {
    switch (level_) {
      case Level::ReadYourWrites:
        return own_write(seen, reader);
      case Level::MonotonicReads:
        return own_read(seen, reader);
      case Level::MonotonicWrites:
        return earlier_write(seen, reader);
      case Level::WritesFollowReads:
        return earlier_read(seen, reader);
      default:
        break;
    }
    for (const auto& found : {own_write(seen, reader), own_read(seen, reader), earlier_write(seen, reader)})
      if (!found.empty()) return found;
    return own_read_of_later(seen, reader);
  }

 private:
  bool in_session(TransactionId before, TransactionId after) const {
    return before < after && history_.session(before) == history_.session(after);
  }
  // so
  std::vector<Edge> own_write(TransactionId seen, TransactionId reader) const {
    if (!in_session(seen, reader)) return {};
    return {session_edge(seen, reader)};
  }
  // wr ; so
  std::vector<Edge> own_read(TransactionId seen, TransactionId reader) {
    for (const TransactionId earlier : readers_.of(seen))
      if (in_session(earlier, reader)) return {reads_from(seen, earlier), session_edge(earlier, reader)};
    return {};
  }
  // so ; wr
  std::vector<Edge> earlier_write(TransactionId seen, TransactionId reader) const {
    for (const TransactionId source : sources(reader))
      if (in_session(seen, source)) return {session_edge(seen, source), reads_from(source, reader)};
    return {};
  }
  // wr ; so ; wr
  std::vector<Edge> earlier_read(TransactionId seen, TransactionId reader) {
    for (const TransactionId source : sources(reader))
      for (const TransactionId earlier : readers_.of(seen))
        if (in_session(earlier, source))
          return {reads_from(seen, earlier), session_edge(earlier, source), reads_from(source, reader)};
    return {};
  }
  // so ; wr ; so
  std::vector<Edge> own_read_of_later(TransactionId seen, TransactionId reader) const {
    for (const TransactionId earlier : history_.session_transactions(history_.session(reader))) {
      if (!relations_.takes_part[earlier.index] || earlier >= reader) continue;
      for (const TransactionId source : sources(earlier))
        if (in_session(seen, source))
          return {session_edge(seen, source), reads_from(source, earlier), session_edge(earlier, reader)};
    }
    return {};
  }
  std::vector<TransactionId> sources(TransactionId reader) const {
    std::vector<TransactionId> writers;
    for (const CertainRead& read : certain_reads(history_, relations_, reader)) {
      const TransactionId writer = relations_.read_write_sets.versions[read.version.index].writer;
      if (!writer.is_none()) writers.push_back(writer);
    }
    return writers;
  }
  Edge reads_from(TransactionId writer, TransactionId reader) const {
    const std::optional<Edge> edge = first_read_from(history_, relations_, writer, reader);
    expects(edge.has_value(), "a reader reads from its source");
    return *edge;
  }

  const History& history_;
  const Relations& relations_;
  Level level_;
  Readers& readers_;
};

// Versions of one strongly connected component, each of which must not be later than the next, and the
// last not later than the first; as few as a bounded search finds.
class VersionCycle {
 public:
  VersionCycle(const VersionConstraints& constraints, std::span<const Vertex> component, Budget& budget)
      : constraints_(constraints), component_(component.begin(), component.end()), budget_(budget) {
    for (const Vertex v : component)
      if (is_version(v)) versions_.push_back(v);
  }

  std::vector<Vertex> shortest() {
    std::vector<Vertex> best;
    for (const Vertex start : versions_) {
      if (best.size() == 2 || (!best.empty() && spent_ > kEffort)) break;
      std::vector<Vertex> found = through(start);
      if (best.empty() || (!found.empty() && found.size() < best.size())) best = std::move(found);
    }
    return best;
  }

 private:
  static constexpr std::uint64_t kEffort = 20'000'000;
  bool is_version(Vertex v) const { return v < constraints_.versions; }

  // Breadth first over versions; the positions in chains between two of them are free.
  std::vector<Vertex> through(Vertex start) {
    absl::flat_hash_map<Vertex, Vertex> parent{{start, start}};
    absl::flat_hash_set<Vertex> passed;
    std::vector<Vertex> queue{start};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Vertex from = queue[i];
      // Vertices that only lead from the start to itself must stay available for others.
      if (i == 1) passed.clear();
      bool closes = false;
      for_each_next(from, passed, [&](Vertex next) {
        closes = closes || (next == start && from != start);
        if (parent.try_emplace(next, from).second) queue.push_back(next);
      });
      if (closes) return trace(parent, start, from);
    }
    return {};
  }

  template <class Visit>
  void for_each_next(Vertex from, absl::flat_hash_set<Vertex>& passed, Visit&& visit) {
    std::vector<Vertex> open{from};
    while (!open.empty()) {
      const Vertex v = open.back();
      open.pop_back();
      for (const Vertex next : constraints_.graph.successors(v)) {
        ++spent_;
        budget_.poll("cycle search");
        if (!component_.contains(next)) continue;
        if (is_version(next))
          visit(next);
        else if (passed.insert(next).second)
          open.push_back(next);
      }
    }
  }

  static std::vector<Vertex> trace(const absl::flat_hash_map<Vertex, Vertex>& parent, Vertex start,
                                   Vertex last) {
    std::vector<Vertex> reversed{last};
    while (reversed.back() != start) reversed.push_back(parent.at(reversed.back()));
    return {reversed.rbegin(), reversed.rend()};
  }

  const VersionConstraints& constraints_;
  absl::flat_hash_set<Vertex> component_;
  Budget& budget_;
  std::vector<Vertex> versions_;
  std::uint64_t spent_ = 0;
};

class GuaranteeExplainer {
 public:
  GuaranteeExplainer(const History& history, const Relations& relations, Level level, Readers& readers)
      : history_(history),
        relations_(relations),
        readers_(readers),
        visibility_paths_(history, relations, level, readers),
        shown_(keys_that_show_order(history, relations)) {}

  Anomaly explain(const std::vector<Vertex>& versions) {
    Cycle cycle;
    for (std::size_t i = 0; i < versions.size(); ++i)
      add_conclusion(cycle, VersionId{versions[i]}, VersionId{versions[(i + 1) % versions.size()]});
    cite_hints(relations_, cycle.edges);
    return {name_commit_cycle(cycle), std::move(cycle)};
  }

  Anomaly explain(const StaleInitialRead& stale) {
    std::vector<Edge> edges = visibility_paths_.path(stale.missed, stale.reader);
    edges.push_back({stale.reader, stale.missed, EdgeKind::ReadWrite, stale.key, initial_read(stale),
                     final_write(relations_, stale.missed, stale.key)});
    return {name_cycle(edges), Cycle{std::move(edges)}};
  }

 private:
  void add_conclusion(Cycle& cycle, VersionId from, VersionId to) {
    const ReadWriteSets& read_write_sets = relations_.read_write_sets;
    const TransactionId before = read_write_sets.versions[from.index].writer;
    for (const TransactionId reader : readers_.of(read_write_sets.versions[to.index].writer)) {
      for (const CertainRead& read : certain_reads(history_, relations_, reader)) {
        if (read.version != to) continue;
        std::vector<Edge> path = visibility_paths_.path(before, reader);
        if (path.empty()) continue;
        cycle.visibility_paths.push_back({cycle.edges.size(), std::move(path)});
        cycle.edges.push_back({before, read_write_sets.versions[to.index].writer, EdgeKind::CommitOrder,
                               read.key, read_write_sets.write_operation[from.index],
                               read_write_sets.write_operation[to.index], read.operation});
        return;
      }
    }
    const KeyId key = history_.key(read_write_sets.write_operation[from.index]);
    expects(shown_[key.index], "every constraint has a reader or a list that shows it");
    cycle.edges.push_back({before, read_write_sets.versions[to.index].writer, EdgeKind::WriteWrite, key,
                           read_write_sets.write_operation[from.index],
                           read_write_sets.write_operation[to.index]});
  }

  OperationId initial_read(const StaleInitialRead& stale) const {
    for (const CertainRead& read : certain_reads(history_, relations_, stale.reader))
      if (read.version.index == stale.key.index) return read.operation;
    broken_contract("a stale read of the initial version", __FILE__, __LINE__);
  }

  const History& history_;
  const Relations& relations_;
  Readers& readers_;
  GuaranteePaths visibility_paths_;
  std::vector<bool> shown_;  // By key: whether its version order is shown.
};

std::vector<std::vector<Vertex>> find_version_cycles(const VersionConstraints& constraints,
                                                     const Jagged<Vertex>& components, Budget& budget) {
  std::vector<std::vector<Vertex>> cycles;
  for (std::size_t row = 0; row < components.rows(); ++row) {
    const auto versions =
        std::ranges::count_if(components[row], [&](Vertex v) { return v < constraints.versions; });
    if (versions > 1) cycles.push_back(VersionCycle(constraints, components[row], budget).shortest());
  }
  return cycles;
}

// In a list, an append that its writer followed by more is a version too; only last appends are
// compared.
bool is_last(const History& history, const Relations& relations, Vertex v) {
  const ReadWriteSets& read_write_sets = relations.read_write_sets;
  const KeyId key = history.key(read_write_sets.write_operation[v]);
  return final_version(relations, read_write_sets.versions[v].writer, key).index == v;
}

std::vector<Anomaly> explain_all(const History& history, const Relations& relations, Level level,
                                 const std::vector<StaleInitialRead>& stale,
                                 const std::vector<std::vector<Vertex>>& cycles, Budget& budget) {
  constexpr std::size_t kMost = 1000;
  if (stale.empty() && cycles.empty()) return {};
  absl::flat_hash_set<TransactionId> writers;
  for (const StaleInitialRead& read : stale) writers.insert(read.missed);
  for (const std::vector<Vertex>& cycle : cycles)
    for (const Vertex v : cycle) writers.insert(relations.read_write_sets.versions[v].writer);
  Readers readers(history, relations, writers, budget);
  GuaranteeExplainer explainer(history, relations, level, readers);
  std::vector<Anomaly> anomalies;
  std::set<std::pair<TransactionId, TransactionId>> shown;
  for (const StaleInitialRead& read : stale)
    if (shown.size() < kMost && shown.emplace(read.missed, read.reader).second)
      anomalies.push_back(explainer.explain(read));
  for (const std::vector<Vertex>& cycle : cycles) anomalies.push_back(explainer.explain(cycle));
  return anomalies;
}

// Components of one version and positions in chains are contracted to the version; the rest is acyclic.
std::vector<Vertex> order_of(const VersionConstraints& constraints, const Jagged<Vertex>& components,
                             Budget& budget) {
  std::vector<Vertex> standing_for(constraints.graph.vertex_count());
  std::iota(standing_for.begin(), standing_for.end(), Vertex{0});
  for (std::size_t row = 0; row < components.rows(); ++row)
    for (const Vertex v : components[row]) standing_for[v] = components[row].front();
  const CsrGraph graph = build_graph(constraints.graph.vertex_count(), [&](auto&& emit) {
    for (Vertex v = 0; v < constraints.graph.vertex_count(); ++v) {
      budget.poll("version order");
      for (const Vertex next : constraints.graph.successors(v))
        if (standing_for[v] != standing_for[next]) emit(standing_for[v], standing_for[next]);
    }
  });
  return topological_order(graph, budget);
}

Jagged<TransactionId> by_key(const History& history, const Relations& relations,
                             const std::vector<Vertex>& order, Vertex versions) {
  const ReadWriteSets& read_write_sets = relations.read_write_sets;
  return grouped<TransactionId>(history.key_count(), [&](auto&& visit) {
    for (const Vertex v : order) {
      if (v < history.key_count() || v >= versions) continue;
      const TransactionId writer = read_write_sets.versions[v].writer;
      if (relations.takes_part[writer.index] && is_last(history, relations, v))
        visit(history.key(read_write_sets.write_operation[v]).index, writer);
    }
  });
}

}  // namespace

VersionOrders order_versions(const History& history, const Relations& relations, Level level,
                             Budget& budget) {
  const VersionConstraints constraints = constrain_versions(history, relations, level, budget);
  const Jagged<Vertex> components = cyclic_components(constraints.graph, budget);
  auto cycles = find_version_cycles(constraints, components, budget);
  for (std::vector<Vertex>& cycle : cycles)
    std::erase_if(cycle, [&](Vertex v) { return !is_last(history, relations, v); });
  VersionOrders orders{explain_all(history, relations, level, constraints.stale, cycles, budget)};
  if (orders.anomalies.empty())
    orders.by_key =
        by_key(history, relations, order_of(constraints, components, budget), constraints.versions);
  return orders;
}

}  // namespace serval
