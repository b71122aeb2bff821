#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "serval/verify/holds.h"
#include "serval/verify/violation.h"

namespace serval::verify {
namespace {

std::string format(const std::vector<Edge>& path) {
  std::string kinds;
  for (const Edge& edge : path) kinds.append(kinds.empty() ? "" : " ").append(name_of(edge.kind));
  return kinds;
}

bool consists_of(const std::vector<Edge>& edges, std::initializer_list<EdgeKind> kinds) {
  return std::ranges::all_of(
      edges, [&](const Edge& edge) { return std::ranges::find(kinds, edge.kind) != kinds.end(); });
}

// Whether a reader to which a transaction is visible through `path` (edges of so and wr), and which then
// performed `read`, must at `level` see that transaction's writes or later ones.
bool obliges(Level level, const std::vector<Edge>& path, OperationId read) {
  const std::string way = format(path);
  switch (level) {
    case Level::MonotonicAtomicView:
    case Level::ReadCommittedMonotonic:
      return way == "wr" && path[0].to_op < read;
    case Level::ReadAtomic:
      return way == "wr" || way == "so";
    case Level::Causal:
      return !path.empty() && consists_of(path, {EdgeKind::Session, EdgeKind::WriteRead});
    case Level::ReadYourWrites:
      return way == "so";
    case Level::MonotonicReads:
      return way == "wr so";
    case Level::MonotonicWrites:
      return way == "so wr";
    case Level::WritesFollowReads:
      return way == "wr so wr";
    case Level::Pram:
      return way == "so" || way == "wr so" || way == "so wr" || way == "so wr so";
    default:
      return false;
  }
}

bool all_oblige(Level level, const Cycle& cycle) {
  return std::ranges::all_of(cycle.visibility_paths, [&](const VisibilityPath& visibility_path) {
    return obliges(level, visibility_path.path, cycle.edges[visibility_path.edge].to_read);
  });
}

// Whether the reader misses a transaction that must be visible to it, as the rest of the cycle shows.
bool misses_what_it_saw(Level level, const Cycle& cycle) {
  const auto missed = std::ranges::find(cycle.edges, EdgeKind::ReadWrite, &Edge::kind);
  if (missed == cycle.edges.end() || !cycle.visibility_paths.empty()) return false;
  // Only commit orders contain reads-from, so only there does overwriting a version that was read
  // install a later one.
  if (shown_by_version_order(level) && !missed->to_read.is_none()) return false;
  std::vector<Edge> path(missed + 1, cycle.edges.end());
  path.insert(path.end(), cycle.edges.begin(), missed);
  return consists_of(path, {EdgeKind::Session, EdgeKind::WriteRead}) && obliges(level, path, missed->from_op);
}

bool has_no_order(Level level, const Cycle& cycle) {
  if (!all_oblige(level, cycle)) return false;
  if (shown_by_commit_order(level)) {
    const bool sessions = uses_session_order(level);
    return consists_of(cycle.edges, {EdgeKind::WriteWrite, EdgeKind::WriteRead, EdgeKind::CommitOrder,
                                     sessions ? EdgeKind::Session : EdgeKind::CommitOrder});
  }
  // A write dependency derived from a read before an update does not order versions here; one that is
  // shown does.
  return std::ranges::all_of(cycle.edges, [&](const Edge& edge) {
    const bool of_versions =
        edge.kind == EdgeKind::CommitOrder || (edge.kind == EdgeKind::WriteWrite && edge.to_read.is_none());
    return of_versions && edge.key == cycle.edges.front().key;
  });
}

// A transaction's version of a list ends with its last append, which may be ordered differently from its
// earlier appends.
bool orders_versions(const Facts& facts, const Edge& edge) {
  return edge.kind != EdgeKind::WriteWrite || !facts.is_list(edge.key) ||
         facts.lists().certainly_before(facts.final_write(edge.from_op), facts.final_write(edge.to_op),
                                        facts.participants());
}

}  // namespace

bool contradicts(const Facts& facts, Level level, const Cycle& cycle) {
  return std::ranges::any_of(all_levels(), [&](const LevelInfo& row) {
    if (!implies(level, row.level) ||
        !(shown_by_commit_order(row.level) || shown_by_version_order(row.level)))
      return false;
    if (misses_what_it_saw(row.level, cycle)) return true;
    const auto orders = [&](const Edge& edge) {
      return shown_by_commit_order(row.level) || orders_versions(facts, edge);
    };
    return has_no_order(row.level, cycle) && std::ranges::all_of(cycle.edges, orders);
  });
}

Flaw flaw_of_forced_name(AnomalyKind kind, const Cycle& cycle) {
  const auto shown_at = [&](Level level) { return has_no_order(level, cycle); };
  const auto reads_only = [](const VisibilityPath& visibility_path) {
    return consists_of(visibility_path.path, {EdgeKind::WriteRead});
  };
  const bool data_only = std::ranges::all_of(cycle.visibility_paths, reads_only) &&
                         std::ranges::find(cycle.edges, EdgeKind::Session, &Edge::kind) == cycle.edges.end();
  const bool fits = kind == AnomalyKind::NonMonotonicRead           ? shown_at(Level::MonotonicAtomicView)
                    : kind == AnomalyKind::FracturedRead            ? data_only && shown_at(Level::ReadAtomic)
                    : kind == AnomalyKind::CausalityViolation       ? data_only && shown_at(Level::Causal)
                    : kind == AnomalyKind::ReadYourWritesViolation  ? shown_at(Level::ReadYourWrites)
                    : kind == AnomalyKind::MonotonicReadsViolation  ? shown_at(Level::MonotonicReads)
                    : kind == AnomalyKind::MonotonicWritesViolation ? shown_at(Level::MonotonicWrites)
                    : kind == AnomalyKind::WritesFollowReadsViolation ? shown_at(Level::WritesFollowReads)
                    : kind == AnomalyKind::ReadSkewSession            ? !data_only && shown_at(Level::Causal)
                                                                      : false;
  return fits ? std::nullopt : Flaw(fmt::format("its edges do not have the shape of {}", name_of(kind)));
}

}  // namespace serval::verify
