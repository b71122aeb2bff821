#include "serval/check/certificate/certified_cycles.h"

#include <algorithm>

#include "serval/check/dependency/graph_cycle.h"
#include "serval/check/dependency/name_cycle.h"
#include "serval/graph/strong_components.h"

namespace serval {
namespace {

// All edges between the transactions of one strong component, with their evidence.
class CycleFinder {
 public:
  CycleFinder(const CertifiedHistory& certified, const CertifiedScope& scope, Budget& budget)
      : certified_(certified),
        history_(certified.history()),
        scope_(scope),
        snapshots_(scope.shape.snapshots),
        budget_(budget) {
    scope_.shape.snapshots = false;  // Classes are distinguished with one vertex per transaction.
  }

  void mark_components(const std::vector<Edge>& predicate_edges) {
    const CertifiedEdges edges(certified_, scope_);
    const OrderEdges orders(history_, certified_.versions().participants(), scope_.shape, budget_);
    const VertexMap map(scope_.shape);
    // All edges if there are not too many; otherwise the known ones, and some cycles may not be counted.
    const bool all = predicate_pairs() <= kMaxPairs;
    const CsrGraph graph = build_graph(map.count(history_.transaction_count()), [&](auto&& emit) {
      orders(emit);
      edges.items(emit, budget_);
      if (!all)
        for (const Edge& edge : predicate_edges) edges.place(edge, emit);
      for (const TransactionId t : history_.transactions()) {
        if (!all) break;
        budget_.poll("cycles");
        if (certified_.versions().takes_part(t))
          certified_.reads().predicate_dependencies(t, [&](const Edge& edge) { edges.place(edge, emit); });
      }
    });
    component_.assign(history_.transaction_count(), 0);
    const Jagged<Vertex> components = cyclic_components(graph, budget_);
    for (std::size_t row = 0; row < components.rows(); ++row)
      for (const Vertex v : components[row])
        component_[map.transaction(v).index] = static_cast<std::uint32_t>(row) + 1;
  }

  void collect_edges() {
    const CertifiedEdges edges(certified_, scope_);
    const auto keep = [&](Edge edge) {
      const std::uint32_t component = component_[edge.from.index];
      if (component == 0 || component != component_[edge.to.index] || !edges.counts(edge)) return;
      edge.basis = OrderBasis::Certificate;
      edges_.push_back(edge);
    };
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("cycles");
      if (component_[t.index] == 0) continue;
      certified_.reads().item_dependencies(t, scope_.guesses, keep);
      certified_.reads().predicate_dependencies(t, keep);
    }
    // Items before predicates, so that a pair with both is explained by the item.
    std::ranges::stable_sort(edges_, [](const Edge& a, const Edge& b) {
      return std::tuple(a.from, a.to, a.of_predicate, a.kind) <
             std::tuple(b.from, b.to, b.of_predicate, b.kind);
    });
    if (snapshots_) drop_needless();
  }

  std::vector<Anomaly> find() {
    std::vector<Anomaly> found = search(false);
    for (Anomaly& anomaly : search(true)) {
      const auto& cycle = std::get<Cycle>(anomaly.evidence);
      const auto is_phantom = [](const Edge& edge) {
        return edge.of_predicate && edge.kind == EdgeKind::ReadWrite;
      };
      if (std::ranges::any_of(cycle.edges, is_phantom)) found.push_back(std::move(anomaly));
    }
    return found;
  }

  // A shortest cycle of the graph with snapshots, if no class describes one.
  std::vector<Anomaly> find_any(GraphShape shape) {
    const OrderEdges orders(history_, certified_.versions().participants(), shape, budget_);
    CertifiedScope scope = scope_;
    scope.shape = shape;
    const CertifiedEdges edges(certified_, scope);
    const CsrGraph graph =
        build_graph(VertexMap(shape).count(history_.transaction_count()), [&](auto&& emit) {
          orders(emit);
          for (const Edge& edge : edges_) edges.place(edge, emit);
        });
    return cycles_of_graph(history_, explain(true, Reinserted::Kept), shape, graph, budget_);
  }

 private:
  static constexpr std::uint64_t kMaxPairs = 5'000'000;
  std::uint64_t predicate_pairs() const {
    const auto asked =
        std::ranges::count_if(history_.kind_column(), [](OperationKind kind) { return is_predicate(kind); });
    return static_cast<std::uint64_t>(asked) * history_.key_count();
  }

  // At the snapshot levels, a row inserted after a delete needs an extra edge only if no other edge
  // implies it.
  void drop_needless() {
    const CertifiedEdges edges(certified_, scope_);
    std::vector<Edge> kept;
    for (std::size_t i = 0, end = 0; i < edges_.size(); i = end) {
      bool sees = is_ordered(edges_[i].from, edges_[i].to);
      for (end = i;
           end < edges_.size() && edges_[end].from == edges_[i].from && edges_[end].to == edges_[i].to; ++end)
        sees = sees || (edges_[end].kind != EdgeKind::ReadWrite && !edges.is_reinsertion(edges_[end]));
      for (std::size_t at = i; at < end; ++at)
        if (!sees || !edges.is_reinsertion(edges_[at])) kept.push_back(edges_[at]);
    }
    edges_ = std::move(kept);
  }

  // By session or by time, so that the earlier one is visible to the later.
  bool is_ordered(TransactionId from, TransactionId to) const {
    std::vector<Edge> orders;
    explain_orders(history_, scope_.shape, from, to, orders);
    return !orders.empty();
  }

  enum class Reinserted : std::uint8_t { Passed, Kept };
  // Whether an edge counts in a graph with one vertex per transaction.
  bool is_searched(const Edge& edge, bool phantoms) const {
    if (snapshots_ && CertifiedEdges(certified_, scope_).is_reinsertion(edge)) return false;
    return phantoms || !edge.of_predicate || edge.kind != EdgeKind::ReadWrite;
  }

  ExplainEdge explain(bool phantoms, Reinserted reinserted) const {
    return [this, phantoms, reinserted](GraphShape shape, TransactionId from, TransactionId to) {
      std::vector<Edge> out;
      const auto before = [](const Edge& edge, std::pair<TransactionId, TransactionId> pair) {
        return std::pair(edge.from, edge.to) < pair;
      };
      auto edge = std::lower_bound(edges_.begin(), edges_.end(), std::pair(from, to), before);
      for (; edge != edges_.end() && edge->from == from && edge->to == to; ++edge)
        if (reinserted == Reinserted::Kept || is_searched(*edge, phantoms)) out.push_back(*edge);
      explain_orders(history_, shape, from, to, out);
      return out;
    };
  }

  // First without predicate anti-dependencies: a cycle that needs none is stronger evidence.
  std::vector<Anomaly> search(bool phantoms) {
    const VertexMap map(scope_.shape);
    const OrderEdges orders(history_, certified_.versions().participants(), scope_.shape, budget_);
    const CsrGraph graph = build_graph(map.count(history_.transaction_count()), [&](auto&& emit) {
      orders(emit);
      for (const Edge& edge : edges_)
        if (is_searched(edge, phantoms)) emit(map.commit(edge.from), map.begin(edge.to));
    });
    const CycleScope scope{.session_order = scope_.shape.session_order,
                           .real_time = scope_.shape.real_time,
                           .weakest = scope_.weakest};
    return find_cycles(history_, explain(phantoms, Reinserted::Passed), graph, scope, budget_);
  }

  const CertifiedHistory& certified_;
  const History& history_;
  CertifiedScope scope_;
  bool snapshots_;
  Budget& budget_;
  std::vector<std::uint32_t> component_;  // By transaction; 0: not on a cycle.
  std::vector<Edge> edges_;               // By (from, to).
};

}  // namespace

std::vector<Anomaly> certified_cycles(const CertifiedHistory& certified, const CertifiedScope& scope,
                                      const std::vector<Edge>& predicate_edges, Budget& budget) {
  CycleFinder finder(certified, scope, budget);
  finder.mark_components(predicate_edges);
  finder.collect_edges();
  std::vector<Anomaly> found = finder.find();
  return found.empty() ? finder.find_any(scope.shape) : found;
}

}  // namespace serval
