#pragma once
// The transactions of one strong component and the steps between them, with every kind that a pair has:
// labels are kept, so that a cycle found for a class is shown with the steps that make it one.
//
// A pair has a session step only where no read or write dependency joins it, and a real-time step only where
// neither those nor session order do: a cycle never owes its variant to an order that it does not need. Real
// time has no links of its own (they would be quadratic); ended_before answers for any pair.

#include <span>
#include <vector>

#include "serval/check/cycle_automaton.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

struct Link {
  Vertex from, to;  // Positions in members().
  StepKinds kinds;
};

class ComponentLinks {
 public:
  // `vertices` is a strong component of `graph`, which is dependency_graph(history, relations, shape) without
  // snapshots. `position` has one entry a transaction, all kAbsent, and is left so.
  static constexpr Vertex kAbsent = 0xFFFFFFFFu;
  ComponentLinks(const History& history, const Relations& relations, GraphShape shape, const CsrGraph& graph,
                 std::span<const Vertex> vertices, std::vector<Vertex>& position);

  std::span<const TransactionId> members() const noexcept { return members_; }  // Ascending.
  std::span<const Link> links() const noexcept { return links_; }  // By from, then to; one a pair.
  StepKinds kinds_present() const noexcept { return present_; }
  StepKinds kinds(Vertex from, Vertex to) const;  // 0 for pairs without a link.

  bool has_times() const noexcept { return shape_.real_time; }
  Time begin(Vertex member) const { return history_.interval(members_[member]).begin; }
  Time end(Vertex member) const;  // kUnknownEnd unless committed.
  bool precedes_in_time_only(Vertex a, Vertex b) const;

  // The evidence for one step; `kind` is among the pair's kinds.
  Edge edge(Vertex from, Vertex to, StepKind kind) const;
  std::vector<Edge> edges(Vertex from, Vertex to, EdgeKind kind) const;

 private:
  void collect_members(std::span<const Vertex> vertices, std::vector<Vertex>& position);
  void collect_links(const CsrGraph& graph, std::span<const Vertex> vertices, std::vector<Vertex>& position);
  StepKinds kinds_of(TransactionId from, TransactionId to) const;
  void add_session_shortcuts();

  const History& history_;
  const Relations& relations_;
  GraphShape shape_;
  std::vector<TransactionId> members_;
  std::vector<Link> links_;
  StepKinds present_ = 0;
};

}  // namespace serval
