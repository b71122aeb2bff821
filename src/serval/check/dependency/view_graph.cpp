#include "serval/check/dependency/view_graph.h"

#include <algorithm>

#include "serval/base/equal_span.h"
#include "serval/inference/dependency_graph.h"
#include "serval/inference/key_kinds.h"

namespace serval {
namespace {

bool reads_something(const History& history, OperationId op) {
  const OperationKind kind = history.kind(op);
  return (reads_register(kind) || kind == OperationKind::ReadList) && !value_seen(history, op).is_unknown();
}

}  // namespace

ViewGraph::ViewGraph(const History& history, const Relations& relations, Orders orders, Budget& budget)
    : history_(history), relations_(relations), divergences_(relations.divergences) {
  std::ranges::stable_sort(divergences_, {}, &DivergentWrites::version);
  collect_reads(budget);
  const auto vertices = reads_.size() + history.transaction_count();
  expects(vertices < 0xFFFFFFFFu, "fewer than 2^32 - 1 vertices");
  graph_ = build_graph(static_cast<Vertex>(vertices), [&](auto&& emit) { emit_edges(orders, emit); });
}

void ViewGraph::collect_reads(Budget& budget) {
  const ReadWriteSets& read_write_sets = relations_.read_write_sets;
  first_read_.push_back(0);
  for (const TransactionId t : history_.transactions()) {
    budget.poll("views");
    const std::size_t first = reads_.size();
    if (relations_.takes_part[t.index]) {
      for (const Access& access : read_write_sets.of(t))
        if (!access.read.is_none()) reads_.push_back({t, read_write_sets.read_of(access), access.read});
      if (history_.operations(t).size() > read_write_sets.of(t).size()) collect_repetitions(t);
    }
    std::sort(reads_.begin() + static_cast<std::ptrdiff_t>(first), reads_.end(),
              [](const ViewRead& a, const ViewRead& b) { return a.operation < b.operation; });
    first_read_.push_back(static_cast<std::uint32_t>(reads_.size()));
  }
}

// Later external reads of a key: certain reads that saw another version are listed; a read that saw the
// same value saw the same version.
void ViewGraph::collect_repetitions(TransactionId t) {
  const std::vector<RepeatedRead>& repeated = relations_.repeated_reads;
  const auto listed = [&](OperationId op) {
    return std::ranges::lower_bound(repeated, op, {}, &RepeatedRead::read);
  };
  for (const Access& access : relations_.read_write_sets.of(t)) {
    if (access.read.is_none()) continue;
    const OperationId first = relations_.read_write_sets.read_of(access);
    for (const OperationId op : history_.operations(t)) {
      if (is_predicate(history_.kind(op)) || history_.key(op) != access.key) continue;
      if (op > first && reads_something(history_, op)) {
        const auto found = listed(op);
        if (found != repeated.end() && found->read == op)
          reads_.push_back({t, op, found->version});
        else if (value_seen(history_, op) == value_seen(history_, first))
          reads_.push_back({t, op, access.read});
      }
      if (writes_key(history_.kind(op))) break;
    }
  }
}

template <class Emit>
void ViewGraph::emit_edges(Orders orders, Emit&& emit) const {
  const std::vector<Version>& versions = relations_.read_write_sets.versions;
  for (std::size_t read = 0; read < reads_.size(); ++read) {
    const TransactionId writer = versions[reads_[read].version.index].writer;
    const Vertex at = vertex_of_read(read);
    if (!writer.is_none()) emit(vertex(writer), at);
    emit(at, at + 1);  // The next read, or the transaction.
  }
  if (relations_.has_separate_writes) emit_write_dependencies(emit);
  if (orders == Orders::Session)
    for_each_session_step(history_, relations_.takes_part, [&](TransactionId before, TransactionId after) {
      emit(vertex(before), vertex(after));
    });
}

template <class Emit>
void ViewGraph::emit_write_dependencies(Emit& emit) const {
  const std::vector<Version>& versions = relations_.read_write_sets.versions;
  for (std::uint32_t v = 0; v < versions.size(); ++v) {
    const TransactionId writer = versions[v].writer, next = versions[v].overwriter;
    if (writer.is_none() || !relations_.takes_part[writer.index]) continue;
    if (!next.is_none() && next != writer) emit(vertex(writer), vertex(next));
    for (const TransactionId later : relations_.later_writers(VersionId{v}))
      if (later != writer) emit(vertex(writer), vertex(later));
  }
}

TransactionId ViewGraph::transaction(Vertex v) const {
  // The vertex of transaction t is first_read_[t + 1] + t, which ascends with t.
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(history_.transaction_count() - 1);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (vertex(TransactionId{middle}) < v)
      low = middle + 1;
    else
      high = middle;
  }
  return TransactionId{low};
}

std::vector<TransactionId> ViewGraph::missed_by(const ViewRead& read) const {
  std::vector<TransactionId> missed;
  const TransactionId next = relations_.read_write_sets.versions[read.version.index].overwriter;
  // Of its own version and another later one, either may come first. The reader precedes both.
  if (!next.is_none() && next != read.reader) missed.push_back(next);
  for (const TransactionId later : relations_.later_writers(read.version))
    if (later != read.reader) missed.push_back(later);
  for (const DivergentWrites& pair : equal_span(divergences_, read.version, &DivergentWrites::version))
    if (pair.second != read.reader) missed.push_back(pair.second);
  return missed;
}

std::vector<Edge> ViewGraph::edges_of(const std::vector<Vertex>& path) const {
  std::vector<Edge> edges;
  const std::vector<Version>& versions = relations_.read_write_sets.versions;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const TransactionId from = transaction(path[i]), to = transaction(path[i + 1]);
    if (from == to) continue;  // Between reads of one transaction.
    if (is_transaction(path[i + 1])) {
      edges.push_back(edge_between(from, to));
      continue;
    }
    const ViewRead& read = reads_[path[i + 1] - to.index];
    edges.push_back({from, to, EdgeKind::WriteRead, history_.key(read.operation),
                     relations_.read_write_sets.write_operation[read.version.index], read.operation});
    expects(versions[read.version.index].writer == from, "a read leads from its writer");
  }
  return edges;
}

Edge ViewGraph::edge_between(TransactionId from, TransactionId to) const {
  const std::vector<Edge> edges = explain_edge(history_, relations_, {.session_order = true}, from, to);
  for (const EdgeKind kind : {EdgeKind::WriteWrite, EdgeKind::Session}) {
    const auto found = std::ranges::find(edges, kind, &Edge::kind);
    if (found != edges.end()) return *found;
  }
  broken_contract("transactions are joined by writes or by their session", __FILE__, __LINE__);
}

Edge ViewGraph::anti_dependency(const ViewRead& read, TransactionId missed) const {
  const KeyId key = history_.key(read.operation);
  for (const Edge& edge : explain_edge(history_, relations_, {}, read.reader, missed))
    if (edge.kind == EdgeKind::ReadWrite && edge.key == key &&
        history_.value(edge.from_op) == history_.value(read.operation)) {
      Edge same = edge;  // The first read that saw this version.
      same.from_op = read.operation;
      return same;
    }
  // A repeated read, which is not part of the graph of transactions.
  Edge edge{read.reader, missed, EdgeKind::ReadWrite, key, read.operation};
  const ReadWriteSets& read_write_sets = relations_.read_write_sets;
  for (const Access& access : read_write_sets.of(missed)) {
    if (access.key != key) continue;
    edge.to_op = read_write_sets.write_operation[access.written.index];
    if (access.read == read.version) edge.to_read = read_write_sets.read_of(access);
  }
  return edge;
}

}  // namespace serval
