#include "serval/check/dependency/single_anti_dependency.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

#include "serval/check/dependency/cycle_search.h"
#include "serval/check/dependency/name_cycle.h"
#include "serval/check/dependency/view_graph.h"
#include "serval/check/found_anomalies.h"
#include "serval/graph/batch_reachability.h"
#include "serval/graph/path_finder.h"
#include "serval/graph/strong_components.h"
#include "serval/graph/topological_order.h"
#include "serval/inference/chosen_order.h"
#include "serval/inference/dependency_graph.h"
#include "serval/inference/readers.h"

namespace serval {
namespace {

constexpr std::array kLevels{Level::CursorStability, Level::MonotonicView, Level::ConsistentView,
                             Level::ParallelSnapshotIsolation};
constexpr std::uint64_t kMissEffort = 20'000'000'000;
constexpr std::uint64_t kPathEffort = 20'000'000;

// A read that missed a transaction, and the vertex that this transaction must not lead to.
struct Miss {
  std::size_t read;
  TransactionId missed;
  Vertex reader;
};

enum class SeenBefore { Read, Commit };

// The position of each vertex in an order of the graph; empty for a cyclic graph.
std::vector<std::uint32_t> positions(const ViewGraph& views, const std::vector<Vertex>& order) {
  std::vector<std::uint32_t> position;
  if (order.size() < views.graph().vertex_count()) return position;
  position.resize(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return position;
}

// Only transactions before the reader in the order: others cannot lead to it.
std::vector<Miss> misses(const ViewGraph& views, SeenBefore before, const std::vector<Vertex>& order) {
  const std::vector<std::uint32_t> position = positions(views, order);
  std::vector<Miss> out;
  for (std::size_t read = 0; read < views.reads().size(); ++read) {
    if (before == SeenBefore::Read && !views.has_predecessor(read)) continue;
    const ViewRead& external = views.reads()[read];
    const Vertex reader =
        before == SeenBefore::Read ? views.vertex_of_read(read) - 1 : views.vertex(external.reader);
    for (const TransactionId missed : views.missed_by(external))
      if (position.empty() || position[views.vertex(missed)] < position[reader])
        out.push_back({read, missed, reader});
  }
  return out;
}

// By miss: whether the missed transaction leads to the reader. Nothing if there are too many to decide.
std::optional<std::vector<bool>> seen_after_all(const ViewGraph& views, const std::vector<Miss>& all,
                                                Budget& budget) {
  std::vector<ReachabilityQuestion> questions;
  questions.reserve(all.size());
  for (const Miss& miss : all) questions.push_back({views.vertex(miss.missed), miss.reader});
  return reachable(views.graph(), questions, kMissEffort, budget);
}

Cycle cycle_through(const ViewGraph& views, const Miss& miss, const std::vector<Vertex>& way) {
  Cycle cycle{views.edges_of(way)};
  cycle.edges.push_back(views.anti_dependency(views.reads()[miss.read], miss.missed));
  std::rotate(cycle.edges.begin(), std::ranges::min_element(cycle.edges, {}, &Edge::from), cycle.edges.end());
  return cycle;
}

// The first shortest cycle for each strong component of the data dependencies, within the effort.
class MonotonicSearch {
 public:
  MonotonicSearch(const History& history, const Relations& relations, const ViewGraph& views, Budget& budget)
      : views_(views), finder_(views.graph(), std::numeric_limits<std::uint64_t>::max(), budget) {
    if (const auto graph = dependency_graph(history, relations, {}, budget))
      component_ = condense(*graph, budget).component;
  }

  void look_at(const Miss& miss) {
    const TransactionId reader = views_.reads()[miss.read].reader;
    std::vector<Vertex>& best = ways_[component_.empty() ? 0 : component_[reader.index]];
    if (!best.empty() && finder_.spent() > kPathEffort) return;
    const std::size_t most = best.empty() ? views_.graph().vertex_count() : best.size() - 2;
    if (most == 0) return;
    std::vector<Vertex> way =
        finder_.path(views_.vertex(miss.missed), most, [&](Vertex v) { return v == miss.reader; });
    if (way.empty()) return;
    best = std::move(way);
    misses_[component_.empty() ? 0 : component_[reader.index]] = miss;
  }

  std::vector<Anomaly> anomalies() const {
    std::vector<Anomaly> found;
    for (const auto& [component, way] : ways_) {
      if (way.empty()) continue;
      Cycle cycle = cycle_through(views_, misses_.at(component), way);
      const AnomalyKind kind =
          cycle.edges.size() == 2 ? AnomalyKind::NonMonotonicRead : AnomalyKind::NonMonotonicView;
      found.push_back({kind, std::move(cycle)});
    }
    const auto first = [](const Anomaly& anomaly) { return std::get<Cycle>(anomaly.evidence).edges[0].from; };
    std::ranges::sort(found, {}, first);
    return found;
  }

 private:
  const ViewGraph& views_;
  PathFinder finder_;
  std::vector<std::uint32_t> component_;  // By transaction; empty if there is no cycle.
  std::map<std::uint32_t, std::vector<Vertex>> ways_;
  std::map<std::uint32_t, Miss> misses_;
};

std::vector<Anomaly> monotonic_anomalies(const History& history, const Relations& relations,
                                         const ViewGraph& views, const std::vector<Miss>& all,
                                         const std::vector<bool>& seen, Budget& budget) {
  MonotonicSearch search(history, relations, views, budget);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (seen[i]) search.look_at(all[i]);
  return search.anomalies();
}

Holds in_order(const ViewGraph& views, const Relations& relations, Level level,
               const std::vector<Vertex>& order) {
  Holds holds{.proven = level, .commit_order = {}, .snapshot = {}};
  for (const Vertex v : order) {
    if (!views.is_transaction(v)) continue;
    const TransactionId t = views.transaction(v);
    if (relations.takes_part[t.index]) holds.commit_order.push_back(t);
  }
  return holds;
}

// A cycle of the view graph itself, due to repeated reads.
Anomaly view_cycle(const ViewGraph& views, Budget& budget) {
  const Jagged<Vertex> components = cyclic_components(views.graph(), budget);
  expects(components.rows() > 0, "a graph without an order has a cycle");
  PathFinder finder(views.graph(), std::numeric_limits<std::uint64_t>::max(), budget);
  Vertex start = components[0][0];
  for (const Vertex v : components[0])
    if (views.is_transaction(v)) start = v;
  Cycle cycle{views.edges_of(
      finder.path(start, views.graph().vertex_count(), [start](Vertex v) { return v == start; }))};
  const AnomalyKind kind = name_cycle(cycle.edges);
  return {kind, std::move(cycle)};
}

std::optional<Edge> write_dependency(const History& history, const Relations& relations, TransactionId from,
                                     TransactionId to, KeyId key) {
  for (const Edge& edge : explain_edge(history, relations, {}, from, to))
    if (edge.kind == EdgeKind::WriteWrite && edge.key == key) return edge;
  return std::nullopt;
}

bool writes(const Relations& relations, TransactionId t, KeyId key) {
  return !final_version(relations, t, key).is_none();
}

// `t` read a version of the key that `next` followed, and wrote a later one: the path between them.
// Empty if it is unknown, or if the writers of the key form a cycle, which is a worse anomaly.
std::vector<Edge> updates_between(const History& history, const Relations& relations, KeyId key,
                                  TransactionId t, TransactionId next) {
  std::vector<Edge> edges;
  for (TransactionId at = next; at != t;) {
    if (const std::optional<Edge> last = write_dependency(history, relations, at, t, key)) {
      edges.push_back(*last);
      return edges;
    }
    const VersionId version = final_version(relations, at, key);
    const TransactionId after = version.is_none()
                                    ? TransactionId::none()
                                    : relations.read_write_sets.versions[version.index].overwriter;
    const bool passed = std::ranges::find(edges, after, &Edge::from) != edges.end();
    if (after.is_none() || passed) return {};
    const std::optional<Edge> edge = write_dependency(history, relations, at, after, key);
    if (!edge) return {};
    edges.push_back(*edge);
    at = after;
  }
  return edges;
}

class Judgement {
 public:
  Judgement(const History& history, const Relations& relations, Level level, Budget& budget)
      : history_(history),
        relations_(relations),
        level_(level),
        budget_(budget),
        sessions_(level == Level::ParallelSnapshotIsolation),
        views_(history, relations, orders(), budget) {}

  Verdict decide(const CheckOptions& options) {
    collect_local_anomalies();
    const std::vector<Vertex> order = topological_order(views_.graph(), budget_);
    if (order.size() < views_.graph().vertex_count()) {
      collect_cycles(CycleClass::InformationFlow);
      if (anomalies_.empty()) anomalies_.push_back(view_cycle(views_, budget_));
    }
    const std::optional<Seen> seen = look_for_misses(views_, order);
    if (seen) collect_misses(*seen);
    if (!anomalies_.empty()) return make_violated(std::move(anomalies_), options);
    if (!relations_.ambiguous_reads.empty() || relations_.has_unsupported())
      return missing_order(history_, relations_);
    if (!seen)
      return Undecided{Undecided::Cause::NoEngine,
                       "too many anti-dependencies point backwards to follow them all",
                       {"no cycle without anti-dependencies"}};
    if (leaves_choices(relations_) || !relations_.order_is_complete()) return try_orders(order);
    return in_order(views_, relations_, level_, order);
  }

 private:
  struct Seen {
    std::vector<Miss> misses;
    std::vector<bool> after_all;  // By miss.
    bool any() const { return std::ranges::find(after_all, true) != after_all.end(); }
  };

  ViewGraph::Orders orders() const {
    return sessions_ ? ViewGraph::Orders::Session : ViewGraph::Orders::Data;
  }

  void add(std::vector<Anomaly> more) { std::ranges::move(more, std::back_inserter(anomalies_)); }

  void collect_local_anomalies() {
    add(forbidden_reads(relations_, level_));
    add(contradicting_versions(relations_, level_));
    if (level_ == Level::MonotonicView) return;
    add(lost_updates(history_, relations_));
    if (level_ == Level::CursorStability) add(cursor_lost_updates(history_, relations_, views_));
  }

  void collect_cycles(CycleClass weakest) {
    add(find_cycles(history_, relations_, {.session_order = sessions_, .weakest = weakest}, budget_));
  }

  // Nothing if it could not be decided.
  std::optional<Seen> look_for_misses(const ViewGraph& views, const std::vector<Vertex>& order) {
    // Lists whose reads contradict each other are already a violation, and have no order.
    if (level_ == Level::CursorStability || !relations_.order_conflicts.empty()) return Seen{};
    const SeenBefore before = level_ == Level::MonotonicView ? SeenBefore::Read : SeenBefore::Commit;
    Seen seen{misses(views, before, order), {}};
    std::optional<std::vector<bool>> after_all = seen_after_all(views, seen.misses, budget_);
    if (!after_all) return std::nullopt;
    seen.after_all = std::move(*after_all);
    return seen;
  }

  void collect_misses(const Seen& seen) {
    if (!seen.any()) return;
    if (level_ == Level::MonotonicView)
      add(monotonic_anomalies(history_, relations_, views_, seen.misses, seen.after_all, budget_));
    else
      collect_cycles(CycleClass::Single);
  }

  // Tries orders of the versions that are still open: likely ones, then the one found for what is known.
  Verdict try_orders(const std::vector<Vertex>& order) {
    for (const std::vector<std::uint32_t>& likely : likely_orders(history_))
      if (const std::optional<Holds> found = try_order(likely)) return *found;
    std::vector<std::uint32_t> rank(history_.transaction_count());
    for (std::uint32_t i = 0; i < order.size(); ++i)
      if (views_.is_transaction(order[i])) rank[views_.transaction(order[i]).index] = i;
    if (const std::optional<Holds> found = try_order(rank)) return *found;
    return missing_order(history_, relations_);
  }

  std::optional<Holds> try_order(const std::vector<std::uint32_t>& rank) {
    const Relations chosen = with_chosen_order(history_, relations_, rank);
    const ViewGraph views(history_, chosen, orders(), budget_);
    const std::vector<Vertex> order = topological_order(views.graph(), budget_);
    if (order.size() < views.graph().vertex_count() || !updates_are_direct(chosen, views))
      return std::nullopt;
    const std::optional<Seen> seen = look_for_misses(views, order);
    if (!seen || seen->any()) return std::nullopt;
    return in_order(views, chosen, level_, order);
  }

  // Whether every update directly follows the version that it read, if the level requires it.
  bool updates_are_direct(const Relations& chosen, const ViewGraph& views) const {
    if (level_ != Level::CursorStability) return true;
    return std::ranges::all_of(views.reads(), [&](const ViewRead& read) {
      const TransactionId next = chosen.read_write_sets.versions[read.version.index].overwriter;
      return next == read.reader || !writes(chosen, read.reader, history_.key(read.operation));
    });
  }

  const History& history_;
  const Relations& relations_;
  Level level_;
  Budget& budget_;
  bool sessions_;
  ViewGraph views_;
  std::vector<Anomaly> anomalies_;
};

}  // namespace

bool decides_by_single_anti_dependencies(Level level) {
  return std::ranges::find(kLevels, level) != kLevels.end();
}

Verdict check_single_anti_dependencies(const History& history, const Relations& relations, Level level,
                                       const CheckOptions& options, Budget& budget) {
  expects(decides_by_single_anti_dependencies(level), "a level about single anti-dependencies");
  return Judgement(history, relations, level, budget).decide(options);
}

std::vector<Anomaly> non_monotonic_views(const History& history, const Relations& relations, Budget& budget) {
  const ViewGraph views(history, relations, ViewGraph::Orders::Data, budget);
  const std::vector<Miss> all = misses(views, SeenBefore::Read, topological_order(views.graph(), budget));
  const auto seen = seen_after_all(views, all, budget);
  if (!seen || std::ranges::find(*seen, true) == seen->end()) return {};
  return monotonic_anomalies(history, relations, views, all, *seen, budget);
}

// From the writer of the next version, through consecutive write dependencies on the key, to the update
// itself.
std::vector<Anomaly> cursor_lost_updates(const History& history, const Relations& relations,
                                         const ViewGraph& views) {
  std::vector<Anomaly> found;
  if (!relations.has_separate_writes && relations.repeated_reads.empty()) return found;
  for (const ViewRead& read : views.reads()) {
    const KeyId key = history.key(read.operation);
    const TransactionId next = relations.read_write_sets.versions[read.version.index].overwriter;
    if (next.is_none() || next == read.reader || !writes(relations, read.reader, key)) continue;
    Cycle cycle{updates_between(history, relations, key, read.reader, next)};
    if (cycle.edges.empty()) continue;
    cycle.edges.insert(cycle.edges.begin(), views.anti_dependency(read, next));
    found.push_back({AnomalyKind::CursorLostUpdate, std::move(cycle)});
  }
  return found;
}

}  // namespace serval
