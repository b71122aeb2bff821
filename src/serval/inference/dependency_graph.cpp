#include "serval/inference/dependency_graph.h"

#include <algorithm>
#include <utility>

#include "serval/base/equal_span.h"

namespace serval {
namespace {

// The writers that certainly come later than each version. If session order counts, only the first of
// each session, because it leads to the others.
class LaterWriters {
 public:
  LaterWriters(const History& history, const Relations& relations, bool session_order)
      : all_(relations.later), reduced_(session_order && relations.later.rows() > 0) {
    if (!reduced_) return;
    std::vector<std::uint32_t> seen_in(history.session_count(), 0);
    std::vector<TransactionId> first;
    for (std::uint32_t v = 0; v < all_.rows(); ++v) {
      first.clear();
      for (const TransactionId writer : all_[v])
        if (std::exchange(seen_in[history.session(writer).index], v + 1) != v + 1) first.push_back(writer);
      few_.push_row(first);
    }
  }

  std::size_t rows() const { return all_.rows(); }
  std::span<const TransactionId> operator[](std::size_t version) const {
    return reduced_ ? few_[version] : all_[version];
  }

 private:
  const Jagged<TransactionId>& all_;
  bool reduced_;
  Jagged<TransactionId> few_;
};

// The helper vertices of versions that many others follow: one per later writer and direction.
class HelperVertices {
 public:
  static constexpr std::size_t kFew = 24;  // Up to this many writers are reached directly.

  HelperVertices(const LaterWriters& later, GraphShape shape, Vertex first) : end_(first) {
    if (shape.data != GraphShape::Data::All) return;
    for (std::uint32_t v = 0; v < later.rows(); ++v) {
      const std::size_t size = later[v].size();
      if (size <= kFew) continue;
      rows_.push_back({VersionId{v}, end_});
      expects(end_ + 2 * size < 0xFFFFFFFFu, "fewer than 2^32 - 1 vertices");
      end_ += static_cast<Vertex>(2 * size);
    }
  }

  Vertex end() const noexcept { return end_; }

  template <class Visit>
  void for_each_row(Visit&& visit) const {
    for (const Row& row : rows_) visit(row.version, row.first);
  }
  Vertex first_of(VersionId version) const {
    return std::ranges::lower_bound(rows_, version, {}, &Row::version)->first;
  }
  // Reaches the writer at `position` of the row and all after it, or it and all before it.
  static Vertex onward(Vertex first, std::size_t position) {
    return static_cast<Vertex>(first + 2 * position);
  }
  static Vertex backward(Vertex first, std::size_t position) { return onward(first, position) + 1; }

 private:
  struct Row {
    VersionId version;
    Vertex first;
  };
  std::vector<Row> rows_;  // By version.
  Vertex end_;
};

class EdgeSource {
 public:
  EdgeSource(const History& history, const Relations& relations, GraphShape shape, Budget& budget)
      : history_(history),
        relations_(relations),
        shape_(shape),
        vertices_(shape),
        later_(history, relations, shape.session_order),
        helpers_(later_, shape, vertices_.count(history.transaction_count())),
        orders_(history, relations.takes_part, shape, budget),
        budget_(budget) {}

  Vertex vertex_count() const noexcept { return helpers_.end(); }

  template <class Emit>
  void operator()(Emit&& emit) {
    if (shape_.data == GraphShape::Data::All) {
      read_edges<GraphShape::Data::All>(emit);
      helper_edges(emit);
    } else if (shape_.data == GraphShape::Data::WritesAndReads) {
      read_edges<GraphShape::Data::WritesAndReads>(emit);
    }
    if (relations_.has_separate_writes) write_edges(emit);
    orders_(emit);
  }

 private:
  template <GraphShape::Data kData, class Emit>
  void read_edges(Emit& emit) {
    const std::vector<Version>& versions = relations_.read_write_sets.versions;
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("dependency graph");
      if (!relations_.takes_part[t.index]) continue;
      const Vertex begin = vertices_.begin(t);
      for (const Access& access : relations_.read_write_sets.of(t)) {
        relations_.read_write_sets.prefetch_versions_after(access);
        if (access.read.is_none()) continue;
        const Version version = versions[access.read.index];
        if (!version.writer.is_none()) emit(vertices_.commit(version.writer), begin);
        if constexpr (kData != GraphShape::Data::All) continue;
        if (!version.overwriter.is_none() && version.overwriter != t)
          emit(begin, vertices_.commit(version.overwriter));
        if (later_.rows() > 0) later_edges(t, access.read, emit);
      }
    }
    if constexpr (kData == GraphShape::Data::WritesAndReads) repeated_edges(emit);
  }

  // Only at levels where they count: at others the repetition itself is the violation.
  template <class Emit>
  void repeated_edges(Emit& emit) {
    for (const RepeatedRead& again : relations_.repeated_reads) {
      const TransactionId writer = relations_.read_write_sets.versions[again.version.index].writer;
      if (!writer.is_none()) emit(vertices_.commit(writer), vertices_.begin(again.transaction));
    }
  }

  // From a reader of the version to the writers of later ones, which are in ascending order.
  template <class Emit>
  void later_edges(TransactionId reader, VersionId version, Emit& emit) {
    const std::span<const TransactionId> writers = later_[version.index];
    if (writers.empty()) return;
    const Vertex begin = vertices_.begin(reader);
    if (writers.size() <= HelperVertices::kFew) {
      for (const TransactionId writer : writers)
        if (writer != reader) emit(begin, vertices_.commit(writer));
      return;
    }
    const Vertex first = helpers_.first_of(version);
    const auto own = std::ranges::lower_bound(writers, reader);
    const auto position = static_cast<std::size_t>(own - writers.begin());
    if (own == writers.end() || *own != reader) {
      emit(begin, HelperVertices::onward(first, 0));
      return;
    }
    if (position > 0) emit(begin, HelperVertices::backward(first, position - 1));
    if (position + 1 < writers.size()) emit(begin, HelperVertices::onward(first, position + 1));
  }

  template <class Emit>
  void helper_edges(Emit& emit) {
    helpers_.for_each_row([&](VersionId version, Vertex first) {
      const std::span<const TransactionId> writers = later_[version.index];
      for (std::size_t i = 0; i < writers.size(); ++i) {
        const Vertex onward = HelperVertices::onward(first, i), backward = HelperVertices::backward(first, i);
        emit(onward, vertices_.commit(writers[i]));
        emit(backward, vertices_.commit(writers[i]));
        if (i > 0) {
          emit(HelperVertices::onward(first, i - 1), onward);
          emit(backward, HelperVertices::backward(first, i - 1));
        }
      }
    });
  }

  // From each version's writer to those of the versions known to follow it. Includes registers whose
  // order was inferred from reads, except where reads are ignored.
  template <class Emit>
  void write_edges(Emit& emit) {
    const ReadWriteSets& read_write_sets = relations_.read_write_sets;
    const bool shown_only = shape_.data == GraphShape::Data::ShownWrites;
    if (shown_only)
      for (const ContestedAppends& pair : relations_.contested) write_edge(pair.from, pair.to, emit);
    for (std::size_t v = history_.key_count(); v < read_write_sets.versions.size(); ++v) {
      const Version version = read_write_sets.versions[v];
      if (shown_only && !relations_.order_is_shown(history_.key(read_write_sets.write_operation[v])))
        continue;
      if (!version.overwriter.is_none()) write_edge(version.writer, version.overwriter, emit);
      if (later_.rows() == 0) continue;
      for (const TransactionId later : later_[v]) write_edge(version.writer, later, emit);
    }
  }

  template <class Emit>
  void write_edge(TransactionId from, TransactionId to, Emit& emit) {
    if (from != to)
      emit(vertices_.commit(from), shape_.writes_may_overlap ? vertices_.commit(to) : vertices_.begin(to));
  }

  const History& history_;
  const Relations& relations_;
  GraphShape shape_;
  VertexMap vertices_;
  LaterWriters later_;
  HelperVertices helpers_;
  OrderEdges orders_;
  Budget& budget_;
};

// Finds the reasons why one transaction must precede another from the relations.
class Reasons {
 public:
  Reasons(const History& history, const Relations& relations, TransactionId from, TransactionId to)
      : history_(history), relations_(relations), sets_(relations.read_write_sets), from_(from), to_(to) {}

  std::vector<Edge> all() {
    for (const Access& access : sets_.of(to_)) add_write_dependencies(access);
    for (const Access& access : sets_.of(to_))
      add_read_dependency(access.key, access.read, sets_.read_of(access));
    for (const RepeatedRead& again : repeated_by(to_))
      add_read_dependency(again.key, again.version, again.read);
    for (const Access& access : sets_.of(from_))
      add_anti_dependency(access.key, access.read, sets_.read_of(access));
    for (const RepeatedRead& again : repeated_by(from_))
      add_anti_dependency(again.key, again.version, again.read);
    return std::move(edges_);
  }

 private:
  OperationId write_of(VersionId version) const { return sets_.write_operation[version.index]; }
  std::span<const RepeatedRead> repeated_by(TransactionId t) const {
    return equal_span(relations_.repeated_reads, t, &RepeatedRead::transaction);
  }
  bool is_list(VersionId version) const { return history_.kind(write_of(version)) == OperationKind::Append; }

  // Every version of a key that a transaction wrote: at most one for a register.
  std::vector<VersionId> versions_of(TransactionId t, KeyId key) const {
    std::vector<VersionId> versions;
    for (const EarlierVersion& earlier : equal_span(relations_.earlier_versions, t, &EarlierVersion::writer))
      if (earlier.key == key) versions.push_back(earlier.version);
    if (const Access* access = sets_.access(t, key); access != nullptr && !access->written.is_none())
      versions.push_back(access->written);
    return versions;
  }

  bool follows(VersionId version) const {
    return sets_.versions[version.index].overwriter == to_ ||
           std::ranges::count(relations_.later_writers(version), to_) > 0;
  }

  // The first write of `to` after `version`. Seen versions of a list are numbered in list order, and the
  // only unseen one of a transaction is its last.
  OperationId overwriting(KeyId key, VersionId version) const {
    VersionId first = VersionId::none(), last = VersionId::none();
    for (const VersionId candidate : versions_of(to_, key)) {
      last = candidate;
      if (is_list(candidate) && candidate <= version) continue;
      if (first.is_none() || candidate < first) first = candidate;
    }
    if (!first.is_none()) return write_of(first);
    return last.is_none() ? OperationId::none() : write_of(last);
  }

  // The order of two writes of a register is known because the second writer had read the first.
  void add_write_dependencies(const Access& access) {
    if (access.written.is_none()) return;
    for (const VersionId version : versions_of(from_, access.key)) {
      const bool had_read = access.read == version && !is_list(version);
      if (!had_read && !(relations_.has_separate_writes && follows(version))) continue;
      const OperationId later = overwriting(access.key, version);
      if (from_ != to_ && !later.is_none())
        edges_.push_back({from_, to_, EdgeKind::WriteWrite, access.key, write_of(version), later,
                          had_read ? sets_.read_of(access) : OperationId::none()});
    }
  }

  void add_read_dependency(KeyId key, VersionId version, OperationId read) {
    if (version.is_none() || sets_.versions[version.index].writer != from_) return;
    edges_.push_back({from_, to_, EdgeKind::WriteRead, key, write_of(version), read});
  }

  // What `to` overwrote of what `from` had read.
  void add_anti_dependency(KeyId key, VersionId version, OperationId read) {
    if (version.is_none() || from_ == to_ || !follows(version)) return;
    const OperationId later = overwriting(key, version);
    if (later.is_none()) return;
    const Access* overwriter = sets_.access(to_, key);
    const bool same_version = history_.kind(later) != OperationKind::Append && overwriter->read == version;
    edges_.push_back({from_, to_, EdgeKind::ReadWrite, key, read, later,
                      same_version ? sets_.read_of(*overwriter) : OperationId::none()});
  }

  const History& history_;
  const Relations& relations_;
  const ReadWriteSets& sets_;
  TransactionId from_, to_;
  std::vector<Edge> edges_;
};

// The version at which the edge starts: what `from` left behind or saw.
VersionId earlier_version(const Relations& relations, const Edge& edge) {
  const Access* access = relations.read_write_sets.access(edge.from, edge.key);
  if (access == nullptr) return VersionId::none();
  if (edge.kind == EdgeKind::WriteWrite) return access->written;
  if (relations.read_write_sets.read_of(*access) == edge.from_op) return access->read;
  const auto again = std::ranges::find(relations.repeated_reads, edge.from_op, &RepeatedRead::read);
  return again == relations.repeated_reads.end() ? VersionId::none() : again->version;
}

}  // namespace

std::optional<CsrGraph> dependency_graph(const History& history, const Relations& relations, GraphShape shape,
                                         Budget& budget) {
  EdgeSource source(history, relations, shape, budget);
  return build_graph_unless_ascending(source.vertex_count(), source);
}

CsrGraph whole_dependency_graph(const History& history, const Relations& relations, GraphShape shape,
                                Budget& budget) {
  EdgeSource source(history, relations, shape, budget);
  return build_graph(source.vertex_count(), source);
}

void explain_orders(const History& history, GraphShape shape, TransactionId from, TransactionId to,
                    std::vector<Edge>& edges) {
  if (shape.session_order && history.session(from) == history.session(to) && from < to)
    edges.push_back({from, to, EdgeKind::Session});
  if (shape.real_time && history.outcome(from) == Outcome::Committed &&
      history.interval(from).end < history.interval(to).begin)
    edges.push_back({from, to, EdgeKind::RealTime});
}

void cite_hints(const Relations& relations, std::vector<Edge>& edges) {
  if (relations.hinted.empty()) return;
  for (Edge& edge : edges) {
    const bool ordered = edge.kind == EdgeKind::WriteWrite || edge.kind == EdgeKind::ReadWrite;
    if (!ordered || !edge.to_read.is_none()) continue;
    const VersionId earlier = earlier_version(relations, edge);
    const Access* access = relations.read_write_sets.access(edge.to, edge.key);
    if (earlier.is_none() || access == nullptr || access->written.is_none()) continue;
    const auto pair = [](const HintedVersions& hint) { return std::pair(hint.earlier, hint.later); };
    const auto found =
        std::ranges::lower_bound(relations.hinted, std::pair(earlier, access->written), {}, pair);
    if (found == relations.hinted.end() || pair(*found) != std::pair(earlier, access->written)) continue;
    edge.basis = found->reason.basis;
    edge.seen_earlier = found->reason.seen_earlier;
    edge.seen_later = found->reason.seen_later;
  }
}

std::vector<Edge> explain_edge(const History& history, const Relations& relations, GraphShape shape,
                               TransactionId from, TransactionId to) {
  std::vector<Edge> edges = Reasons(history, relations, from, to).all();
  cite_hints(relations, edges);
  explain_orders(history, shape, from, to, edges);
  return edges;
}

}  // namespace serval
