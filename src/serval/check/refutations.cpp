#include "serval/check/refutations.h"

#include <algorithm>

#include "serval/check/dependency/dependency_levels.h"
#include "serval/check/new_rows.h"

namespace serval {
namespace {

bool deletes(OperationKind kind) {
  return kind == OperationKind::Delete || kind == OperationKind::PredicateDelete;
}

}  // namespace

bool proves(const CheckResult& result, Level level) {
  return holds(result.verdict) && implies(result.level, level) && !is_denied_by_snapshots(result, level);
}

bool is_denied_by_snapshots(const CheckResult& result, Level level) {
  constexpr AnomalyKind kClaim = AnomalyKind::OutsideSnapshot;
  return result.snapshots_contradicted && forbids(level, kClaim) && !forbids(result.level, kClaim);
}

// Snapshots that a database claims to have taken are the only thing that a stronger level may ignore.
bool refutes_stronger(const CheckResult& result, Level level) {
  const auto& counts = std::get<Violated>(result.verdict).counts;
  return implies(level, result.level) &&
         (implies(result.level, level) ||
          std::ranges::none_of(
              counts, [](const auto& counted) { return concerns_claimed_snapshots(counted.first); }) ||
          std::ranges::any_of(counts, [&](const auto& counted) { return forbids(level, counted.first); }));
}

bool rests_on_certificate(const Anomaly& anomaly) {
  const auto* cycle = std::get_if<Cycle>(&anomaly.evidence);
  const auto certified = [](const Edge& edge) { return edge.basis == OrderBasis::Certificate; };
  return cycle != nullptr && std::ranges::any_of(cycle->edges, certified);
}

Refutations::Refutations(const History& history)
    : has_deletes_(std::ranges::any_of(history.kind_column(), deletes)),
      has_renewed_keys_(has_deletes_ && !renewed_keys(history).empty()) {}

// The cycle classes that the search at a graph level counts refute every level that forbids one of them.
// But with a certificate, a row inserted after a delete is a different object: if transactions have
// snapshots, the delete need not be visible to the inserter (decision 011). So such a cycle refutes
// nothing there, unless the search at a snapshot level has found it.
bool Refutations::shows_forbidden(const CheckResult& result, Level level) const {
  if (!decides_by_graph(result.level)) return false;
  const auto& violation = std::get<Violated>(result.verdict);
  if (has_renewed_keys_ && tells_new_rows_apart(level) && !tells_new_rows_apart(result.level)) return false;
  constexpr Level kSnapshots = Level::StrongSnapshotIsolation;
  if (has_deletes_ && implies(kSnapshots, level) && !implies(kSnapshots, result.level) &&
      std::ranges::any_of(violation.anomalies, rests_on_certificate))
    return false;
  return std::ranges::any_of(violation.counts,
                             [level](const auto& counted) { return forbids(level, counted.first); });
}

bool keep_forbidden(Violated& violation, Level level) {
  const auto allowed = [level](AnomalyKind kind) { return !forbids(level, kind); };
  std::erase_if(violation.anomalies, [&](const Anomaly& anomaly) { return allowed(anomaly.kind); });
  std::erase_if(violation.counts, [&](const auto& counted) { return allowed(counted.first); });
  return !violation.anomalies.empty();
}

std::optional<Violated> violation_of(Level level, const CheckResult& other, const Refutations& refutes) {
  if (!refutes(other, level)) return std::nullopt;
  Violated kept = std::get<Violated>(other.verdict);
  return keep_forbidden(kept, level) ? std::optional(std::move(kept)) : std::nullopt;
}

}  // namespace serval
