#include "serval/check/name_cycle.h"

#include <algorithm>

namespace serval {
namespace {

std::ptrdiff_t count(const std::vector<Edge>& edges, EdgeKind kind) {
  return std::ranges::count(edges, kind, &Edge::kind);
}

bool has_adjacent_anti_dependencies(const std::vector<Edge>& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].kind == EdgeKind::ReadWrite && edges[(i + 1) % edges.size()].kind == EdgeKind::ReadWrite)
      return true;
  }
  return false;
}

// T1 -wr(x)-> T2 -rw(y)-> T1: T2 saw one of T1's writes and missed another. If it saw first and missed later, its reads
// went back in time; the other way round it merely saw half of T1.
AnomalyKind name_half_seen_writer(const Edge& seen, const Edge& missed) {
  return seen.to_op < missed.from_op ? AnomalyKind::NonMonotonicRead : AnomalyKind::FracturedRead;
}

AnomalyKind name_single_anti_dependency(const std::vector<Edge>& edges) {
  if (edges.size() > 2)
    return count(edges, EdgeKind::WriteWrite) > 0 ? AnomalyKind::ReadSkew : AnomalyKind::CausalityViolation;
  const bool missed_first = edges[0].kind == EdgeKind::ReadWrite;
  const Edge& missed = edges[missed_first ? 0 : 1];
  const Edge& other = edges[missed_first ? 1 : 0];
  if (other.kind == EdgeKind::Session) return AnomalyKind::SessionGuaranteeViolation;
  if (other.kind == EdgeKind::WriteRead) return name_half_seen_writer(other, missed);
  return AnomalyKind::ReadSkew;
}

}  // namespace

AnomalyKind name_cycle(const std::vector<Edge>& edges) {
  if (count(edges, EdgeKind::RealTime) > 0) return AnomalyKind::RealTimeViolation;
  const std::ptrdiff_t anti = count(edges, EdgeKind::ReadWrite);
  if (anti == 0 && count(edges, EdgeKind::WriteWrite) == static_cast<std::ptrdiff_t>(edges.size()))
    return AnomalyKind::DirtyWrite;
  if (anti == 0) return AnomalyKind::CyclicInformationFlow;
  if (anti == 1) return name_single_anti_dependency(edges);
  if (!has_adjacent_anti_dependencies(edges))
    return anti == 2 && edges.size() == 4 ? AnomalyKind::LongFork : AnomalyKind::NonAdjacentAntiDependency;
  return edges.size() == 2 ? AnomalyKind::WriteSkew : AnomalyKind::AntiDependencyCycle;
}

}  // namespace serval
