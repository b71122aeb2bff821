#pragma once
// The transactions of one strong component, the steps between them and the evidence for each step.
// Labels are kept, so that a cycle found for a class is shown with the steps that put it into that
// class.

#include <span>
#include <vector>

#include "serval/check/dependency/step_graph.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

class ComponentLinks {
 public:
  // `vertices` is a strong component of `graph`, a dependency graph of that shape without snapshots,
  // whose edges `explain` explains. `position` has one entry per transaction, all kAbsent, and is
  // restored.
  static constexpr Vertex kAbsent = 0xFFFFFFFFu;
  ComponentLinks(const History& history, const ExplainEdge& explain, GraphShape shape, const CsrGraph& graph,
                 std::span<const Vertex> vertices, std::vector<Vertex>& position);

  const StepGraph& steps() const noexcept { return steps_; }
  std::span<const TransactionId> members() const noexcept { return members_; }  // By vertex, ascending.

  // Every kind of step between the two, whether or not the search has a link for it.
  StepKinds kinds_between(Vertex from, Vertex to) const;

  // The evidence for one step; `kind` must be one of the pair's kinds.
  Edge edge(Vertex from, Vertex to, StepKind kind) const;
  std::vector<Edge> edges(Vertex from, Vertex to, EdgeKind kind) const;

 private:
  void collect_members(std::span<const Vertex> vertices, std::vector<Vertex>& position);
  void collect_links(const CsrGraph& graph, std::span<const Vertex> vertices, std::vector<Vertex>& position);
  void collect_orders();
  StepKinds kinds_of(Vertex from, Vertex to) const;
  StepKinds kinds_of(TransactionId from, TransactionId to) const;
  void add_session_shortcuts();

  const History& history_;
  const ExplainEdge& explain_;
  GraphShape shape_;
  std::vector<TransactionId> members_;
  StepGraph steps_;
};

}  // namespace serval
