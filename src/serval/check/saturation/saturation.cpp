#include "serval/check/saturation/saturation.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "serval/check/found_anomalies.h"
#include "serval/check/saturation/causal_axiom.h"
#include "serval/check/saturation/commit_cycles.h"
#include "serval/check/saturation/read_axioms.h"
#include "serval/check/saturation/version_constraints.h"
#include "serval/graph/topological_order.h"
#include "serval/inference/external_reads.h"

namespace serval {
namespace {

constexpr std::array kCommitOrderLevels{Level::MonotonicAtomicView, Level::ReadCommittedMonotonic,
                                        Level::ReadAtomic, Level::Causal};

// What the axiom of one level implies, and whether an order with it exists.
class CommitOrder {
 public:
  CommitOrder(const History& history, const Relations& relations, Level level, Budget& budget)
      : history_(history), relations_(relations), level_(level), budget_(budget) {
    apply_axiom();
    if (relations.has_separate_writes) add_shown_writes();
    if (!forced_.ascending) {
      graph_ = build_graph(static_cast<Vertex>(history.transaction_count()),
                           [this](auto&& emit) { for_each_edge(emit); });
      order_ = topological_order(*graph_, budget);
    }
  }

  bool exists() const {
    return forced_.stale.empty() && (!graph_ || order_.size() == graph_->vertex_count());
  }

  // Requires exists().
  std::vector<TransactionId> transactions() && {
    if (!graph_ && !causal_.empty()) return std::move(causal_);
    std::vector<TransactionId> order;
    order.reserve(history_.transaction_count());
    const auto add = [&](TransactionId t) {
      if (relations_.takes_part[t.index]) order.push_back(t);
    };
    if (graph_)
      for (const Vertex v : order_) add(TransactionId{v});
    else
      for (const TransactionId t : history_.transactions()) add(t);
    return order;
  }

  std::vector<Anomaly> anomalies() const {
    std::vector<Anomaly> found = explain_stale_reads(history_, relations_, level_, forced_.stale, budget_);
    if (graph_ && order_.size() < graph_->vertex_count())
      std::ranges::move(find_commit_cycles(history_, relations_, level_, *graph_, budget_),
                        std::back_inserter(found));
    return found;
  }

 private:
  void apply_axiom() {
    if (level_ == Level::ReadAtomic) {
      forced_ = forced_by_atomic_reads(history_, relations_, budget_);
    } else if (level_ == Level::Causal) {
      CausalOrder causal = forced_by_causality(history_, relations_, budget_);
      forced_ = std::move(causal.forced);
      causal_ = std::move(causal.order);
      const auto participants = std::ranges::count(relations_.takes_part, true);
      forced_.ascending = forced_.ascending && std::cmp_equal(causal_.size(), participants);
    } else {
      forced_ = forced_by_monotonic_reads(history_, relations_, budget_);
    }
  }

  // If the version order is shown, the commit order agrees with it.
  void add_shown_writes() {
    const std::vector<Version>& versions = relations_.read_write_sets.versions;
    std::vector<std::uint32_t> rank(causal_.empty() ? 0 : history_.transaction_count());
    for (std::uint32_t i = 0; i < causal_.size(); ++i) rank[causal_[i].index] = i;
    const auto add = [&](TransactionId from, TransactionId to) {
      if (from == to || !relations_.takes_part[from.index] || !relations_.takes_part[to.index]) return;
      forced_.edges.push_back({from, to});
      const bool ascends = rank.empty() ? from < to : rank[from.index] < rank[to.index];
      forced_.ascending = forced_.ascending && ascends;
    };
    for (auto v = static_cast<std::uint32_t>(history_.key_count()); v < versions.size(); ++v) {
      budget_.poll("commit order");
      if (!versions[v].overwriter.is_none()) add(versions[v].writer, versions[v].overwriter);
      for (const TransactionId later : relations_.later_writers(VersionId{v})) add(versions[v].writer, later);
    }
  }

  template <class Emit>
  void for_each_edge(Emit& emit) {
    if (uses_session_order(level_))
      for_each_session_step(history_, relations_.takes_part, [&](TransactionId before, TransactionId after) {
        emit(before.index, after.index);
      });
    ExternalReads reads(history_, relations_);
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("commit order");
      if (!relations_.takes_part[t.index]) continue;
      for (const ExternalRead& read : reads.of(t))
        if (!read.writer.is_none()) emit(read.writer.index, t.index);
    }
    for (const ForcedEdge& edge : forced_.edges) emit(edge.before.index, edge.after.index);
  }

  const History& history_;
  const Relations& relations_;
  Level level_;
  Budget& budget_;
  ForcedOrder forced_;
  std::vector<TransactionId> causal_;  // At the causal level: an order along session order and reads-from.
  std::optional<CsrGraph> graph_;      // Nothing: the current order already satisfies all conclusions.
  std::vector<Vertex> order_;
};

// Why some read might have seen another version than the certain reads; nothing if all are certain.
std::optional<Undecided> uncertainty(const History& history, const Relations& relations) {
  if (relations.has_unsupported())
    return Undecided{Undecided::Cause::NoEngine,
                     "the history has operations whose effects the reads alone do not reveal",
                     {fmt::format("{} such operations, first {}", relations.read_write_sets.unsupported_count,
                                  cite(history, relations.read_write_sets.unsupported)),
                      "no violation among the certain reads"}};
  if (!relations.ambiguous_reads.empty())
    return Undecided{
        Undecided::Cause::Precondition,
        "it is not certain what some reads saw",
        {fmt::format("reads of a value that several transactions wrote: {}, first {}; write unique values",
                     relations.ambiguous_reads.size(), cite(history, relations.ambiguous_reads.front())),
         "no violation among the certain reads"}};
  return std::nullopt;
}

bool is_commit_order_level(Level level) {
  return std::ranges::find(kCommitOrderLevels, level) != kCommitOrderLevels.end();
}

Verdict check_commit_order(const History& history, const Relations& relations, Level level,
                           const CheckOptions& options, Budget& budget) {
  std::vector<Anomaly> anomalies = forbidden_reads(relations, level);
  std::ranges::move(contradicting_versions(relations, level), std::back_inserter(anomalies));
  CommitOrder order(history, relations, level, budget);
  if (!order.exists()) std::ranges::move(order.anomalies(), std::back_inserter(anomalies));
  if (!anomalies.empty()) return make_violated(std::move(anomalies), options);
  if (std::optional<Undecided> open = uncertainty(history, relations)) return *std::move(open);
  return Holds{.proven = level, .commit_order = std::move(order).transactions(), .snapshot = {}};
}

// No version order agrees with list reads that contradict each other, unless a value was appended twice:
// then it is unknown whose appends they show.
std::vector<Anomaly> disputed_lists(const History& history, const Relations& relations) {
  std::vector<Anomaly> anomalies;
  if (relations.order_conflicts.empty()) return anomalies;
  const std::vector<bool> repeated = keys_with_repeated_appends(history);
  for (const OrderConflict& conflict : relations.order_conflicts)
    if (!repeated[conflict.key.index]) anomalies.push_back({AnomalyKind::IncompatibleOrder, conflict});
  return anomalies;
}

// The session guarantees and pram. Causal consistency implies them all and is cheaper to show, so it is
// tried first if no read is faulty.
Verdict check_guarantee(const History& history, const Relations& relations, Level level,
                        const CheckOptions& options, Budget& budget) {
  const std::optional<Undecided> open = uncertainty(history, relations);
  const bool straight =
      relations.faults.empty() && relations.order_conflicts.empty() && relations.dirty_updates.empty();
  if (!open && straight) {
    CommitOrder causal(history, relations, Level::Causal, budget);
    if (causal.exists())
      return Holds{.proven = Level::Causal, .commit_order = std::move(causal).transactions(), .snapshot = {}};
  }
  VersionOrders orders = order_versions(history, relations, level, budget);
  std::ranges::move(disputed_lists(history, relations), std::back_inserter(orders.anomalies));
  if (!orders.anomalies.empty()) return make_violated(std::move(orders.anomalies), options);
  if (open) return *open;
  return Holds{
      .proven = level, .commit_order = {}, .snapshot = {}, .version_order = std::move(orders.by_key)};
}

}  // namespace

bool decides_by_saturation(Level level) {
  return is_commit_order_level(level) || is_session_guarantee(level);
}

Verdict check_by_saturation(const History& history, const Relations& relations, Level level,
                            const CheckOptions& options, Budget& budget) {
  expects(decides_by_saturation(level), "a level that saturation decides");
  return is_commit_order_level(level) ? check_commit_order(history, relations, level, options, budget)
                                      : check_guarantee(history, relations, level, options, budget);
}

}  // namespace serval
