#include "serval/check/dependency/name_cycle.h"

#include <algorithm>
#include <initializer_list>

#include "serval/base/contract.h"

namespace serval {
namespace {

using enum EdgeKind;

std::uint32_t count(const std::vector<Edge>& edges, EdgeKind kind) {
  return static_cast<std::uint32_t>(std::ranges::count(edges, kind, &Edge::kind));
}

bool has_adjacent_anti_dependencies(const std::vector<Edge>& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].kind == ReadWrite && edges[(i + 1) % edges.size()].kind == ReadWrite) return true;
  }
  return false;
}

CycleShape shape_of(const std::vector<Edge>& edges) {
  return {.write_write = count(edges, WriteWrite),
          .write_read = count(edges, WriteRead),
          .read_write = count(edges, ReadWrite),
          .session = count(edges, Session),
          .real_time = count(edges, RealTime),
          .adjacent_read_writes = has_adjacent_anti_dependencies(edges),
          .predicate_read_writes = std::ranges::any_of(
              edges, [](const Edge& edge) { return edge.of_predicate && edge.kind == ReadWrite; })};
}

// A cycle with exactly one anti-dependency, rotated so that it comes last: the missed transaction, how
// it became visible to the reader, and the read that missed it.
class SingleAntiDependency {
 public:
  explicit SingleAntiDependency(const std::vector<Edge>& edges) : edges_(edges) {
    const auto missed = std::ranges::find(edges, ReadWrite, &Edge::kind);
    expects(missed != edges.end(), "a cycle with an anti-dependency");
    std::rotate_copy(edges.begin(), missed + 1, edges.end(), edges_.begin());
  }

  const Edge& missed() const { return edges_.back(); }
  const Edge& last_observation() const { return edges_[edges_.size() - 2]; }
  std::size_t size() const { return edges_.size(); }

  bool has_way(std::initializer_list<EdgeKind> kinds) const {
    return std::equal(edges_.begin(), edges_.end() - 1, kinds.begin(), kinds.end(),
                      [](const Edge& edge, EdgeKind kind) { return edge.kind == kind; });
  }
  bool way_is_all(EdgeKind kind) const {
    return std::all_of(edges_.begin(), edges_.end() - 1,
                       [kind](const Edge& edge) { return edge.kind == kind; });
  }
  bool is_about_one_key() const {
    return std::ranges::all_of(edges_, [&](const Edge& edge) { return edge.key == missed().key; });
  }
  // The reader first saw it and later missed it: its reads went back in time (Adya's G-monotonic).
  bool went_back() const {
    return last_observation().kind == WriteRead && last_observation().to_op < missed().from_op;
  }

 private:
  std::vector<Edge> edges_;
};

AnomalyKind name_data_cycle(const SingleAntiDependency& cycle) {
  if (cycle.way_is_all(WriteWrite) && cycle.is_about_one_key()) return AnomalyKind::CursorLostUpdate;
  if (cycle.has_way({WriteRead}))
    return cycle.went_back() ? AnomalyKind::NonMonotonicRead : AnomalyKind::FracturedRead;
  if (cycle.way_is_all(WriteRead)) return AnomalyKind::CausalityViolation;
  return cycle.went_back() ? AnomalyKind::NonMonotonicView : AnomalyKind::ReadSkew;
}

AnomalyKind name_session_cycle(const SingleAntiDependency& cycle) {
  if (cycle.has_way({Session})) return AnomalyKind::ReadYourWritesViolation;
  if (cycle.has_way({WriteRead, Session})) return AnomalyKind::MonotonicReadsViolation;
  if (cycle.has_way({Session, WriteRead})) return AnomalyKind::MonotonicWritesViolation;
  if (cycle.has_way({WriteRead, Session, WriteRead})) return AnomalyKind::WritesFollowReadsViolation;
  return AnomalyKind::ReadSkewSession;
}

}  // namespace

AnomalyKind name_cycle(const std::vector<Edge>& edges) {
  const CycleShape shape = shape_of(edges);
  const AnomalyKind by_class = class_of(shape);
  // The other names of shapes only apply to items.
  if (std::ranges::any_of(edges, &Edge::of_predicate)) {
    const bool skew = edges.size() == 2 && std::ranges::all_of(edges, &Edge::of_predicate);
    return by_class == AnomalyKind::PhantomCycle && skew ? AnomalyKind::PredicateWriteSkew : by_class;
  }
  switch (by_class) {
    case AnomalyKind::ReadSkew:
      return name_data_cycle(SingleAntiDependency(edges));
    case AnomalyKind::ReadSkewSession:
      return name_session_cycle(SingleAntiDependency(edges));
    case AnomalyKind::NonAdjacentAntiDependency:
      return edges.size() == 4 && shape.write_read == 2 ? AnomalyKind::LongFork : by_class;
    case AnomalyKind::AntiDependencyCycle:
      return edges.size() == 2 ? AnomalyKind::WriteSkew : by_class;
    default:
      return by_class;
  }
}

}  // namespace serval
