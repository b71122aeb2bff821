#include "serval/verify/violation.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "serval/verify/certificate.h"
#include "serval/verify/holds.h"
#include "serval/verify/name.h"

namespace serval::verify {
namespace {

enum class Family { Serializable, Snapshot, Weaker };

Family family_of(Level level) {
  switch (level) {
    case Level::Serializable:
    case Level::StrongSessionSerializable:
    case Level::StrictSerializable:
    case Level::Linearizable:
      return Family::Serializable;
    case Level::SnapshotIsolation:
    case Level::StrongSessionSnapshotIsolation:
    case Level::StrongSnapshotIsolation:
      return Family::Snapshot;
    default:
      return Family::Weaker;
  }
}

bool is_uncommitted(Level level) {
  return level == Level::ReadUncommitted || level == Level::StrongSessionReadUncommitted ||
         level == Level::StrongReadUncommitted;
}

Flaw flaw_of_order_edges(Level level, const Cycle& cycle) {
  const bool sessions = uses_session_order(level) && level != Level::Linearizable;
  if (!sessions && count_edges(cycle, EdgeKind::Session) > 0)
    return fmt::format("{} does not use session order", name_of(level));
  if (!uses_real_time(level) && count_edges(cycle, EdgeKind::RealTime) > 0)
    return fmt::format("{} does not use real time", name_of(level));
  return std::nullopt;
}

// Of two writers of one key, the earlier need not be visible to the later. So a reader precedes what it
// misses only if something before made it begin: a read dependency or session order.
Flaw flaw_of_prefix_shape(const Cycle& cycle) {
  const std::size_t size = cycle.edges.size();
  for (std::size_t i = 0; i < size; ++i) {
    const EdgeKind before = cycle.edges[(i + size - 1) % size].kind;
    if (cycle.edges[i].kind == EdgeKind::ReadWrite && before != EdgeKind::WriteRead &&
        before != EdgeKind::Session)
      return "prefix-consistency allows an anti-dependency that follows no read and no session step";
  }
  return std::nullopt;
}

bool has_predicate_anti_dependency(const Cycle& cycle) {
  return std::ranges::any_of(
      cycle.edges, [](const Edge& edge) { return edge.of_predicate && edge.kind == EdgeKind::ReadWrite; });
}

// What one anti-dependency means below snapshot isolation. Repeatable read forbids all on items.
bool forbids_anti_dependencies(Level level, const Cycle& cycle) {
  const bool one = anti_dependencies(cycle) == AntiDependencies::One;
  switch (level) {
    case Level::RepeatableRead:
      return !has_predicate_anti_dependency(cycle);
    case Level::ConsistentView:
    case Level::ParallelSnapshotIsolation:
      return one;
    case Level::MonotonicView:
      return one && reads_go_back(cycle);
    case Level::CursorStability:
      return !flaw_of_name(AnomalyKind::CursorLostUpdate, cycle);
    default:
      return false;
  }
}

// The reader wrote the version after the one it had read. Without read dependencies, nothing orders these
// two writes.
bool rests_on_a_read(const Edge& edge) {
  return edge.kind == EdgeKind::WriteWrite && !edge.to_read.is_none();
}

// Below snapshot isolation: every level from read-committed up orders a write before its reads, so
// cycles without anti-dependencies are never allowed.
Flaw flaw_of_weak_shape(const Facts& facts, Level level, const Cycle& cycle) {
  if (contradicts(facts, level, cycle)) return std::nullopt;
  if (!cycle.visibility_paths.empty()) return fmt::format("{} ignores what readers saw", name_of(level));
  if (shown_by_version_order(level)) return fmt::format("a cycle does not refute {}", name_of(level));
  if (is_uncommitted(level) && count_edges(cycle, EdgeKind::WriteRead) > 0)
    return fmt::format("{} forbids no cycles of read dependencies", name_of(level));
  if (is_uncommitted(level) && std::ranges::any_of(cycle.edges, rests_on_a_read))
    return fmt::format("at {} a read does not order writes", name_of(level));
  if (level == Level::PrefixConsistency) return flaw_of_prefix_shape(cycle);
  if (count_edges(cycle, EdgeKind::ReadWrite) == 0 || forbids_anti_dependencies(level, cycle))
    return std::nullopt;
  return fmt::format("a cycle with such anti-dependencies is not known to violate {}", name_of(level));
}

Flaw flaw_of_shape(const Facts& facts, Level level, AnomalyKind, const Cycle& cycle) {
  if (Flaw flaw = flaw_of_order_edges(level, cycle)) return flaw;
  if (!cycle.visibility_paths.empty()) return flaw_of_weak_shape(facts, level, cycle);
  switch (family_of(level)) {
    case Family::Serializable:
      return std::nullopt;
    case Family::Snapshot:
      if (anti_dependencies(cycle) != AntiDependencies::Adjacent) return std::nullopt;
      return fmt::format("two anti-dependencies in a row are allowed at {}", name_of(level));
    case Family::Weaker:
      return flaw_of_weak_shape(facts, level, cycle);
  }
  return std::nullopt;
}

Flaw flaw_of_shape(const Facts&, Level level, AnomalyKind kind, const BadRead&) {
  if (family_of(level) != Family::Weaker || forbids(level, kind)) return std::nullopt;
  return fmt::format("{} allows {}", name_of(level), name_of(kind));
}

// For the other kinds of evidence. If versions are cyclic, no execution satisfies the assumption, at any
// level.
template <class Evidence>
Flaw flaw_of_shape(const Facts&, Level level, AnomalyKind kind, const Evidence&) {
  if (forbids(level, kind)) return std::nullopt;
  return fmt::format("{} allows {}", name_of(level), name_of(kind));
}

Flaw flaw_of_shape(const Facts&, Level level, AnomalyKind, const Divergence&) {
  if (implies(level, Level::CursorStability)) return std::nullopt;
  return fmt::format("{} allows two updates of one version", name_of(level));
}

// Every case must end in a cycle that the level forbids.
Flaw flaw_of_shape(const Facts& facts, Level level, AnomalyKind kind, const Contradiction& claim) {
  for (const Contradiction::Node& node : claim.nodes)
    if (!node.cycle.empty())
      if (Flaw flaw = flaw_of_shape(facts, level, kind, Cycle{node.cycle})) return flaw;
  return std::nullopt;
}

Flaw flaw_of_shape(const Facts&, Level level, AnomalyKind, const ChainBreak& chain) {
  if (family_of(level) != Family::Serializable)
    return fmt::format("a broken chain does not refute {}", name_of(level));
  if (chain.rule != ChainBreak::Rule::RealTime || uses_real_time(level)) return std::nullopt;
  return fmt::format("{} does not use real time", name_of(level));
}

// Evidence against a level also refutes every level that implies it.
Flaw flaw_of_judgement(const Facts& facts, Level level, const Anomaly& anomaly) {
  const auto judge = [&](Level judged) {
    return std::visit(
        [&](const auto& evidence) { return flaw_of_shape(facts, judged, anomaly.kind, evidence); },
        anomaly.evidence);
  };
  const Flaw flaw = judge(level);
  const auto refutes = [&](const LevelInfo& row) { return implies(level, row.level) && !judge(row.level); };
  return flaw && std::ranges::none_of(all_levels(), refutes) ? flaw : std::nullopt;
}

bool writes(const History& history, OperationId op, KeyId key) {
  if (!is_predicate(history.kind(op)))
    return history.key(op) == key && value_written(history, op).has_value();
  return history.kind(op) != OperationKind::PredicateRead &&
         std::ranges::any_of(history.rows(op), [key](const Row& row) { return row.key == key; });
}

// Read if there is none.
OperationKind first_write_of(const History& history, TransactionId t, KeyId key) {
  for (const OperationId op : history.operations(t))
    if (writes(history, op, key)) return history.kind(op);
  return OperationKind::Read;
}

// With a certificate, at the snapshot levels and below: a row inserted under the key of a deleted row is
// a different object. The delete comes first but need not be visible, so what is not visible to the
// inserter may come before the delete.
Flaw flaw_of_reinserted_rows(const History& history, Level level, const Anomaly& anomaly) {
  const auto* cycle = std::get_if<Cycle>(&anomaly.evidence);
  const bool allows = family_of(level) == Family::Snapshot || implies(Level::SnapshotIsolation, level);
  if (cycle == nullptr || !allows) return std::nullopt;
  for (std::size_t i = 0; i < cycle->edges.size(); ++i) {
    const Edge& edge = cycle->edges[i];
    const bool writes = edge.kind == EdgeKind::WriteWrite || edge.kind == EdgeKind::WriteRead;
    if (!writes || edge.of_predicate || edge.from_op.is_none()) continue;
    const OperationKind from = history.kind(edge.from_op);
    const bool deletes = from == OperationKind::Delete || from == OperationKind::PredicateDelete;
    const OperationKind first = edge.kind == EdgeKind::WriteWrite ? first_write_of(history, edge.to, edge.key)
                                                                  : history.kind(edge.to_op);
    const bool makes = first == OperationKind::Insert ||
                       (edge.kind == EdgeKind::WriteWrite && first == OperationKind::Write);
    if (deletes && makes && cycle->edges[(i + 1) % cycle->edges.size()].kind == EdgeKind::ReadWrite)
      return fmt::format("edge {}: the row is a new object, so the delete need not be visible", i + 1);
  }
  return std::nullopt;
}

Flaw flaw_of_counts(const Violated& claim) {
  std::map<AnomalyKind, std::uint64_t> shown;
  for (const Anomaly& anomaly : claim.anomalies) ++shown[anomaly.kind];
  for (const auto& [kind, number] : shown) {
    const auto counted = claim.counts.find(kind);
    if (counted == claim.counts.end() || counted->second < number)
      return fmt::format("shows {} of {} but counts fewer", number, name_of(kind));
  }
  return std::nullopt;
}

}  // namespace

Flaw flaw_of(const Facts& facts, Level level, const Violated& claim) {
  if (claim.anomalies.empty()) return "a violation without an anomaly";
  const bool certified = std::ranges::all_of(claim.anomalies, is_certified);
  std::optional<CertifiedFacts> by_certificate;
  if (certified) by_certificate.emplace(facts.history());
  for (std::size_t i = 0; i < claim.anomalies.size(); ++i) {
    const Anomaly& anomaly = claim.anomalies[i];
    const auto prove = [&]<class E>(const E& evidence) -> Flaw {
      if constexpr (std::is_same_v<E, Cycle> || std::is_same_v<E, BadRow>)
        if (by_certificate) return flaw_of_certified(*by_certificate, anomaly.kind, evidence);
      if constexpr (std::is_same_v<E, BadRow>)
        return "rests on a certificate, unlike other anomalies of the verdict";
      else
        return flaw_of(facts, anomaly.kind, evidence);
    };
    if (const Flaw flaw = std::visit(prove, anomaly.evidence))
      return fmt::format("anomaly {} ({}): {}", i + 1, name_of(anomaly.kind), *flaw);
  }
  const Anomaly& first = claim.anomalies.front();
  const auto* dispute = std::get_if<OrderConflict>(&first.evidence);
  if (dispute != nullptr && shown_by_version_order(level) &&
      !lists_with_repeated_appends(facts)[dispute->key.index])
    return flaw_of_counts(claim);
  if (by_certificate)
    if (const Flaw flaw = flaw_of_reinserted_rows(facts.history(), level, first))
      return fmt::format("anomaly 1 ({}): {}", name_of(first.kind), *flaw);
  if (const Flaw flaw = flaw_of_judgement(facts, level, first))
    return fmt::format("anomaly 1 ({}): {}", name_of(first.kind), *flaw);
  return flaw_of_counts(claim);
}

Flaw flaw_of_participation(const Facts& facts, TransactionId t) {
  if (!facts.has(t)) return "cites a transaction that does not exist";
  if (facts.participates(t)) return std::nullopt;
  const bool aborted = facts.history().outcome(t) == Outcome::Aborted;
  return fmt::format("{} {}", name(facts.history(), t),
                     aborted ? "aborted" : "is indeterminate and was not read");
}

namespace {

Flaw flaw_of_access(const Facts& facts, TransactionId t, KeyId key, OperationId op) {
  const History& history = facts.history();
  if (!facts.belongs(op, t)) return fmt::format("cites an operation that {} does not have", name(history, t));
  if (is_predicate(history.kind(op))) return "cites a predicate operation";
  if (history.key(op) != key) {
    const bool exists = key.index < history.key_count();
    return fmt::format("{} is not about {}", print_in_transaction(history, op),
                       exists ? history.format_key(key) : "any key of the history");
  }
  if (facts.lists().written_by_predicates(key))
    return "the writers of a key that predicates write are unknown";
  return std::nullopt;
}

}  // namespace

Flaw flaw_of_read(const Facts& facts, TransactionId t, KeyId key, OperationId op) {
  if (Flaw flaw = flaw_of_access(facts, t, key, op)) return flaw;
  if (value_read(facts.history(), op)) return std::nullopt;
  return fmt::format("{} does not read", print_in_transaction(facts.history(), op));
}

Flaw flaw_of_write(const Facts& facts, TransactionId t, KeyId key, OperationId op) {
  if (Flaw flaw = flaw_of_access(facts, t, key, op)) return flaw;
  if (value_written(facts.history(), op)) return std::nullopt;
  return fmt::format("{} does not write", print_in_transaction(facts.history(), op));
}

}  // namespace serval::verify
