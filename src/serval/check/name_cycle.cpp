#include "serval/check/name_cycle.h"

#include <algorithm>

namespace serval {
namespace {

std::uint32_t count(const std::vector<Edge>& edges, EdgeKind kind) {
  return static_cast<std::uint32_t>(std::ranges::count(edges, kind, &Edge::kind));
}

bool has_adjacent_anti_dependencies(const std::vector<Edge>& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].kind == EdgeKind::ReadWrite && edges[(i + 1) % edges.size()].kind == EdgeKind::ReadWrite)
      return true;
  }
  return false;
}

CycleShape shape_of(const std::vector<Edge>& edges) {
  return {.write_write = count(edges, EdgeKind::WriteWrite),
          .write_read = count(edges, EdgeKind::WriteRead),
          .read_write = count(edges, EdgeKind::ReadWrite),
          .session = count(edges, EdgeKind::Session),
          .real_time = count(edges, EdgeKind::RealTime),
          .adjacent_read_writes = has_adjacent_anti_dependencies(edges)};
}

// T1 -wr(x)-> T2 -rw(y)-> T1: T2 saw one of T1's writes and missed another. If it saw first and missed later,
// its reads went back in time; the other way round it merely saw half of T1.
AnomalyKind name_half_seen_writer(const Edge& seen, const Edge& missed) {
  return seen.to_op < missed.from_op ? AnomalyKind::NonMonotonicRead : AnomalyKind::FracturedRead;
}

AnomalyKind name_single_anti_dependency(const std::vector<Edge>& edges) {
  if (edges.size() > 2)
    return count(edges, EdgeKind::WriteWrite) > 0 ? AnomalyKind::ReadSkew : AnomalyKind::CausalityViolation;
  const bool missed_first = edges[0].kind == EdgeKind::ReadWrite;
  const Edge& missed = edges[missed_first ? 0 : 1];
  const Edge& other = edges[missed_first ? 1 : 0];
  if (other.kind == EdgeKind::WriteRead) return name_half_seen_writer(other, missed);
  return AnomalyKind::ReadSkew;
}

}  // namespace

AnomalyKind name_cycle(const std::vector<Edge>& edges) {
  const CycleShape shape = shape_of(edges);
  const AnomalyKind by_class = class_of(shape);
  if (shape.session > 0 || shape.real_time > 0) return by_class;
  switch (by_class) {
    case AnomalyKind::ReadSkew:
      return name_single_anti_dependency(edges);
    case AnomalyKind::NonAdjacentAntiDependency:
      return edges.size() == 4 ? AnomalyKind::LongFork : by_class;
    case AnomalyKind::AntiDependencyCycle:
      return edges.size() == 2 ? AnomalyKind::WriteSkew : by_class;
    default:
      return by_class;
  }
}

}  // namespace serval
