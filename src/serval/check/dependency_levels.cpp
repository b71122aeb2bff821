#include "serval/check/dependency_levels.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "serval/check/cycle_search.h"
#include "serval/check/evidence.h"
#include "serval/check/graph_cycle.h"
#include "serval/graph/topological_order.h"
#include "serval/inference/chosen_order.h"
#include "serval/inference/dependency_graph.h"

namespace serval {
namespace {

enum class Family { ReadUncommitted, ReadCommitted, PrefixConsistency, SnapshotIsolation, Serializable };

std::optional<Family> family_of(Level level) {
  switch (level) {
    case Level::ReadUncommitted:
    case Level::StrongSessionReadUncommitted:
    case Level::StrongReadUncommitted:
      return Family::ReadUncommitted;
    case Level::ReadCommitted:
    case Level::StrongSessionReadCommitted:
    case Level::StrongReadCommitted:
      return Family::ReadCommitted;
    case Level::PrefixConsistency:
      return Family::PrefixConsistency;
    case Level::SnapshotIsolation:
    case Level::StrongSessionSnapshotIsolation:
    case Level::StrongSnapshotIsolation:
      return Family::SnapshotIsolation;
    case Level::RepeatableRead:
    case Level::Serializable:
    case Level::StrongSessionSerializable:
    case Level::Linearizable:
    case Level::StrictSerializable:
      return Family::Serializable;
    default:
      return std::nullopt;
  }
}

GraphShape shape_of(Family family) {
  using Data = GraphShape::Data;
  switch (family) {
    case Family::ReadUncommitted:
      return {.data = Data::ShownWrites};
    case Family::ReadCommitted:
      return {.data = Data::WritesAndReads};
    case Family::PrefixConsistency:
      return {.snapshots = true, .writes_may_overlap = true};
    case Family::SnapshotIsolation:
      return {.snapshots = true};
    case Family::Serializable:
      break;
  }
  return {};
}

CycleClass weakest_class(Family family) {
  switch (family) {
    case Family::ReadUncommitted:
      return CycleClass::DirtyWrite;
    case Family::ReadCommitted:
      return CycleClass::InformationFlow;
    case Family::PrefixConsistency:
    case Family::SnapshotIsolation:
      return CycleClass::NonAdjacent;
    case Family::Serializable:
      break;
  }
  return CycleClass::AntiDependency;
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
    if (map.is_helper(v, history.transaction_count())) continue;
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

class Decision {
 public:
  Decision(const History& history, const Relations& relations, Level level, const CheckOptions& options,
           Budget& budget)
      : history_(history),
        relations_(relations),
        level_(level == Level::RepeatableRead ? Level::Serializable : level),
        family_(*family_of(level)),
        options_(options),
        budget_(budget) {
    if (uses_real_time(level)) clock_problem_ = find_clock_contradiction(history);
    shape_ = shape_of(family_);
    shape_.session_order = uses_session_order(level);
    shape_.real_time = uses_real_time(level) && history.has_times() && !clock_problem_;
  }

  Verdict verdict() {
    std::vector<Anomaly> anomalies = forbidden_reads(relations_, level_);
    std::ranges::move(contradicting_versions(relations_, level_), std::back_inserter(anomalies));
    if (forbids(level_, AnomalyKind::LostUpdate))
      std::ranges::move(lost_updates(history_, relations_), std::back_inserter(anomalies));
    const std::optional<std::vector<Vertex>> order = order_of(relations_);
    if (!order) std::ranges::move(cycles(), std::back_inserter(anomalies));
    if (!anomalies.empty()) return make_violated(std::move(anomalies), options_);
    if (!reads_are_certain()) return missing_order(history_, relations_);
    if (clock_problem_) return no_times("the clock contradicts itself: " + *clock_problem_);
    if (uses_real_time(level_) && history_.transaction_count() > 1 && !history_.has_times())
      return no_times("the history has no times");
    if (order_is_settled()) return execution(history_, relations_, shape_, level_, *order);
    return try_orders(*order);
  }

 private:
  // Nothing when the graph has a cycle.
  std::optional<std::vector<Vertex>> order_of(const Relations& relations) {
    graph_ = dependency_graph(history_, relations, shape_, budget_);
    if (!graph_) return ascending_order(VertexMap(shape_).count(history_.transaction_count()));
    std::vector<Vertex> order = topological_order(*graph_, budget_);
    if (order.size() < graph_->vertex_count()) return std::nullopt;
    return order;
  }

  std::vector<Anomaly> cycles() {
    std::vector<Anomaly> found;
    if (family_ != Family::PrefixConsistency) {
      const CycleScope scope{.session_order = shape_.session_order,
                             .real_time = shape_.real_time,
                             .weakest = weakest_class(family_)};
      found = find_cycles(history_, relations_, scope, budget_);
    }
    if (found.empty()) found = cycles_of_graph(history_, relations_, shape_, *graph_, budget_);
    return found;
  }

  // Which version every read saw is known as far as the level asks.
  bool reads_are_certain() const {
    if (relations_.has_unsupported()) return false;
    if (family_ != Family::ReadUncommitted) return relations_.ambiguous_reads.empty();
    return std::ranges::none_of(relations_.ambiguous_reads, [&](OperationId read) {
      return relations_.order_is_shown(history_.key(read));
    });
  }

  // The known edges decide: no order of versions that is still open can add a cycle.
  bool order_is_settled() const {
    switch (family_) {
      case Family::ReadUncommitted:
      case Family::ReadCommitted:
        return true;
      case Family::PrefixConsistency:
      case Family::SnapshotIsolation:
        return !leaves_choices(relations_);
      case Family::Serializable:
        break;
    }
    return relations_.open_writes.empty();
  }

  // Orders of the open versions that may do: as the times suggest within what is known, as the history or its
  // times have it, and the one found for the known edges.
  Verdict try_orders(const std::vector<Vertex>& order) {
    std::vector<std::vector<std::uint32_t>> candidates;
    if (graph_ && history_.has_times())
      candidates.push_back(ranks(topological_order(*graph_, times_of_vertices(), budget_)));
    // The likely ones may not agree with what is assumed about the database; the others follow from it.
    if (relations_.hinted.empty()) std::ranges::move(likely_orders(history_), std::back_inserter(candidates));
    candidates.push_back(ranks(order));
    for (const std::vector<std::uint32_t>& rank : candidates)
      if (const auto found = try_order(rank)) return *found;
    return missing_order(history_, relations_);
  }

  // Where the commits of the transactions stand.
  std::vector<std::uint32_t> ranks(const std::vector<Vertex>& order) const {
    const VertexMap map(shape_);
    std::vector<std::uint32_t> rank(history_.transaction_count());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      const Vertex v = order[i];
      if (!map.is_helper(v, history_.transaction_count()) && map.is_commit(v))
        rank[map.transaction(v).index] = i;
    }
    return rank;
  }

  // When a vertex may have happened; helpers at once.
  std::vector<std::int64_t> times_of_vertices() const {
    const VertexMap map(shape_);
    std::vector<std::int64_t> times(graph_->vertex_count(), kUnknownBegin);
    for (const TransactionId t : history_.transactions()) {
      const Interval interval = history_.interval(t);
      times[map.commit(t)] = interval.end;
      if (shape_.real_time) times[map.end(t)] = interval.end;
      if (shape_.snapshots) times[map.begin(t)] = interval.begin;
    }
    return times;
  }

  std::optional<Holds> try_order(const std::vector<std::uint32_t>& rank) {
    const Relations chosen = with_chosen_order(history_, relations_, rank);
    const std::optional<std::vector<Vertex>> order = order_of(chosen);
    if (!order) return std::nullopt;
    return execution(history_, chosen, shape_, level_, *order);
  }

  const History& history_;
  const Relations& relations_;
  Level level_;
  Family family_;
  const CheckOptions& options_;
  Budget& budget_;
  std::optional<std::string> clock_problem_;
  GraphShape shape_;
  std::optional<CsrGraph> graph_;
};

}  // namespace

bool decides_by_graph(Level level) { return level != Level::Linearizable && family_of(level).has_value(); }

Verdict check_dependencies(const History& history, const Relations& relations, Level level,
                           const CheckOptions& options, Budget& budget) {
  expects(family_of(level).has_value(), "a level that cycles decide");
  return Decision(history, relations, level, options, budget).verdict();
}

std::string_view dependency_engine(const Relations& relations) {
  if (std::ranges::find(relations.shows_order, true) != relations.shows_order.end()) return "list-append";
  return relations.order_is_complete() ? "mini-transaction" : "dependency-graph";
}

}  // namespace serval
