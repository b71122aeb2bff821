#include "serval/check/found_anomalies.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "serval/history/notation.h"

namespace serval {
namespace {

// Reads and versions that are wrong by themselves, then cycles without anti-dependencies, then in table
// order: anomalies that refute weak levels come before those that only strong levels forbid.
int severity(const Anomaly& anomaly) {
  switch (anomaly.kind) {
    case AnomalyKind::DirtyWrite:
    case AnomalyKind::CyclicInformationFlow:
      return static_cast<int>(AnomalyKind::CyclicVersions);
    case AnomalyKind::NonRepeatableRead:
      return static_cast<int>(AnomalyKind::CyclicVersions) + 1;
    default:
      return static_cast<int>(anomaly.kind) + (anomaly.kind > AnomalyKind::CyclicVersions ? 2 : 0);
  }
}

Divergence::Branch branch(const ReadWriteSets& read_write_sets, TransactionId t, KeyId key) {
  const Access* const access = read_write_sets.access(t, key);
  return {t, read_write_sets.read_of(*access), read_write_sets.write_operation[access->written.index]};
}

// By severity, but with every kind once before any kind twice.
void sort_for_show(std::vector<Anomaly>& anomalies) {
  std::ranges::stable_sort(anomalies, {}, severity);
  std::map<AnomalyKind, std::uint64_t> seen;
  std::vector<std::pair<std::uint64_t, Anomaly>> rounds;
  for (Anomaly& anomaly : anomalies) {
    const std::uint64_t round = seen[anomaly.kind]++;
    rounds.emplace_back(round, std::move(anomaly));
  }
  std::ranges::stable_sort(rounds, {}, [](const auto& one) { return one.first; });
  for (std::size_t i = 0; i < rounds.size(); ++i) anomalies[i] = std::move(rounds[i].second);
}

}  // namespace

std::string cite(const History& history, OperationId op) {
  return fmt::format("{} in transaction {}", print_operation(history, op),
                     history.format(history.label(history.transaction_of(op))));
}

AnomalyKind anomaly_of(ReadFault fault) {
  switch (fault) {
    case ReadFault::ThinAir:
      return AnomalyKind::ThinAirRead;
    case ReadFault::Aborted:
      return AnomalyKind::AbortedRead;
    case ReadFault::Intermediate:
      return AnomalyKind::IntermediateRead;
    case ReadFault::Future:
      return AnomalyKind::FutureRead;
    case ReadFault::NotMyLastWrite:
      return AnomalyKind::NotMyLastWrite;
    case ReadFault::NotMyOwnWrite:
      return AnomalyKind::NotMyOwnWrite;
    case ReadFault::NonRepeatable:
      return AnomalyKind::NonRepeatableRead;
    case ReadFault::Phantom:
      return AnomalyKind::PhantomRead;
    case ReadFault::Duplicate:
      return AnomalyKind::DuplicateElements;
    case ReadFault::Disordered:
      return AnomalyKind::IncompatibleOrder;
  }
  broken_contract("a fault of the table", __FILE__, __LINE__);
}

std::vector<Anomaly> forbidden_reads(const Relations& relations, Level level) {
  std::vector<Anomaly> anomalies;
  for (const FaultyRead& read : relations.faults) {
    const AnomalyKind kind = anomaly_of(read.fault);
    if (forbids(level, kind)) anomalies.push_back({kind, BadRead{read.reader, read.read, read.source}});
  }
  return anomalies;
}

std::vector<Anomaly> contradicting_versions(const Relations& relations, Level level) {
  std::vector<Anomaly> anomalies;
  if (forbids(level, AnomalyKind::IncompatibleOrder))
    for (const OrderConflict& conflict : relations.order_conflicts)
      anomalies.push_back({AnomalyKind::IncompatibleOrder, conflict});
  if (forbids(level, AnomalyKind::DirtyUpdate))
    for (const DirtyUpdate& update : relations.dirty_updates)
      anomalies.push_back({AnomalyKind::DirtyUpdate, update});
  if (forbids(level, AnomalyKind::CyclicVersions))
    for (const VersionContradiction& contradiction : relations.contradictions)
      anomalies.push_back({AnomalyKind::CyclicVersions, contradiction});
  return anomalies;
}

std::vector<Anomaly> lost_updates(const History& history, const Relations& relations) {
  std::vector<Anomaly> anomalies;
  for (const DivergentWrites& pair : relations.divergences) {
    Divergence divergence{.key = pair.key,
                          .version = relations.read_write_sets.write_operation[pair.version.index],
                          .first = branch(relations.read_write_sets, pair.first, pair.key),
                          .second = branch(relations.read_write_sets, pair.second, pair.key)};
    expects(history.key(divergence.first.read) == pair.key, "a branch reads its key");
    anomalies.push_back({AnomalyKind::LostUpdate, divergence});
  }
  for (const Divergence& pair : relations.repeated_inserts)
    anomalies.push_back({AnomalyKind::LostUpdate, pair});
  return anomalies;
}

Violated make_violated(std::vector<Anomaly> anomalies, const CheckOptions& options) {
  Violated violated;
  for (const Anomaly& anomaly : anomalies) ++violated.counts[anomaly.kind];
  sort_for_show(anomalies);
  if (anomalies.size() > options.max_anomalies)
    anomalies.resize(std::max<std::size_t>(options.max_anomalies, 1));
  violated.anomalies = std::move(anomalies);
  return violated;
}

Undecided cut_short(const BudgetExhausted& exhausted, std::vector<std::string> details) {
  using From = BudgetExhausted::Cause;
  using To = Undecided::Cause;
  const From cause = exhausted.cause();
  return {cause == From::TimeBudget     ? To::TimeBudget
          : cause == From::EffortBudget ? To::EffortBudget
                                        : To::Stopped,
          exhausted.what(), std::move(details), exhausted.phase()};
}

std::string describe_unknown_writes(const History& history, const std::vector<OperationId>& writes) {
  return fmt::format("writes whose value was not recorded: {}, first {}; record what was written",
                     writes.size(), cite(history, writes.front()));
}

Undecided missing_order(const History& history, const Relations& relations) {
  Undecided undecided{
      Undecided::Cause::Precondition, "the order of versions does not follow from the reads", {}};
  const bool ranges = std::ranges::any_of(history.kind_column(), is_predicate);
  if (!relations.open_writes.empty()) {
    undecided.details.push_back(fmt::format(
        "writes not preceded by a read of their key: {}, first {}{}", relations.open_writes.size(),
        cite(history, relations.open_writes.front()), ranges ? "" : "; record a read before each write"));
  }
  if (!relations.ambiguous_reads.empty()) {
    undecided.details.push_back(
        fmt::format("reads of a value that several transactions wrote: {}, first {}; write unique values",
                    relations.ambiguous_reads.size(), cite(history, relations.ambiguous_reads.front())));
  }
  if (relations.has_unsupported()) {
    undecided.cause = Undecided::Cause::NoEngine;
    undecided.reason = "the history has operations whose effects the reads alone do not reveal";
    undecided.details.push_back(fmt::format(
        "operations on ranges, on keys written by ranges, or on keys that are both lists and registers: {}, "
        "first {}",
        relations.read_write_sets.unsupported_count, cite(history, relations.read_write_sets.unsupported)));
  }
  if (ranges && history.certificate().empty())
    undecided.details.emplace_back(
        "a version certificate would decide it: serval run --certificate, if the database can provide one");
  undecided.details.emplace_back("no violation among the known dependencies");
  return undecided;
}

}  // namespace serval
