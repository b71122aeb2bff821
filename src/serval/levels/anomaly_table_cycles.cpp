// The rows of the table of anomalies that are cycles of dependencies. `forbidden_by` is argued row by row in
// docs/anomalies.md.

#include "serval/levels/anomaly_table.h"

namespace serval {

std::vector<AnomalyInfo> half_seen_cycles() {
  return {
      {.kind = AnomalyKind::NonMonotonicRead,
       .name = "non-monotonic-read",
       .adya = "G-single-item",
       .description = "A transaction read from T2 and afterwards a version of another key that T2 had "
                      "overwritten.",
       .example = "s1: [r(x,0) w(x,1) r(y,0) w(y,1)]  s2: [r(y,1) r(x,0)]",
       .citation = "Biswas & Enea 2019; MTC Table I (i)",
       .forbidden_by = {Level::MonotonicAtomicView}},
      {.kind = AnomalyKind::NonMonotonicView,
       .name = "non-monotonic-view",
       .adya = "G-monotonic",
       .description =
           "A transaction read from T2 and afterwards missed a version that T2 had, through write and "
           "read dependencies, built upon.",
       .example = "s1: [a(x,1) a(y,1)]  s2: [a(y,2) a(z,1)]  s3: [l(z,[1]) l(x,[])]  s4: [l(y,[1 2])]",
       .citation = "Adya 1999, G-monotonic",
       .forbidden_by = {Level::MonotonicView, Level::RepeatableRead}},
      {.kind = AnomalyKind::FracturedRead,
       .name = "fractured-read",
       .adya = "G-single-item",
       .description =
           "A transaction saw one write of T1 and, of another key, a version that T1 had overwritten.",
       .example = "s1: [r(x,0) w(x,1) r(y,0) w(y,1)]  s2: [r(x,0) r(y,1)]",
       .citation = "Bailis et al. 2014 (RAMP); MTC Table I (j)",
       .forbidden_by = {Level::ReadAtomic, Level::ConsistentView, Level::RepeatableRead}},
      {.kind = AnomalyKind::CausalityViolation,
       .name = "causality-violation",
       .adya = "G-single-item",
       .description =
           "A transaction saw an effect of T2 but missed a write that T2 itself, directly or not, had "
           "seen.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(x,1) r(y,0) w(y,1)]  s3: [r(y,1) r(x,0)]",
       .citation = "Cerone, Bernardi & Gotsman 2015; MTC Table I (k)",
       .forbidden_by = {Level::Causal, Level::ConsistentView, Level::RepeatableRead}},
  };
}

std::vector<AnomalyInfo> shaped_cycles() {
  return {
      {.kind = AnomalyKind::LongFork,
       .name = "long-fork",
       .adya = "G-nonadjacent-item",
       .description = "Two readers saw two independent writes in opposite orders.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(y,0) w(y,1)]  s3: [r(x,1) r(y,0)]  s4: [r(x,0) r(y,1)]",
       .citation = "Cerone, Bernardi & Gotsman 2015; MTC Table I (l)",
       .forbidden_by = {Level::PrefixConsistency, Level::SnapshotIsolation, Level::RepeatableRead}},
      {.kind = AnomalyKind::LostUpdate,
       .name = "lost-update",
       .adya = "P4",
       .description = "Two transactions read the same version of a key and both overwrote it.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(x,0) w(x,2)]",
       .citation = "Berenson et al. 1995, P4; MTC Table I (m); Elle, lost-update",
       .forbidden_by = {Level::CursorStability}},
      {.kind = AnomalyKind::CursorLostUpdate,
       .name = "cursor-lost-update",
       .adya = "G-cursor",
       .description =
           "A transaction read a version of a key and wrote it, but another write came in between.",
       .example = "s1: [l(x,[]) a(x,1)]  s2: [a(x,2)]  s3: [l(x,[2 1])]",
       .citation = "Adya 1999, G-cursor; Berenson et al. 1995, P4C",
       .forbidden_by = {Level::CursorStability}},
      {.kind = AnomalyKind::WriteSkew,
       .name = "write-skew",
       .adya = "G2-item",
       .description = "Two transactions each read what the other overwrote, on different keys.",
       .example = "s1: [r(x,0) r(y,0) w(x,1)]  s2: [r(x,0) r(y,0) w(y,1)]",
       .citation = "Berenson et al. 1995, A5B; MTC Table I (n)",
       .forbidden_by = {Level::RepeatableRead}},
  };
}

std::vector<AnomalyInfo> session_shaped_cycles() {
  return {
      {.kind = AnomalyKind::ReadYourWritesViolation,
       .name = "read-your-writes-violation",
       .adya = "G-single-item-process",
       .aliases = {"session-guarantee-violation"},
       .description = "A transaction missed a write of an earlier transaction of its session.",
       .example = "s1: [r(x,0) w(x,1)] [r(x,0)]",
       .citation = "Terry et al. 1994; MTC Table I (h)",
       // Not the guarantee itself: it allows any order of each key's versions. If the missed write is
       // known to be later only because its transaction read the older version, the opposite order can
       // be chosen.
       .forbidden_by = {Level::ReadAtomic}},
      {.kind = AnomalyKind::MonotonicReadsViolation,
       .name = "monotonic-reads-violation",
       .adya = "G-single-item-process",
       .description = "A session saw a transaction and later missed one of its writes.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(x,1)] [r(x,0)]",
       .citation = "Terry et al. 1994; MTC Table I (h)",
       .forbidden_by = {Level::Causal}},
      {.kind = AnomalyKind::MonotonicWritesViolation,
       .name = "monotonic-writes-violation",
       .adya = "G-single-item-process",
       .description = "A transaction saw a session's later write and missed an earlier one.",
       .example = "s1: [r(x,0) w(x,1)] [r(y,0) w(y,1)]  s2: [r(y,1) r(x,0)]",
       .citation = "Terry et al. 1994; MTC Table I (h)",
       .forbidden_by = {Level::Causal}},
      {.kind = AnomalyKind::WritesFollowReadsViolation,
       .name = "writes-follow-reads-violation",
       .adya = "G-single-item-process",
       .description = "A transaction saw a write of a session and missed what that session had read before.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(x,1)] [r(y,0) w(y,1)]  s3: [r(y,1) r(x,0)]",
       .citation = "Terry et al. 1994; MTC Table I (h)",
       .forbidden_by = {Level::Causal}},
  };
}

std::vector<AnomalyInfo> data_cycles() {
  return {
      {.kind = AnomalyKind::DirtyWrite,
       .name = "dirty-write",
       .adya = "G0",
       .aliases = {"P0"},
       .description = "A cycle of write dependencies alone.",
       .example = "s1: [a(x,1) a(y,1)]  s2: [a(x,2) a(y,2)]  s3: [l(x,[1 2]) l(y,[2 1])]",
       .citation = "Adya 1999, G0; Berenson et al. 1995, P0",
       // Only if writes are ordered by lists or hints. If a write of a register is ordered only by the
       // read before it, there is also a read dependency, so its cycles are G1c.
       .forbidden_by = {Level::ReadUncommitted}},
      {.kind = AnomalyKind::CyclicInformationFlow,
       .name = "cyclic-information-flow",
       .adya = "G1c",
       .description = "A cycle of write and read dependencies: transactions that saw each other's effects.",
       .example = "s1: [r(x,0) w(x,1) r(y,1)]  s2: [r(y,0) w(y,1) r(x,1)]",
       .citation = "Adya 1999, G1c",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::ReadSkew,
       .name = "read-skew",
       .adya = "G-single-item",
       .aliases = {"G-single", "A5A"},
       .description = "A cycle with exactly one anti-dependency: a view that no single moment had.",
       .example = "s1: [a(x,1) a(y,1)]  s2: [a(y,2) a(z,1)]  s3: [l(x,[]) l(z,[1])]  s4: [l(y,[1 2])]",
       .citation = "Adya 1999, G-single; Berenson et al. 1995, A5A",
       .forbidden_by = {Level::ConsistentView, Level::RepeatableRead}},
      {.kind = AnomalyKind::NonAdjacentAntiDependency,
       .name = "non-adjacent-anti-dependency",
       .adya = "G-nonadjacent-item",
       .aliases = {"G-nonadjacent"},
       .description =
           "A cycle with several anti-dependencies, no two in a row: no choice of snapshots explains "
           "it.",
       .example = "s1: [r(x,0) w(x,1)]  s2: [r(y,0) w(y,1)]  s3: [r(z,0) w(z,1)]  s4: [r(x,1) r(y,0)]  s5: "
                  "[r(y,1) r(z,0)]  s6: [r(z,1) r(x,0)]",
       .citation = "Cerone & Gotsman 2018; Elle, G-nonadjacent",
       .forbidden_by = {Level::SnapshotIsolation, Level::RepeatableRead}},
      {.kind = AnomalyKind::AntiDependencyCycle,
       .name = "anti-dependency-cycle",
       .adya = "G2-item",
       .aliases = {"G2"},
       .description = "A cycle with two anti-dependencies in a row; snapshot isolation allows it.",
       .example = "s1: [r(y,0) r(x,0) w(x,1)]  s2: [r(z,0) r(y,0) w(y,1)]  s3: [r(x,0) r(z,0) w(z,1)]",
       .citation = "Adya 1999, G2-item",
       .forbidden_by = {Level::RepeatableRead}},
  };
}

std::vector<AnomalyInfo> session_cycles() {
  return {
      {.kind = AnomalyKind::DirtyWriteSession,
       .name = "dirty-write-session",
       .adya = "G0-process",
       .description = "A cycle of write dependencies and session order.",
       .example = "s1: [a(x,1)] [a(x,2)]  s2: [l(x,[2 1])]",
       .citation = "Elle, G0-process",
       .forbidden_by = {Level::StrongSessionReadUncommitted}},
      {.kind = AnomalyKind::CyclicInformationFlowSession,
       .name = "cyclic-information-flow-session",
       .adya = "G1c-process",
       .description = "A cycle of write and read dependencies and session order.",
       .example = "s1: [r(x,1)] [w(x,1)]",
       .citation = "Elle, G1c-process",
       .forbidden_by = {Level::StrongSessionReadCommitted}},
      {.kind = AnomalyKind::ReadSkewSession,
       .name = "read-skew-session",
       .adya = "G-single-item-process",
       .aliases = {"G-single-process"},
       .description = "A cycle that needs session order and has exactly one anti-dependency.",
       .example = "s1: [r(x,0) w(x,1)] [r(y,0) w(y,1)]  s2: [r(y,1)] [r(x,0)]",
       .citation = "Elle, G-single-item-process; Cerone & Gotsman 2018",
       .forbidden_by = {Level::ParallelSnapshotIsolation}},
      {.kind = AnomalyKind::NonAdjacentAntiDependencySession,
       .name = "non-adjacent-anti-dependency-session",
       .adya = "G-nonadjacent-item-process",
       .aliases = {"G-nonadjacent-process"},
       .description = "A cycle that needs session order and has several anti-dependencies, no two in a row.",
       .example = "s1: [r(x,0) w(x,1)] [r(y,0)]  s2: [r(y,0) w(y,1)] [r(x,0)]",
       .citation = "Elle, G-nonadjacent-item-process; Cerone & Gotsman 2018",
       .forbidden_by = {Level::StrongSessionSnapshotIsolation}},
      {.kind = AnomalyKind::AntiDependencyCycleSession,
       .name = "anti-dependency-cycle-session",
       .adya = "G2-item-process",
       .aliases = {"G2-process"},
       .description = "A cycle that needs session order and has two anti-dependencies in a row.",
       .example = "s1: [r(x,0) w(x,1)] [r(y,0)]  s2: [r(y,0) w(y,1) r(x,0)]",
       .citation = "Elle, G2-item-process",
       .forbidden_by = {Level::StrongSessionSerializable}},
  };
}

std::vector<AnomalyInfo> real_time_cycles() {
  return {
      {.kind = AnomalyKind::DirtyWriteRealTime,
       .name = "dirty-write-realtime",
       .adya = "G0-realtime",
       .description = "A cycle of write dependencies that needs real time.",
       .example = "s1: [a(x,1)]@0..1  s2: [a(x,2)]@2..3  s3: [l(x,[2 1])]@0..9",
       .citation = "Elle, G0-realtime",
       .forbidden_by = {Level::StrongReadUncommitted}},
      {.kind = AnomalyKind::CyclicInformationFlowRealTime,
       .name = "cyclic-information-flow-realtime",
       .adya = "G1c-realtime",
       .description = "A cycle of write and read dependencies that needs real time.",
       .example = "s1: [r(x,1)]@0..1  s2: [w(x,1)]@2..3",
       .citation = "Elle, G1c-realtime",
       .forbidden_by = {Level::StrongReadCommitted}},
      {.kind = AnomalyKind::ReadSkewRealTime,
       .name = "read-skew-realtime",
       .adya = "G-single-item-realtime",
       .aliases = {"G-single-realtime", "real-time-violation"},
       .description =
           "A cycle that needs real time and has exactly one anti-dependency: a transaction missed "
           "what had ended before it began.",
       .example = "s1: [r(x,0) w(x,1)]@0..5  s2: [r(x,0)]@6..9",
       .citation = "Daudjee & Salem 2006; MTC Definition 4; Elle, G-single-item-realtime",
       .forbidden_by = {Level::StrongSnapshotIsolation}},
      {.kind = AnomalyKind::NonAdjacentAntiDependencyRealTime,
       .name = "non-adjacent-anti-dependency-realtime",
       .adya = "G-nonadjacent-item-realtime",
       .aliases = {"G-nonadjacent-realtime"},
       .description = "A cycle that needs real time and has several anti-dependencies, no two in a row.",
       .example = "s1: [r(x,0) w(x,1)]@0..1  s2: [r(y,0)]@2..9  s3: [r(y,0) w(y,1)]@0..9  s4: [r(y,1) "
                  "r(x,0)]@0..9",
       .citation = "Elle, G-nonadjacent-item-realtime",
       .forbidden_by = {Level::StrongSnapshotIsolation}},
      {.kind = AnomalyKind::AntiDependencyCycleRealTime,
       .name = "anti-dependency-cycle-realtime",
       .adya = "G2-item-realtime",
       .aliases = {"G2-realtime"},
       .description = "A cycle that needs real time and has two anti-dependencies in a row.",
       .example = "s1: [r(x,0) w(x,1)]@0..5  s2: [r(y,0)]@6..9  s3: [r(y,0) w(y,1) r(x,0)]@0..9",
       .citation = "Elle, G2-item-realtime; MTC Definition 4",
       .forbidden_by = {Level::StrictSerializable}},
  };
}

std::vector<AnomalyInfo> predicate_cycles() {
  return {
      {.kind = AnomalyKind::Phantom,
       .name = "phantom",
       .adya = "G-single",
       .aliases = {"P3"},
       .description = "A cycle with exactly one anti-dependency, which is of a predicate.",
       .example = "s1: [p(value < 5; saw nothing) {} r(y,9)]  s2: [w(x,4) w(y,9)]",
       .citation = "Adya 1999, section 4.4; Berenson et al. 1995, P3",
       .forbidden_by = {Level::ConsistentView}},
      {.kind = AnomalyKind::PhantomNonAdjacent,
       .name = "phantom-nonadjacent",
       .adya = "G-nonadjacent",
       .description = "A cycle with several anti-dependencies, no two in a row, at least one of them "
                      "of a predicate.",
       .example = "s1: [w(x,4)]  s2: [w(y,9)]  s3: [r(x,4) r(y,0)]  s4: [p(value < 5; saw nothing) "
                  "{} r(y,9)]",
       .citation = "Adya 1999, section 4.4; Elle, G-nonadjacent",
       .forbidden_by = {Level::SnapshotIsolation}},
      {.kind = AnomalyKind::PhantomCycle,
       .name = "phantom-cycle",
       .adya = "G2",
       .aliases = {"G2-predicate"},
       .description = "A cycle with two anti-dependencies in a row, at least one of them of a predicate.",
       .example = "s1: [p(value < 5; saw nothing) {} w(y,9)]  s2: [r(y,0) w(x,4)]",
       .citation = "Adya 1999, G2",
       .forbidden_by = {Level::Serializable}},
      {.kind = AnomalyKind::PhantomSession,
       .name = "phantom-session",
       .adya = "G-single-process",
       .description = "A cycle that needs session order and has exactly one anti-dependency, which is "
                      "of a predicate.",
       .example = "s1: [w(x,4)] [p(value < 5; saw nothing) {}]",
       .citation = "Elle, G-single-process",
       .forbidden_by = {Level::StrongSessionSnapshotIsolation}},
      {.kind = AnomalyKind::PhantomNonAdjacentSession,
       .name = "phantom-nonadjacent-session",
       .adya = "G-nonadjacent-process",
       .description = "A cycle that needs session order and has several anti-dependencies, no two in a "
                      "row, at least one of them of a predicate.",
       .example = "s1: [w(x,4)] [r(y,0)]  s2: [w(y,9)] [p(value < 5; saw nothing) {}]",
       .citation = "Elle, G-nonadjacent-process",
       .forbidden_by = {Level::StrongSessionSnapshotIsolation}},
      {.kind = AnomalyKind::PhantomCycleSession,
       .name = "phantom-cycle-session",
       .adya = "G2-process",
       .description = "A cycle that needs session order and has two anti-dependencies in a row, at "
                      "least one of them of a predicate.",
       .example = "s1: [w(z,9)] [p(value < 5; saw nothing) {}]  s2: [w(x,4) r(z,0)]",
       .citation = "Elle, G2-process",
       .forbidden_by = {Level::StrongSessionSerializable}},
  };
}

}  // namespace serval
