#include "serval/check/dependency/dependency_levels.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "serval/base/equal_span.h"
#include "serval/check/dependency/cycle_search.h"
#include "serval/check/dependency/execution.h"
#include "serval/check/dependency/graph_cycle.h"
#include "serval/check/found_anomalies.h"
#include "serval/check/polygraph/order_search.h"
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

std::vector<Vertex> ascending_order(Vertex vertices) {
  std::vector<Vertex> order(vertices);
  std::iota(order.begin(), order.end(), Vertex{0});
  return order;
}

// For levels that are searched and ignore sessions.
Level strong_session_variant(Level level) {
  return level == Level::SnapshotIsolation ? Level::StrongSessionSnapshotIsolation
         : level == Level::Serializable    ? Level::StrongSessionSerializable
                                           : level;
}

class Decision {
 public:
  Decision(const History& history, const Relations& relations, Level level, const CheckOptions& options,
           Trail& trail, Budget& budget)
      : history_(history),
        relations_(relations),
        asked_(level),
        level_(level == Level::RepeatableRead ? Level::Serializable : level),
        family_(*family_of(level)),
        options_(options),
        trail_(trail),
        budget_(budget) {
    if (uses_real_time(level)) clock_problem_ = find_clock_contradiction(history);
    shape_ = shape_of(family_);
    shape_.session_order = uses_session_order(level);
    shape_.real_time = uses_real_time(level) && history.has_times() && !clock_problem_;
  }

  Verdict verdict() {
    std::vector<Anomaly> anomalies = forbidden_reads(relations_, asked_);
    std::ranges::move(contradicting_versions(relations_, level_), std::back_inserter(anomalies));
    if (forbids(level_, AnomalyKind::LostUpdate))
      std::ranges::move(lost_updates(history_, relations_), std::back_inserter(anomalies));
    const std::optional<std::vector<Vertex>> order = order_of(relations_);
    if (!order)
      std::ranges::move(relations_.contested.empty() ? cycles(relations_) : certain_cycles(),
                        std::back_inserter(anomalies));
    if (!anomalies.empty()) return make_violated(std::move(anomalies), options_);
    if (!order) return contested_lists();
    if (!reads_are_certain() && !can_search()) return missing_order(history_, relations_);
    const bool asked = options_.engine == Engine::Polygraph && can_search();
    Verdict verdict = reads_are_certain() && order_is_settled() && !asked
                          ? execution(history_, relations_.takes_part, shape_, level_, *order)
                          : search_order();
    if (!holds(verdict)) return verdict;
    // A result without times says nothing about real time.
    if (clock_problem_) return no_times("the clock contradicts itself: " + *clock_problem_);
    if (uses_real_time(level_) && history_.transaction_count() > 1 && !history_.has_times())
      return no_times("the history has no times");
    return verdict;
  }

 private:
  // Nothing if the graph has a cycle.
  std::optional<std::vector<Vertex>> order_of(const Relations& relations) {
    graph_ = dependency_graph(history_, relations, shape_, budget_);
    if (!graph_) return ascending_order(VertexMap(shape_).count(history_.transaction_count()));
    std::vector<Vertex> order = topological_order(*graph_, budget_);
    if (order.size() < graph_->vertex_count()) return std::nullopt;
    return order;
  }

  // Reads that contradict each other refute nothing at read-uncommitted, because it is unknown which of
  // them shows the order; no other level draws contested edges. But an order is a proof only if it fits all
  // of them; otherwise one more read could turn a violation into a valid history.
  std::vector<Anomaly> certain_cycles() {
    Relations certain = relations_;
    certain.contested.clear();
    return order_of(certain) ? std::vector<Anomaly>{} : cycles(certain);
  }
  Undecided contested_lists() const {
    return {
        Undecided::Cause::Precondition,
        "reads of a list contradict each other, so the order of its versions is unknown",
        {fmt::format("reads that contradict another one: {}, first of {}", relations_.order_conflicts.size(),
                     history_.format_key(relations_.order_conflicts.front().key)),
         "no violation among the known dependencies"}};
  }

  std::vector<Anomaly> cycles(const Relations& relations) {
    std::vector<Anomaly> found;
    if (family_ != Family::PrefixConsistency) {
      const CycleScope scope{.session_order = shape_.session_order,
                             .real_time = shape_.real_time,
                             .weakest = weakest_class(family_)};
      found = find_cycles(history_, relations, scope, budget_);
    }
    if (found.empty())
      found = cycles_of_graph(history_, explained_by(history_, relations), shape_, *graph_, budget_);
    return found;
  }

  // Whether the version that every read saw is known, as far as the level requires.
  bool reads_are_certain() const {
    if (relations_.has_unsupported()) return false;
    if (family_ != Family::ReadUncommitted) return relations_.ambiguous_reads.empty();
    return std::ranges::none_of(relations_.ambiguous_reads, [&](OperationId read) {
      return relations_.order_is_shown(history_.key(read));
    });
  }

  // Which of several versions a read of a register saw can be searched for; this does not apply to lists
  // or to levels below snapshots.
  bool can_search() const {
    if (relations_.has_unsupported() || family_ < Family::PrefixConsistency) return false;
    return std::ranges::none_of(relations_.ambiguous_reads, [&](OperationId read) {
      return history_.kind(read) == OperationKind::ReadList || is_repeated(read);
    });
  }
  // Two reads that can have seen the same version only if both saw the initial one are not worth a
  // question.
  bool is_repeated(OperationId read) const {
    const TransactionId t = history_.transaction_of(read);
    const auto repeated =
        equal_span(relations_.read_write_sets.repeated_reads, t, &RepeatedRead::transaction);
    return std::ranges::find(repeated, history_.key(read), &RepeatedRead::key) != repeated.end();
  }

  // The known edges decide: no version order that is still open can add a cycle.
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

  // If reads leave open the version order, or what they saw. An order that respects the sessions is
  // valid too, and easier to find.
  Verdict search_order() {
    if (!shape_.session_order) {
      GraphShape sessions = shape_;
      sessions.session_order = true;
      CsrGraph graph = whole_dependency_graph(history_, relations_, sessions, budget_);
      if (topological_order(graph, budget_).size() == graph.vertex_count()) {
        OrderSearch search(history_, relations_, sessions, std::move(graph), trail_, budget_);
        Verdict verdict = search_within(search, sessions, strong_session_variant(level_));
        if (!violated(verdict)) return verdict;
      }
    }
    OrderSearch search(history_, relations_, shape_,
                       whole_dependency_graph(history_, relations_, shape_, budget_), trail_, budget_);
    return search_within(search, shape_, level_);
  }

  Verdict search_within(OrderSearch& search, GraphShape shape, Level level) {
    try {
      if (search.run())
        return keeps_assumptions(shape)
                   ? Verdict(execution(history_, relations_.takes_part, shape, level, search.order()))
                   : open_assumption();
      return shape.session_order == shape_.session_order ? refusal(search) : Violated{};
    } catch (const BudgetExhausted& exhausted) {
      return cut_short(exhausted, search);
    }
  }

  // Assumptions say nothing about reads with several possible sources. An order that respects the
  // sessions also respects those of each key; the same applies to real time.
  bool keeps_assumptions(GraphShape shape) const {
    const Assumptions& assumed = options_.hints.assumptions;
    if (relations_.ambiguous_reads.empty()) return true;
    return !assumed.has(OrderBasis::Versions) && !assumed.has(OrderBasis::CommitOrder) &&
           (!assumed.has(OrderBasis::SequentialKeys) || shape.session_order) &&
           (!assumed.has(OrderBasis::LinearizableKeys) || shape.real_time);
  }
  Undecided open_assumption() const {
    Undecided open = missing_order(history_, relations_);
    open.details.emplace_back("an order was found, but it is unknown whether it satisfies the assumptions");
    return open;
  }

  Verdict refusal(OrderSearch& search) {
    if (std::optional<Contradiction> found = search.contradiction()) {
      std::vector<Anomaly> anomalies;
      anomalies.push_back({kind_of(*found), std::move(*found)});
      return make_violated(std::move(anomalies), options_);
    }
    Undecided open = missing_order(history_, relations_);
    open.details.emplace_back(
        search.has_optional_sources()
            ? "no order without the indeterminate transactions whose values others also wrote"
            : "the search found no order, but also no proof that is small enough to check");
    return open;
  }

  // By the kind of the missing order, and what its cycles need besides the data.
  AnomalyKind kind_of(const Contradiction& found) const {
    if (family_ == Family::PrefixConsistency) return AnomalyKind::NoPrefixOrder;
    bool session = false, real_time = false;
    for (const Contradiction::Node& node : found.nodes)
      for (const Edge& edge : node.cycle) {
        session = session || edge.kind == EdgeKind::Session;
        real_time = real_time || edge.kind == EdgeKind::RealTime;
      }
    const bool snapshots = family_ == Family::SnapshotIsolation;
    if (real_time)
      return snapshots ? AnomalyKind::NoSnapshotOrderRealTime : AnomalyKind::NoSerialOrderRealTime;
    if (session) return snapshots ? AnomalyKind::NoSnapshotOrderSession : AnomalyKind::NoSerialOrderSession;
    return snapshots ? AnomalyKind::NoSnapshotOrder : AnomalyKind::NoSerialOrder;
  }

  static Undecided cut_short(const BudgetExhausted& exhausted, const OrderSearch& search) {
    Undecided open = serval::cut_short(exhausted, {});
    open.details.emplace_back("no violation among the known dependencies");
    std::ranges::move(search.progress(), std::back_inserter(open.details));
    open.details.emplace_back(
        "to decide it, record times or a read before each write, or use the database's version order "
        "(--assume)");
    return open;
  }

  const History& history_;
  const Relations& relations_;
  Level asked_, level_;
  Family family_;
  const CheckOptions& options_;
  Trail& trail_;
  Budget& budget_;
  std::optional<std::string> clock_problem_;
  GraphShape shape_;
  std::optional<CsrGraph> graph_;
};

}  // namespace

std::optional<GraphShape> shape_of_level(Level level) {
  const std::optional<Family> family = family_of(level);
  return family ? std::optional(shape_of(*family)) : std::nullopt;
}

bool decides_by_graph(Level level) { return level != Level::Linearizable && family_of(level).has_value(); }

Verdict check_dependencies(const History& history, const Relations& relations, Level level,
                           const CheckOptions& options, Trail& trail, Budget& budget) {
  expects(family_of(level).has_value(), "a level that cycles decide");
  return Decision(history, relations, level, options, trail, budget).verdict();
}

std::string_view dependency_engine(const Relations& relations) {
  if (!relations.hinted.empty()) return "dependency-graph";
  if (std::ranges::find(relations.shows_order, true) != relations.shows_order.end()) return "list-append";
  return relations.order_is_complete() ? "mini-transaction" : "dependency-graph";
}

}  // namespace serval
