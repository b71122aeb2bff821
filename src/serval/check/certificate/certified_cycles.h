#pragma once
// The dependencies of a certified history as a level sees them, and the cycles among them by name.

#include <vector>

#include "serval/check/certificate/certified_history.h"
#include "serval/check/cycle_search.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

struct CertifiedScope {
  GraphShape shape;
  bool phantoms = true;  // Whether anti-dependencies of predicates count.
  bool guesses = true;   // Whether reads that were guessed count.
  CycleClass weakest = CycleClass::AntiDependency;
};

// Edges for the graph of a scope.
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
  // emit(from, to), if it counts.
  template <class Emit>
  void place(const Edge& edge, Emit&& emit) const {
    if (!counts(edge)) return;
    if (edge.kind == EdgeKind::ReadWrite)
      emit(vertices_.begin(edge.from), vertices_.commit(edge.to));
    else
      emit(vertices_.commit(edge.from), vertices_.begin(edge.to));
  }
  // Those of items: emit(from, to).
  template <class Emit>
  void items(Emit&& emit, Budget& budget) const {
    for (const TransactionId t : certified_.history().transactions()) {
      budget.poll("dependency graph");
      if (certified_.versions().takes_part(t))
        certified_.reads().item_dependencies(t, scope_.guesses, [&](const Edge& edge) { place(edge, emit); });
    }
  }
  // Those of predicates, whether they count or not, that point against an order of the vertices in which every
  // write dependency points forward: visit(Edge). A key's versions then stand there in their order, so that of
  // most keys the version that was seen and the next one already tell that nothing does.
  template <class Visit>
  void predicates_against(const std::vector<Vertex>& position, Visit&& visit, Budget& budget) const {
    for (const TransactionId t : certified_.history().transactions()) {
      budget.poll("predicate dependencies");
      if (!certified_.versions().takes_part(t)) continue;
      const Vertex begin = position[vertices_.begin(t)];
      const auto worth = [&](const CertifiedVersions::Version& seen, const CertifiedVersions::Version* next) {
        return (!seen.installer.is_none() && position[vertices_.commit(seen.installer)] > begin) ||
               (next != nullptr && position[vertices_.commit(next->installer)] < begin);
      };
      certified_.reads().predicate_dependencies(t, worth, [&](const Edge& edge) {
        place(edge, [&](Vertex from, Vertex to) {
          if (position[from] > position[to]) visit(edge);
        });
      });
    }
  }

 private:
  const CertifiedHistory& certified_;
  CertifiedScope scope_;
  VertexMap vertices_;
};

// Every class of cycles, each with one to show. Requires a cycle among the items' dependencies, the orders of
// the scope and `predicate_edges`.
std::vector<Anomaly> certified_cycles(const CertifiedHistory& certified, const CertifiedScope& scope,
                                      const std::vector<Edge>& predicate_edges, Budget& budget);

}  // namespace serval
