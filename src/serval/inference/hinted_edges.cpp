#include "serval/inference/hinted_edges.h"

#include <algorithm>
#include <utility>

namespace serval {
namespace {

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

}  // namespace serval
