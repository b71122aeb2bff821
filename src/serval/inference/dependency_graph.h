#pragma once
// The dependency graph of a history in the shape that a level needs, and the evidence for its edges.
//
// Read-uncommitted and read-committed levels: one vertex per transaction; edges ww, from read-committed
// up also wr, and the orders that the level uses.
//
// Serializable levels: one vertex per transaction; edges wr, ww, rw and the orders that the level uses.
// A cycle refutes the level.
//
// Snapshot levels: two vertices per transaction, begin(T) and commit(T), with begin(T) -> commit(T). A
// dependency u -> v means that v's snapshot contains u: commit(u) -> begin(v). An anti-dependency v -> w
// means that v's snapshot does not contain w: begin(v) -> commit(w). Two anti-dependencies in a row do
// not connect, so this graph is acyclic exactly if (SO u WR u WW) ; RW? is
// (docs/decisions/005-begin-commit-graph.md), without building that composition. A topological order of
// it *is* the witness: it says when each snapshot is taken and when each transaction commits.
//
// Prefix consistency: the same, but a write dependency is commit(u) -> commit(v): it orders the commits
// and says nothing about visibility.
//
// If many versions certainly follow one version (Relations::later), its readers reach the later writers
// through helper vertices: two chains that run through the writers in both directions, so that a reader
// that is itself one of the writers reaches those before and after it. This keeps the graph linear.
//
// Real time adds a vertex for each end and chains them in time order (real_time.h). Edges have no
// labels, which keeps the graph at four bytes per edge; for the few transactions of a cycle,
// explain_edge finds the reasons again.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "serval/evidence/dependency.h"
#include "serval/graph/csr_graph.h"
#include "serval/inference/reads_from.h"
#include "serval/inference/real_time.h"

namespace serval {

struct GraphShape {
  bool snapshots = false;  // Two vertices per transaction.
  bool session_order = false;
  bool real_time = false;
  enum class Data : std::uint8_t {
    ShownWrites,     // ww edges not derived from reads: read-uncommitted ignores reads.
    WritesAndReads,  // ww, wr
    All,             // ww, wr, rw
  } data = Data::All;
  // With snapshots: the earlier writer of a key need not be visible to a later one.
  bool writes_may_overlap = false;
};

// The vertices of each transaction. Transactions keep their order, so neighbours in the history are
// neighbours here. Helper vertices come last; for them, transaction() is past the last one.
class VertexMap {
 public:
  explicit VertexMap(GraphShape shape) : shape_(shape), stride_(1u + shape.snapshots + shape.real_time) {}
  Vertex begin(TransactionId t) const noexcept { return t.index * stride_; }
  Vertex commit(TransactionId t) const noexcept { return t.index * stride_ + (shape_.snapshots ? 1 : 0); }
  Vertex end(TransactionId t) const noexcept {
    return t.index * stride_ + stride_ - 1;
  }  // Requires real_time.
  TransactionId transaction(Vertex v) const noexcept { return TransactionId{v / stride_}; }
  bool is_helper(Vertex v, std::size_t transactions) const noexcept { return v / stride_ >= transactions; }
  bool is_begin(Vertex v) const noexcept { return v % stride_ == 0; }
  bool is_commit(Vertex v) const noexcept { return v % stride_ == (shape_.snapshots ? 1u : 0u); }
  Vertex count(std::size_t transactions) const {
    expects(transactions * stride_ < 0xFFFFFFFFu, "fewer than 2^32 - 1 vertices");
    return static_cast<Vertex>(transactions * stride_);
  }

 private:
  GraphShape shape_;
  std::uint32_t stride_;
};

// Nothing if every edge points forward in the order of the history (as in the commit-order recordings of
// a serializable database): that order is then already the answer.
std::optional<CsrGraph> dependency_graph(const History& history, const Relations& relations, GraphShape shape,
                                         Budget& budget);

// The same graph, always built.
CsrGraph whole_dependency_graph(const History& history, const Relations& relations, GraphShape shape,
                                Budget& budget);

// Every reason why `from` must directly precede `to`: data edges first (ww, wr, rw), then session order,
// then real time if the shape uses them.
std::vector<Edge> explain_edge(const History& history, const Relations& relations, GraphShape shape,
                               TransactionId from, TransactionId to);

// The same as a function, independent of the source of the data dependencies.
using ExplainEdge = std::function<std::vector<Edge>(GraphShape shape, TransactionId from, TransactionId to)>;
inline ExplainEdge explained_by(const History& history, const Relations& relations) {
  return [&history, &relations](GraphShape shape, TransactionId from, TransactionId to) {
    return explain_edge(history, relations, shape, from, to);
  };
}
// The reasons from orders: session order, then real time, if the shape uses them.
void explain_orders(const History& history, GraphShape shape, TransactionId from, TransactionId to,
                    std::vector<Edge>& edges);

// Fills in basis, seen_earlier and seen_later of those write dependencies and anti-dependencies in
// `edges` that rest on one of relations.hinted. O(log hints) per edge.
void cite_hints(const Relations& relations, std::vector<Edge>& edges);

// The edges of a shape that do not depend on data: begin before commit, session order, real time. O(n);
// real time O(n log n) if the history is not in time order.
class OrderEdges {
 public:
  OrderEdges(const History& history, const std::vector<bool>& takes_part, GraphShape shape, Budget& budget)
      : history_(history), takes_part_(takes_part), shape_(shape), vertices_(shape) {
    if (shape.real_time) real_time_ = real_time_order(history, takes_part, budget);
  }

  template <class Emit>
  void operator()(Emit&& emit) const {
    if (shape_.snapshots)
      for (const TransactionId t : history_.transactions())
        if (takes_part_[t.index]) emit(vertices_.begin(t), vertices_.commit(t));
    if (shape_.session_order)
      for_each_session_step(history_, takes_part_, [&](TransactionId before, TransactionId after) {
        emit(vertices_.commit(before), vertices_.begin(after));
      });
    if (shape_.real_time) real_time_edges(emit);
  }

 private:
  template <class Emit>
  void real_time_edges(Emit& emit) const {
    TransactionId before = TransactionId::none();
    for (const TransactionId t : real_time_.by_end) {
      emit(vertices_.commit(t), vertices_.end(t));
      if (!before.is_none()) emit(vertices_.end(before), vertices_.end(t));
      before = t;
    }
    for (const TransactionId t : history_.transactions()) {
      const std::uint32_t predecessors = real_time_.predecessors[t.index];
      if (takes_part_[t.index] && predecessors != RealTimeOrder::kNothing)
        emit(vertices_.end(real_time_.by_end[predecessors - 1]), vertices_.begin(t));
    }
  }

  const History& history_;
  const std::vector<bool>& takes_part_;
  GraphShape shape_;
  VertexMap vertices_;
  RealTimeOrder real_time_;
};

}  // namespace serval
