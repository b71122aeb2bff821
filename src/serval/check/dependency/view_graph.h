#pragma once
// A dependency graph in which reads have vertices of their own, which makes it possible to ask what was
// visible to a transaction before a certain read. The vertices of a transaction are consecutive: its
// external reads in program order, then the transaction itself. A writer leads to the reads that saw it,
// each read to the next one of its transaction, and the last read to the transaction; write dependencies
// and, if requested, session order connect transactions.
//
//   [r(y,1) r(x,0)]   becomes   W(y,1) -> r(y) -> r(x) -> T
//
// Every external read counts, including repeated ones, because what was visible before a read depends on
// its position. The initial versions have no vertex.

#include <vector>

#include "serval/evidence/dependency.h"
#include "serval/graph/csr_graph.h"
#include "serval/inference/reads_from.h"

namespace serval {

struct ViewRead {
  TransactionId reader;
  OperationId operation;
  VersionId version;
};

class ViewGraph {
 public:
  enum class Orders { Data, Session };
  ViewGraph(const History& history, const Relations& relations, Orders orders, Budget& budget);

  const CsrGraph& graph() const noexcept { return graph_; }
  Vertex vertex(TransactionId t) const { return first_read_[t.index + 1] + t.index; }
  Vertex vertex_of_read(std::size_t read) const {
    return static_cast<Vertex>(read) + reads_[read].reader.index;
  }
  TransactionId transaction(Vertex v) const;
  bool is_transaction(Vertex v) const { return vertex(transaction(v)) == v; }

  const std::vector<ViewRead>& reads() const noexcept { return reads_; }
  // Whether the preceding read in `reads` is of the same transaction.
  bool has_predecessor(std::size_t read) const {
    return read > 0 && reads_[read - 1].reader == reads_[read].reader;
  }

  // The transactions, except the reader itself, that certainly wrote a later version than the read saw:
  // the writer of the next version first.
  std::vector<TransactionId> missed_by(const ViewRead& read) const;

  // The evidence for a path of the graph, from one transaction to another.
  std::vector<Edge> edges_of(const std::vector<Vertex>& path) const;
  Edge anti_dependency(const ViewRead& read, TransactionId missed) const;

 private:
  void collect_reads(Budget& budget);
  void collect_repetitions(TransactionId t);
  template <class Emit>
  void emit_edges(Orders orders, Emit&& emit) const;
  template <class Emit>
  void emit_write_dependencies(Emit& emit) const;
  Edge edge_between(TransactionId from, TransactionId to) const;

  const History& history_;
  const Relations& relations_;
  std::vector<std::uint32_t> first_read_;     // By transaction, plus a sentinel.
  std::vector<ViewRead> reads_;               // By transaction, then in program order.
  std::vector<DivergentWrites> divergences_;  // By version.
  CsrGraph graph_;
};

}  // namespace serval
