#include "serval/inference/dependency_graph.h"

#include <algorithm>

namespace serval {
namespace {

class EdgeSource {
 public:
  EdgeSource(const History& history, const Relations& relations, GraphShape shape, Budget& budget)
      : history_(history), relations_(relations), shape_(shape), vertices_(shape), budget_(budget) {
    if (shape.real_time) real_time_ = real_time_order(history, relations.takes_part, budget);
  }

  template <class Emit>
  void operator()(Emit&& emit) {
    data_edges(emit);
    if (shape_.session_order) session_edges(emit);
    if (shape_.real_time) real_time_edges(emit);
  }

 private:
  template <class Emit>
  void data_edges(Emit& emit) {
    const std::vector<Version>& versions = relations_.footprints.versions;
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("dependency graph");
      if (!relations_.takes_part[t.index]) continue;
      const Vertex begin = vertices_.begin(t);
      if (shape_.snapshots) emit(begin, vertices_.commit(t));
      for (const Access& access : relations_.footprints.of(t)) {
        prefetch_version(access);
        if (access.read.is_none()) continue;
        const Version version = versions[access.read.index];
        if (!version.writer.is_none()) emit(vertices_.commit(version.writer), begin);
        if (!version.overwriter.is_none() && version.overwriter != t)
          emit(begin, vertices_.commit(version.overwriter));
      }
    }
  }

  // At a million transactions every version is a cache miss; ask for those of the accesses to come.
  void prefetch_version(const Access& access) const {
    constexpr std::ptrdiff_t kAhead = 32;
    const std::vector<Access>& accesses = relations_.footprints.accesses;
    if (accesses.data() + accesses.size() - &access <= kAhead) return;
    const VersionId read = (&access + kAhead)->read;
    if (!read.is_none()) __builtin_prefetch(&relations_.footprints.versions[read.index]);
  }

  template <class Emit>
  void session_edges(Emit& emit) {
    for (const SessionId session : history_.sessions()) {
      TransactionId before = TransactionId::none();
      for (const TransactionId t : history_.session_transactions(session)) {
        if (!relations_.takes_part[t.index]) continue;
        if (!before.is_none()) emit(vertices_.commit(before), vertices_.begin(t));
        before = t;
      }
    }
  }

  template <class Emit>
  void real_time_edges(Emit& emit) {
    TransactionId before = TransactionId::none();
    for (const TransactionId t : real_time_.by_end) {
      emit(vertices_.commit(t), vertices_.end(t));
      if (!before.is_none()) emit(vertices_.end(before), vertices_.end(t));
      before = t;
    }
    for (const TransactionId t : history_.transactions()) {
      const std::uint32_t predecessors = real_time_.predecessors[t.index];
      if (relations_.takes_part[t.index] && predecessors != RealTimeOrder::kNothing)
        emit(vertices_.end(real_time_.by_end[predecessors - 1]), vertices_.begin(t));
    }
  }

  const History& history_;
  const Relations& relations_;
  GraphShape shape_;
  VertexMap vertices_;
  Budget& budget_;
  RealTimeOrder real_time_;
};

// The access that a transaction has to a key, if any.
const Access* access_to(const Footprints& footprints, TransactionId t, KeyId key) {
  const auto accesses = footprints.of(t);
  const auto found = std::ranges::find(accesses, key, &Access::key);
  return found == accesses.end() ? nullptr : &*found;
}

OperationId read_of(const Footprints& footprints, const Access& access) {
  return footprints.read_operation[static_cast<std::size_t>(&access - footprints.accesses.data())];
}

OperationId write_of(const Footprints& footprints, const Access& access) {
  return footprints.write_operation[access.written.index];
}

// What `to` read from `from`: wr edges, and ww where it overwrote it.
void add_dependencies(const Footprints& footprints, TransactionId from, TransactionId to,
                      std::vector<Edge>& edges) {
  for (const Access& access : footprints.of(to)) {
    if (access.read.is_none() || footprints.versions[access.read.index].writer != from) continue;
    const OperationId source = footprints.write_operation[access.read.index];
    const OperationId read = read_of(footprints, access);
    if (!access.written.is_none())
      edges.push_back(
          {from, to, EdgeKind::WriteWrite, access.key, source, write_of(footprints, access), read});
    edges.push_back({from, to, EdgeKind::WriteRead, access.key, source, read});
  }
}

// What `to` overwrote of what `from` read.
void add_anti_dependencies(const Footprints& footprints, TransactionId from, TransactionId to,
                           std::vector<Edge>& edges) {
  for (const Access& access : footprints.of(from)) {
    if (access.read.is_none() || footprints.versions[access.read.index].overwriter != to) continue;
    const Access* overwriting = access_to(footprints, to, access.key);
    const bool same_version = overwriting->read == access.read;
    edges.push_back({from, to, EdgeKind::ReadWrite, access.key, read_of(footprints, access),
                     write_of(footprints, *overwriting),
                     same_version ? read_of(footprints, *overwriting) : OperationId::none()});
  }
}

}  // namespace

std::optional<CsrGraph> dependency_graph(const History& history, const Relations& relations, GraphShape shape,
                                         Budget& budget) {
  return build_graph_unless_ascending(VertexMap(shape).count(history.transaction_count()),
                                      EdgeSource(history, relations, shape, budget));
}

std::vector<Edge> explain_edge(const History& history, const Relations& relations, GraphShape shape,
                               TransactionId from, TransactionId to) {
  std::vector<Edge> edges;
  add_dependencies(relations.footprints, from, to, edges);
  if (from != to) add_anti_dependencies(relations.footprints, from, to, edges);
  std::ranges::stable_sort(edges, {}, &Edge::kind);
  if (shape.session_order && history.session(from) == history.session(to) && from < to)
    edges.push_back({from, to, EdgeKind::Session});
  if (shape.real_time && history.outcome(from) == Outcome::Committed &&
      history.interval(from).end < history.interval(to).begin)
    edges.push_back({from, to, EdgeKind::RealTime});
  return edges;
}

}  // namespace serval
