#include "serval/check/certificate/certificate_check.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "serval/check/certificate/certified_cycles.h"
#include "serval/check/dependency/execution.h"
#include "serval/check/found_anomalies.h"
#include "serval/check/replay/check_by_replay.h"
#include "serval/graph/topological_order.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

namespace {

std::optional<CertifiedScope> scope_of(Level level) {
  using enum CycleClass;
  CertifiedScope scope{.shape = {.session_order = uses_session_order(level)}};
  switch (level) {
    case Level::ReadUncommitted:
    case Level::StrongSessionReadUncommitted:
    case Level::StrongReadUncommitted:
      scope.shape.data = GraphShape::Data::ShownWrites;
      scope.weakest = DirtyWrite;
      return scope;
    case Level::ReadCommitted:
    case Level::StrongSessionReadCommitted:
    case Level::StrongReadCommitted:
      scope.shape.data = GraphShape::Data::WritesAndReads;
      scope.guesses = Guesses::Earliest;
      scope.weakest = InformationFlow;
      return scope;
    case Level::RepeatableRead:
      scope.phantoms = false;
      return scope;
    case Level::SnapshotIsolation:
    case Level::StrongSessionSnapshotIsolation:
    case Level::StrongSnapshotIsolation:
      scope.shape.snapshots = true;
      scope.weakest = NonAdjacent;
      return scope;
    case Level::Serializable:
    case Level::StrongSessionSerializable:
    case Level::StrictSerializable:
      return scope;
    default:
      return std::nullopt;
  }
}

class CertificateDecision {
 public:
  CertificateDecision(const CertifiedHistory& certified, Level level, const CheckOptions& options,
                      Trail& trail, Budget& budget)
      : certified_(certified),
        history_(certified.history()),
        level_(level),
        scope_(*scope_of(level)),
        options_(options),
        trail_(trail),
        budget_(budget) {
    if (uses_real_time(level)) clock_problem_ = find_clock_contradiction(history_);
    scope_.shape.real_time = uses_real_time(level) && history_.has_times() && !clock_problem_;
  }

  Verdict verdict() {
    std::vector<Anomaly> anomalies;
    const auto add_forbidden = [&](const std::vector<Anomaly>& found) {
      for (const Anomaly& anomaly : found)
        if (forbids(level_, anomaly.kind)) anomalies.push_back(anomaly);
    };
    add_forbidden(certified_.reads().faults());
    if (forbids(level_, AnomalyKind::OutsideSnapshot))
      add_forbidden(certified_.reads().snapshot_faults(budget_));
    std::optional<std::vector<Vertex>> order = find_order();
    const bool guessed_wrong = !order && !certified_.reads().guessed().is_none();
    if (guessed_wrong) {
      scope_.guesses = Guesses::None;
      position_.clear();
      order = find_order();
    }
    if (!order)
      std::ranges::move(certified_cycles(certified_, scope_, contradicting_, budget_),
                        std::back_inserter(anomalies));
    const TransactionId unplaced = certified_.versions().unplaced();
    if (!anomalies.empty() && !unplaced.is_none()) return effect_of(unplaced);
    if (!anomalies.empty()) return make_violated(std::move(anomalies), options_);
    if (guessed_wrong) return which_version();
    const OperationId unseen = certified_.reads().unseen();
    if (!unseen.is_none() && scope_.shape.data != GraphShape::Data::ShownWrites)
      return replay_found(fmt::format("the certificate does not say what {} saw", cite(history_, unseen)),
                          *order);
    const OperationId passed_by = certified_.reads().passed_by();
    if (!passed_by.is_none() && scope_.shape.data == GraphShape::Data::All)
      return replay_found(fmt::format("{} left a row alone that had been deleted and inserted again",
                                      cite(history_, passed_by)),
                          *order);
    if (clock_problem_) return no_times("the clock contradicts itself: " + *clock_problem_);
    if (uses_real_time(level_) && history_.transaction_count() > 1 && !history_.has_times())
      return no_times("the history has no times");
    Holds found = execution(history_, certified_.versions().participants(), scope_.shape, level_, *order);
    found.basis = Holds::Basis::Certificate;
    return found;
  }

 private:
  // Nothing if the graph has a cycle.
  std::optional<std::vector<Vertex>> find_order() {
    const Vertex vertices = VertexMap(scope_.shape).count(history_.transaction_count());
    const OrderEdges orders(history_, certified_.versions().participants(), scope_.shape, budget_);
    const CertifiedEdges edges(certified_, scope_);
    const auto all_known = [&](auto&& emit) {
      orders(emit);
      edges.items(emit, budget_);
      for (const Edge& edge : contradicting_) edges.place(edge, emit);
    };
    std::vector<Vertex> order(vertices);
    std::iota(order.begin(), order.end(), Vertex{0});
    // As close to the order of the history as possible, with which most dependencies agree.
    std::vector<std::int64_t> keys(vertices);
    std::iota(keys.begin(), keys.end(), std::int64_t{0});
    for (;;) {
      bool cyclic = false;
      trail_.time("order the transactions", [&] {
        if (const std::optional<CsrGraph> graph = build_graph_unless_ascending(vertices, all_known))
          order = topological_order(*graph, keys, budget_);
        cyclic = order.size() < vertices;
        return std::string(cyclic ? "they form a cycle" : "done");
      });
      if (cyclic) return std::nullopt;
      bool contradicted = false;
      trail_.time("ask the predicates", [&] {
        const std::size_t before = contradicting_.size();
        contradicted = ask_predicates(edges, order);
        return fmt::format("{} dependencies contradict the order", contradicting_.size() - before);
      });
      if (!contradicted) return order;
    }
  }

  // It is unknown what some predicate operation saw, but an order of the known dependencies may still
  // explain it.
  Verdict replay_found(std::string reason, const std::vector<Vertex>& order) const {
    Undecided open{
        Undecided::Cause::Precondition, std::move(reason), {"no known dependency violates the level"}};
    if (!proves_by_replay(level_)) return open;
    CheckOptions options = options_;
    options.expected_order = {
        ExpectedOrderSource::Given,
        execution(history_, certified_.versions().participants(), scope_.shape, level_, order).commit_order};
    Verdict verdict = check_by_replay(history_, level_, options, budget_);
    if (holds(verdict)) return verdict;
    open.details.push_back(std::get<Undecided>(verdict).reason);
    // The order of the timestamps agrees with the certificate's version order.
    if (history_.certificate().ordered_by_commit && history_.certificate().orders.empty() &&
        suggests_replay(history_, {})) {
      options.expected_order = {};
      if (Verdict other = check_by_replay(history_, level_, options, budget_); holds(other)) return other;
    }
    return open;
  }

  Undecided effect_of(TransactionId unplaced) const {
    return {Undecided::Cause::Precondition,
            fmt::format("transaction {} may have committed, but its commit timestamp is not known",
                        history_.format(history_.label(unplaced))),
            {"what contradicts the certificate may be its effect"}};
  }

  Undecided which_version() const {
    return {Undecided::Cause::Precondition,
            fmt::format("it is not certain which version some reads saw, {} among them",
                        cite(history_, certified_.reads().guessed())),
            {"several versions have that value, and the certificate has no version set for it"}};
  }

  // Adds the predicate dependencies that contradict the order; returns whether there were any.
  bool ask_predicates(const CertifiedEdges& edges, const std::vector<Vertex>& order) {
    std::vector<Vertex> position(order.size());
    for (Vertex i = 0; i < order.size(); ++i) position[order[i]] = i;
    const std::vector<bool> disturbed = disturbed_places(position);
    const std::size_t before = contradicting_.size();
    const VertexMap map(scope_.shape);
    const auto is_asked = [&](TransactionId t) {
      return disturbed[position[map.begin(t)]] || disturbed[position[map.commit(t)]];
    };
    edges.predicates_against(
        position, is_asked, [&](const Edge& edge) { contradicting_.push_back(edge); }, budget_);
    position_ = std::move(position);
    return contradicting_.size() > before;
  }

  // Positions of vertices that others have passed since the predicates were last asked: a pair that did
  // not contradict the order then can do so now only if one vertex has passed the other.
  std::vector<bool> disturbed_places(const std::vector<Vertex>& position) const {
    std::vector<bool> disturbed(position.size(), position_.empty());
    if (position_.empty()) return disturbed;
    std::vector<std::int32_t> passing(position.size() + 1, 0);
    for (std::size_t v = 0; v < position.size(); ++v) {
      if (position[v] == position_[v]) continue;
      ++passing[std::min(position[v], position_[v])];
      --passing[std::max(position[v], position_[v]) + 1];
    }
    std::int32_t now = 0;
    for (std::size_t i = 0; i < position.size(); ++i) disturbed[i] = (now += passing[i]) > 0;
    return disturbed;
  }

  const CertifiedHistory& certified_;
  const History& history_;
  Level level_;
  CertifiedScope scope_;
  const CheckOptions& options_;
  Trail& trail_;
  Budget& budget_;
  std::optional<std::string> clock_problem_;
  std::vector<Edge> contradicting_;
  std::vector<Vertex> position_;  // Position of each vertex when the predicates were last asked.
};

}  // namespace

bool decides_by_certificate(Level level) { return scope_of(level).has_value(); }

Verdict check_certificate(const CertifiedHistory& certified, Level level, const CheckOptions& options,
                          Trail& trail, Budget& budget) {
  expects(certified.problem().empty(), "a certificate that determines what happened");
  return CertificateDecision(certified, level, options, trail, budget).verdict();
}

}  // namespace serval
