#pragma once
// The dependencies of a certified history that a level considers, and the cycles among them by name.

#include <optional>
#include <vector>

#include "serval/check/certificate/certified_history.h"
#include "serval/check/dependency/cycle_search.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

struct CertifiedScope {
  GraphShape shape;
  bool phantoms = true;  // Whether predicate anti-dependencies count.
  Guesses guesses = Guesses::Likely;
  CycleClass weakest = CycleClass::AntiDependency;
};

// The edges of the graph for a scope.
class CertifiedEdges {
 public:
  CertifiedEdges(const CertifiedHistory& certified, const CertifiedScope& scope)
      : certified_(certified), scope_(scope), vertices_(scope.shape) {}

  bool counts(const Edge& edge) const {
    using Data = GraphShape::Data;
    if (edge.kind == EdgeKind::WriteWrite) return true;
    if (edge.kind == EdgeKind::WriteRead) return scope_.shape.data != Data::ShownWrites;
    return scope_.shape.data == Data::All && (scope_.phantoms || !edge.of_predicate);
  }
  // Whether it leads from a delete to an insert of the same key. The inserted row is a different object
  // (Adya 1999, section 4.1): a unique index implies that the delete comes first, but it need not be
  // visible.
  bool is_reinsertion(const Edge& edge) const {
    if (edge.of_predicate || edge.from_op.is_none()) return false;
    const History& history = certified_.history();
    const OperationKind from = history.kind(edge.from_op);
    if (from != OperationKind::Delete && from != OperationKind::PredicateDelete) return false;
    if (edge.kind == EdgeKind::WriteRead) return history.kind(edge.to_op) == OperationKind::Insert;
    return edge.kind == EdgeKind::WriteWrite && makes_row(edge.to, edge.key);
  }
  // Whether its first write of the key inserts a row where there is none.
  bool makes_row(TransactionId t, KeyId key) const {
    const History& history = certified_.history();
    std::optional<OperationKind> first;
    for (const OperationId op : history.operations(t))
      for_each_write(history, op, [&](KeyId written, Value) {
        if (written == key && !first) first = history.kind(op);
      });
    return first == OperationKind::Insert || first == OperationKind::Write;
  }
  // emit(from, to), if it counts.
  template <class Emit>
  void place(const Edge& edge, Emit&& emit) const {
    if (!counts(edge)) return;
    if (scope_.shape.snapshots && is_reinsertion(edge))
      emit(vertices_.commit(edge.from), vertices_.commit(edge.to));
    else if (edge.kind == EdgeKind::ReadWrite)
      emit(vertices_.begin(edge.from), vertices_.commit(edge.to));
    else
      emit(vertices_.commit(edge.from), vertices_.begin(edge.to));
  }
  // Item dependencies: emit(from, to).
  template <class Emit>
  void items(Emit&& emit, Budget& budget) const {
    for (const TransactionId t : certified_.history().transactions()) {
      budget.poll("dependency graph");
      if (certified_.versions().takes_part(t))
        certified_.reads().item_dependencies(t, scope_.guesses, [&](const Edge& edge) { place(edge, emit); });
    }
  }
  // Predicate dependencies that count and point backwards in an order of the vertices in which every
  // write dependency points forward: visit(Edge). Only those of transactions for which is_asked(t)
  // holds.
  template <class IsAsked, class Visit>
  void predicates_against(const std::vector<Vertex>& position, IsAsked&& is_asked, Visit&& visit,
                          Budget& budget) const {
    const auto place_of = [&](TransactionId u) { return position[vertices_.commit(u)]; };
    const MisplacedWriters misplaced(certified_.visibility(), place_of, budget);
    for (const TransactionId t : certified_.history().transactions()) {
      budget.poll("predicate dependencies");
      if (!certified_.versions().takes_part(t) || !is_asked(t)) continue;
      certified_.reads().contradicting_dependencies(t, position[vertices_.begin(t)], place_of, misplaced,
                                                    [&](const Edge& edge) {
                                                      if (counts(edge)) visit(edge);
                                                    });
    }
  }

 private:
  const CertifiedHistory& certified_;
  CertifiedScope scope_;
  VertexMap vertices_;
};

// Every class of cycles, with one example each. Requires a cycle of item dependencies, the orders of the
// scope and `predicate_edges`.
std::vector<Anomaly> certified_cycles(const CertifiedHistory& certified, const CertifiedScope& scope,
                                      const std::vector<Edge>& predicate_edges, Budget& budget);

}  // namespace serval
