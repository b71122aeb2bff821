#include "serval/check/saturation/visibility_paths.h"

#include <limits>

#include "serval/base/contract.h"
#include "serval/inference/external_reads.h"

namespace serval {
namespace {

bool follows_in_session(const History& history, TransactionId before, TransactionId after) {
  return before < after && history.session(before) == history.session(after);
}

CsrGraph causal_graph(const History& history, const Relations& relations, Budget& budget) {
  ExternalReads reads(history, relations);
  return build_graph(static_cast<Vertex>(history.transaction_count()), [&](auto&& emit) {
    for_each_session_step(history, relations.takes_part, [&](TransactionId before, TransactionId after) {
      emit(before.index, after.index);
    });
    for (const TransactionId t : history.transactions()) {
      budget.poll("evidence");
      if (!relations.takes_part[t.index]) continue;
      for (const ExternalRead& read : reads.of(t))
        if (!read.writer.is_none()) emit(read.writer.index, t.index);
    }
  });
}

}  // namespace

std::optional<Edge> first_read_from(const History& history, const Relations& relations, TransactionId from,
                                    TransactionId to, OperationId before) {
  std::optional<Edge> first;
  for (const CertainRead& read : certain_reads(history, relations, to)) {
    const Version& version = relations.read_write_sets.versions[read.version.index];
    if (version.writer != from || read.operation >= before) continue;
    if (first && first->to_op < read.operation) continue;
    first = Edge{from,
                 to,
                 EdgeKind::WriteRead,
                 read.key,
                 relations.read_write_sets.write_operation[read.version.index],
                 read.operation};
  }
  return first;
}

void merge_session_edges(std::vector<Edge>& path) {
  std::vector<Edge> merged;
  for (const Edge& edge : path) {
    const bool continues = !merged.empty() && edge.kind == EdgeKind::Session &&
                           merged.back().kind == EdgeKind::Session && merged.back().to == edge.from;
    if (continues)
      merged.back().to = edge.to;
    else
      merged.push_back(edge);
  }
  path = std::move(merged);
}

VisibilityPaths::VisibilityPaths(const History& history, const Relations& relations, Level level,
                                 Budget& budget)
    : history_(history), relations_(relations), level_(level), budget_(budget) {}

std::vector<Edge> VisibilityPaths::path(TransactionId seen, TransactionId reader, OperationId read) {
  const bool in_order = level_ == Level::MonotonicAtomicView || level_ == Level::ReadCommittedMonotonic;
  if (const auto edge =
          first_read_from(history_, relations_, seen, reader, in_order ? read : OperationId::none()))
    return {*edge};
  if (in_order) return {};
  if (follows_in_session(history_, seen, reader)) return {{seen, reader, EdgeKind::Session}};
  return level_ == Level::ReadAtomic ? std::vector<Edge>{} : causal_path(seen, reader);
}

std::vector<Edge> VisibilityPaths::causal_path(TransactionId seen, TransactionId reader) {
  if (!finder_) {
    graph_ = causal_graph(history_, relations_, budget_);
    finder_.emplace(graph_, std::numeric_limits<std::uint64_t>::max(), budget_);
  }
  const std::vector<Vertex> vertices =
      finder_->path(seen.index, graph_.vertex_count(), [&](Vertex v) { return v == reader.index; });
  std::vector<Edge> edges;
  for (std::size_t i = 0; i + 1 < vertices.size(); ++i)
    edges.push_back(step(TransactionId{vertices[i]}, TransactionId{vertices[i + 1]}));
  merge_session_edges(edges);
  return edges;
}

Edge VisibilityPaths::step(TransactionId from, TransactionId to) const {
  if (const auto edge = first_read_from(history_, relations_, from, to)) return *edge;
  expects(follows_in_session(history_, from, to), "every step of a path has a reason");
  return {from, to, EdgeKind::Session};
}

}  // namespace serval
