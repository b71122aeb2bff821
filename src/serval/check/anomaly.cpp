// The table of anomalies. `forbidden_by` is argued row by row in docs/anomalies.md.

#include "serval/check/anomaly.h"

#include <algorithm>
#include <string>

#include "serval/base/contract.h"
#include "serval/base/folded_name.h"

namespace serval {
namespace {

std::vector<AnomalyInfo> read_anomalies() {
  return {
      {.kind = AnomalyKind::ThinAirRead,
       .name = "thin-air-read",
       .adya = "",
       .description = "A transaction read a value that no transaction wrote.",
       .example = "s1: [r(x,7)]",
       .citation = "MTC Table I (a); Plume",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::AbortedRead,
       .name = "aborted-read",
       .adya = "G1a",
       .description = "A transaction read a value that an aborted transaction wrote.",
       .example = "s1: [w(x,1)]!  s2: [r(x,1)]",
       .citation = "Adya 1999, G1a; MTC Table I (b)",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::FutureRead,
       .name = "future-read",
       .adya = "",
       .description = "A transaction read a value that it wrote only later itself.",
       .example = "s1: [r(x,1) w(x,1)]",
       .citation = "MTC Table I (c); Plume",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::NotMyLastWrite,
       .name = "not-my-last-write",
       .adya = "",
       .description = "A transaction read one of its own writes, but not its last one to the key.",
       .example = "s1: [w(x,1) w(x,2) r(x,1)]",
       .citation = "MTC Table I (d); Plume",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::NotMyOwnWrite,
       .name = "not-my-own-write",
       .adya = "",
       .description = "A transaction wrote a key and then read somebody else's value from it.",
       .example = "s1: [w(x,1)]  s2: [w(x,2) r(x,1)]",
       .citation = "MTC Table I (e); Plume",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::IntermediateRead,
       .name = "intermediate-read",
       .adya = "G1b",
       .description = "A transaction read a value that its writer overwrote before it committed.",
       .example = "s1: [w(x,1) w(x,2)]  s2: [r(x,1)]",
       .citation = "Adya 1999, G1b; MTC Table I (f)",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::NonRepeatableRead,
       .name = "non-repeatable-read",
       .adya = "P2",
       .description = "A transaction read a key twice, without writing it in between, and saw two versions.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(x,0) r(x,1)]",
       .citation = "Berenson et al. 1995, P2; MTC Table I (g)",
       .forbidden_by = {Level::ReadAtomic, Level::RepeatableRead, Level::SnapshotIsolation}},
  };
}

std::vector<AnomalyInfo> shaped_cycles() {
  return {
      {.kind = AnomalyKind::SessionGuaranteeViolation,
       .name = "session-guarantee-violation",
       .adya = "",
       .description =
           "A transaction missed an effect of its own session's past; more generally, a cycle that needs "
           "session order and has no two anti-dependencies in a row.",
       .example = "s1: [r(x,0) w(x,1)] [r(x,0)]",
       .citation = "Cerone, Bernardi & Gotsman 2015; Biswas & Enea 2019; MTC Table I (h)",
       .forbidden_by = {Level::StrongSessionSnapshotIsolation}},
      {.kind = AnomalyKind::NonMonotonicRead,
       .name = "non-monotonic-read",
       .adya = "G-single",
       .description =
           "A transaction read from T2 and afterwards a version of another key that T2 had overwritten.",
       .example = "s1: [r(x,0) w(x,1) r(y,0) w(y,1)]  s2: [r(y,1) r(x,0)]",
       .citation = "Biswas & Enea 2019; MTC Table I (i)",
       .forbidden_by = {Level::MonotonicAtomicView}},
      {.kind = AnomalyKind::FracturedRead,
       .name = "fractured-read",
       .adya = "G-single",
       .description =
           "A transaction saw one write of T1 and, of another key, a version that T1 had overwritten.",
       .example = "s1: [r(x,0) w(x,1) r(y,0) w(y,1)]  s2: [r(x,0) r(y,1)]",
       .citation = "Bailis et al. 2014 (RAMP); MTC Table I (j)",
       .forbidden_by = {Level::ReadAtomic, Level::RepeatableRead, Level::SnapshotIsolation}},
      {.kind = AnomalyKind::CausalityViolation,
       .name = "causality-violation",
       .adya = "G-single",
       .description =
           "A transaction saw an effect of T2 but missed a write that T2 itself, directly or not, had seen.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(x,1) r(y,0) w(y,1)]  s3: [r(y,1) r(x,0)]",
       .citation = "Cerone, Bernardi & Gotsman 2015; MTC Table I (k)",
       .forbidden_by = {Level::Causal, Level::RepeatableRead, Level::SnapshotIsolation}},
      {.kind = AnomalyKind::LongFork,
       .name = "long-fork",
       .adya = "G-nonadjacent",
       .description = "Two readers saw two independent writes in opposite orders.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(y,0) w(y,1)]  s3: [r(x,1) r(y,0)]  s4: [r(x,0) r(y,1)]",
       .citation = "Cerone, Bernardi & Gotsman 2015; MTC Table I (l)",
       .forbidden_by = {Level::PrefixConsistency, Level::RepeatableRead, Level::SnapshotIsolation}},
      {.kind = AnomalyKind::LostUpdate,
       .name = "lost-update",
       .adya = "P4",
       .description = "Two transactions read the same version of a key and both overwrote it.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(x,0) w(x,2)]",
       .citation = "Berenson et al. 1995, P4; MTC Table I (m)",
       .forbidden_by = {Level::RepeatableRead, Level::SnapshotIsolation}},
      {.kind = AnomalyKind::WriteSkew,
       .name = "write-skew",
       .adya = "G2-item",
       .description = "Two transactions each read what the other overwrote, on different keys.",
       .example = "s1: [r(x,0) r(y,0) w(x,1)]  s2: [r(x,0) r(y,0) w(y,1)]",
       .citation = "Berenson et al. 1995, A5B; MTC Table I (n)",
       .forbidden_by = {Level::RepeatableRead}},
  };
}

std::vector<AnomalyInfo> data_cycles() {
  return {
      {.kind = AnomalyKind::DirtyWrite,
       .name = "dirty-write",
       .adya = "G0",
       .description = "A cycle of write dependencies alone.",
       .example = "s1: [r(x,2) w(x,1) r(y,0) w(y,1)]  s2: [r(x,0) w(x,2) r(y,1) w(y,2)]",
       .citation = "Adya 1999, G0; Berenson et al. 1995, P0",
       // Not read-uncommitted: a write dependency is known from a read of the overwritten version, and only
       // from read-committed up must a version order follow such reads.
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::CyclicInformationFlow,
       .name = "cyclic-information-flow",
       .adya = "G1c",
       .description = "A cycle of write and read dependencies: transactions that saw each other's effects.",
       .example = "s1: [r(x,0) w(x,1) r(y,1)]  s2: [r(y,0) w(y,1) r(x,1)]",
       .citation = "Adya 1999, G1c",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::ReadSkew,
       .name = "read-skew",
       .adya = "G-single",
       .description = "A cycle with exactly one anti-dependency: a view that no single moment had.",
       .example = "s1: [r(x,0) r(y,1)]  s2: [r(x,0) w(x,1)]  s3: [r(x,1) w(x,2) r(y,0) w(y,1)]",
       .citation = "Adya 1999, G-single; Berenson et al. 1995, A5A",
       .forbidden_by = {Level::RepeatableRead, Level::SnapshotIsolation}},
      {.kind = AnomalyKind::NonAdjacentAntiDependency,
       .name = "non-adjacent-anti-dependency",
       .adya = "G-nonadjacent",
       .description =
           "A cycle with several anti-dependencies, no two in a row: no choice of snapshots explains it.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(y,0) w(y,1)]  s3: [r(z,0) w(z,1)]  "
                  "s4: [r(x,1) r(y,0)]  s5: [r(y,1) r(z,0)]  s6: [r(z,1) r(x,0)]",
       .citation = "Cerone & Gotsman 2018; Elle, G-nonadjacent",
       .forbidden_by = {Level::RepeatableRead, Level::SnapshotIsolation}},
      {.kind = AnomalyKind::AntiDependencyCycle,
       .name = "anti-dependency-cycle",
       .adya = "G2-item",
       .description = "A cycle with two anti-dependencies in a row; snapshot isolation allows it.",
       .example = "s1: [r(y,0) r(x,0) w(x,1)]  s2: [r(z,0) r(y,0) w(y,1)]  s3: [r(x,0) r(z,0) w(z,1)]",
       .citation = "Adya 1999, G2-item",
       .forbidden_by = {Level::RepeatableRead}},
  };
}

std::vector<AnomalyInfo> order_cycles_and_chains() {
  return {
      {.kind = AnomalyKind::SessionAntiDependencyCycle,
       .name = "session-anti-dependency-cycle",
       .adya = "G2-item-process",
       .description = "A cycle that needs session order and has two anti-dependencies in a row.",
       .example = "s1: [r(x,0) w(x,1)] [r(y,0)]  s2: [r(y,0) w(y,1) r(x,0)]",
       .citation = "Elle, G2-item-process",
       .forbidden_by = {Level::StrongSessionSerializable}},
      {.kind = AnomalyKind::RealTimeViolation,
       .name = "real-time-violation",
       .adya = "",
       .description =
           "A cycle that needs real-time order and has no two anti-dependencies in a row: a transaction "
           "missed what had ended before it began.",
       .example = "s1: [r(x,0) w(x,1)]@0..5  s2: [r(x,0)]@6..9",
       .citation = "Daudjee & Salem 2006; MTC Definition 4",
       .forbidden_by = {Level::StrongSnapshotIsolation}},
      {.kind = AnomalyKind::RealTimeAntiDependencyCycle,
       .name = "real-time-anti-dependency-cycle",
       .adya = "G2-item-realtime",
       .description = "A cycle that needs real-time order and has two anti-dependencies in a row.",
       .example = "s1: [r(x,0) w(x,1)]@0..5  s2: [r(y,0)]@6..9  s3: [r(y,0) w(y,1) r(x,0)]@0..9",
       .citation = "Elle, G2-item-realtime; MTC Definition 4",
       .forbidden_by = {Level::StrictSerializable}},
      {.kind = AnomalyKind::BrokenChain,
       .name = "broken-chain",
       .adya = "",
       .description =
           "The lightweight transactions on a key form no chain from its insert that real time allows.",
       .example = "s1: [i(x,1)]@0..1  s2: [cas(x,1,2)]@2..3  s3: [cas(x,1,3)]@2..3",
       .citation = "MTC Algorithm 2",
       .forbidden_by = {Level::Linearizable}},
  };
}

const std::vector<AnomalyInfo>& table() {
  static const std::vector<AnomalyInfo> anomalies = [] {
    std::vector<AnomalyInfo> rows = read_anomalies();
    for (auto* part : {shaped_cycles, data_cycles, order_cycles_and_chains})
      for (AnomalyInfo& row : part()) rows.push_back(std::move(row));
    for (std::size_t i = 0; i < rows.size(); ++i)
      expects(static_cast<std::size_t>(rows[i].kind) == i,
              "the rows of the anomaly table are in the order of the enumeration");
    expects(rows.back().kind == AnomalyKind::BrokenChain, "one row an anomaly");
    return rows;
  }();
  return anomalies;
}

}  // namespace

std::span<const AnomalyInfo> all_anomalies() { return table(); }

const AnomalyInfo& info(AnomalyKind kind) { return table().at(static_cast<std::size_t>(kind)); }

std::string_view name_of(AnomalyKind kind) { return info(kind).name; }

std::optional<AnomalyKind> find_anomaly(std::string_view name) {
  const std::string wanted = folded_name(name);
  std::optional<AnomalyKind> by_class;  // The classes stand below the shapes, so the last match is the class.
  for (const AnomalyInfo& row : table()) {
    if (folded_name(row.name) == wanted) return row.kind;
    if (!row.adya.empty() && folded_name(row.adya) == wanted) by_class = row.kind;
  }
  return by_class;
}

bool forbids(Level level, AnomalyKind kind) {
  return std::ranges::any_of(info(kind).forbidden_by,
                             [level](Level weakest) { return implies(level, weakest); });
}

AnomalyKind class_of(const CycleShape& shape) {
  const bool adjacent = shape.adjacent_read_writes;
  if (shape.real_time > 0)
    return adjacent ? AnomalyKind::RealTimeAntiDependencyCycle : AnomalyKind::RealTimeViolation;
  if (shape.session > 0)
    return adjacent ? AnomalyKind::SessionAntiDependencyCycle : AnomalyKind::SessionGuaranteeViolation;
  if (adjacent) return AnomalyKind::AntiDependencyCycle;
  if (shape.read_write > 1) return AnomalyKind::NonAdjacentAntiDependency;
  if (shape.read_write == 1) return AnomalyKind::ReadSkew;
  return shape.write_read > 0 ? AnomalyKind::CyclicInformationFlow : AnomalyKind::DirtyWrite;
}

}  // namespace serval
