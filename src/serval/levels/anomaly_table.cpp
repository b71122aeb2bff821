// The table of anomalies, without the cycles (anomaly_table_cycles.cpp). `forbidden_by` is argued row by
// row in docs/anomalies.md.

#include "serval/levels/anomaly_table.h"

namespace serval {

std::vector<AnomalyInfo> read_anomalies() {
  return {
      {.kind = AnomalyKind::ThinAirRead,
       .name = "thin-air-read",
       .aliases = {"garbage-read"},
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
       .description = "A transaction read a value that it wrote itself only later.",
       .example = "s1: [r(x,1) w(x,1)]",
       .citation = "MTC Table I (c); Plume; Elle, future-read",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::NotMyLastWrite,
       .name = "not-my-last-write",
       .description = "A transaction read one of its own writes, but not its last one to the key.",
       .example = "s1: [w(x,1) w(x,2) r(x,1)]",
       .citation = "MTC Table I (d); Plume; Elle, internal",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::NotMyOwnWrite,
       .name = "not-my-own-write",
       .aliases = {"internal"},
       .description = "A transaction wrote a key and then read another transaction's value from it.",
       .example = "s1: [w(x,1)]  s2: [w(x,2) r(x,1)]",
       .citation = "MTC Table I (e); Plume; Elle, internal",
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
       .citation = "Berenson et al. 1995, P2; MTC Table I (g); Elle, internal",
       .forbidden_by = {Level::ReadAtomic, Level::ConsistentView, Level::RepeatableRead}},
      {.kind = AnomalyKind::PhantomRead,
       .name = "phantom-read",
       .description = "A transaction asked for the rows of a predicate twice, without changing them in "
                      "between, and got different rows.",
       .example = "s1: [w(x,4)]  s2: [p(value < 5) {} p(value < 5) {x=4}]",
       .citation = "Berenson et al. 1995, P3; Emme (Clark et al.), Fig. 1",
       .forbidden_by = {Level::ConsistentView}},
      {.kind = AnomalyKind::ResultSetMismatch,
       .name = "result-set-mismatch",
       .description = "An operation returned or changed rows other than those that its predicate matches "
                      "among the versions that, according to the certificate, it saw.",
       .example = "s1: [w(x,4)]  s2: [p(value < 5; saw x of s1) {}]",
       .citation = "Emme (Clark et al.), section 3.1",
       .forbidden_by = {Level::ReadCommitted}},
  };
}

std::vector<AnomalyInfo> version_anomalies() {
  return {
      {.kind = AnomalyKind::DuplicateElements,
       .name = "duplicate-elements",
       .description = "A read of a list shows an element more than once, though it was appended once.",
       .example = "s1: [a(x,1)]  s2: [l(x,[1 1])]",
       .citation = "Elle, duplicate-elements",
       .forbidden_by = {Level::ReadUncommitted}},
      {.kind = AnomalyKind::IncompatibleOrder,
       .name = "incompatible-order",
       .description =
           "Two reads of a list show its elements in incompatible orders: neither is a prefix of the other.",
       .example = "s1: [a(x,1)]  s2: [a(x,2)]  s3: [l(x,[1 2])]  s4: [l(x,[2 1])]",
       .citation = "Elle, incompatible-order",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::DirtyUpdate,
       .name = "dirty-update",
       .description =
           "A committed append follows an element of an aborted transaction: aborted state was kept.",
       .example = "s1: [a(x,1)]!  s2: [a(x,2)]  s3: [l(x,[1 2])]",
       .citation = "Elle, dirty-update",
       .forbidden_by = {Level::ReadCommitted}},
      {.kind = AnomalyKind::CyclicVersions,
       .name = "cyclic-versions",
       .description = "The known order of one key's versions contradicts itself.",
       .example = "s1: [r(x,1) w(x,2)]  s2: [r(x,2) w(x,1)]",
       .citation = "Elle, cyclic-versions",
       .forbidden_by = {Level::ReadCommitted}},
  };
}

std::vector<AnomalyInfo> certified_anomalies() {
  return {
      {.kind = AnomalyKind::PhantomRealTime,
       .name = "phantom-realtime",
       .adya = "G-single-realtime",
       .description = "A cycle that needs real time and has exactly one anti-dependency, which is of a "
                      "predicate.",
       .example = "s1: [w(x,4)]@0..1  s2: [p(value < 5; saw nothing) {}]@2..3",
       .citation = "Elle, G-single-realtime",
       .forbidden_by = {Level::StrongSnapshotIsolation}},
      {.kind = AnomalyKind::PhantomNonAdjacentRealTime,
       .name = "phantom-nonadjacent-realtime",
       .adya = "G-nonadjacent-realtime",
       .description = "A cycle that needs real time and has several anti-dependencies, no two in a "
                      "row, at least one of them of a predicate.",
       .example = "s1: [w(x,4)]@0..1  s2: [r(y,0)]@2..9  s3: [w(y,9)]@0..9  s4: [r(y,9) p(value < "
                  "5; saw nothing) {}]@0..9",
       .citation = "Elle, G-nonadjacent-realtime",
       .forbidden_by = {Level::StrongSnapshotIsolation}},
      {.kind = AnomalyKind::PhantomCycleRealTime,
       .name = "phantom-cycle-realtime",
       .adya = "G2-realtime",
       .description = "A cycle that needs real time and has two anti-dependencies in a row, at least "
                      "one of them of a predicate.",
       .example = "s1: [w(z,9)]@0..1  s2: [p(value < 5; saw nothing) {}]@2..9  s3: [w(x,4) "
                  "r(z,0)]@0..9",
       .citation = "Elle, G2-realtime",
       .forbidden_by = {Level::StrictSerializable}},
      {.kind = AnomalyKind::PredicateWriteSkew,
       .name = "predicate-write-skew",
       .adya = "G2",
       .aliases = {"phantom-write-skew"},
       .description = "Two transactions each changed what the other's predicate matches, and neither "
                      "saw it.",
       .example = "s1: [p(value < 5; saw nothing) {} w(x,4)]  s2: [p(value < 5; saw nothing) {} "
                  "w(y,4)]",
       .citation = "Berenson et al. 1995, A5B and P3; Fekete et al. 2005",
       .forbidden_by = {Level::Serializable}},
      {.kind = AnomalyKind::OutsideSnapshot,
       .name = "outside-snapshot",
       .adya = "G-SIa",
       .aliases = {"interference"},
       .description = "A transaction read or overwrote a version other than the one that its snapshot shows "
                      "according to the certificate.",
       .example = "s1: [w(x,4)]  s2, with a snapshot from before s1: [r(x,4)]",
       .citation = "Adya 1999, G-SIa; Emme (Clark et al.), section 4",
       .forbidden_by = {Level::SnapshotIsolation}},
  };
}

std::vector<AnomalyInfo> missing_orders() {
  return {
      {.kind = AnomalyKind::NoPrefixOrder,
       .name = "no-prefix-order",
       .description = "However the writes are ordered, some transaction does not see a prefix of them.",
       .example =
           "s1: [w(x,1)] [w(y,1) w(u,1)]  s2: [w(y,2)] [w(x,2) w(z,1)]  s3: [r(z,1) r(u,1) r(x,1) r(y,2)]",
       .citation = "Biswas & Enea 2019; Cerone, Bernardi & Gotsman 2015",
       .forbidden_by = {Level::PrefixConsistency}},
      {.kind = AnomalyKind::NoSnapshotOrder,
       .name = "no-snapshot-order",
       .aliases = {"no-si-order"},
       .description = "However the writes are ordered, some transaction's reads are not a snapshot of them.",
       .example = "s1: [w(x,1) w(y,1)]  s2: [w(x,2) w(y,2)]  s3: [r(x,1) r(y,2)]",
       .citation = "Cerone & Gotsman 2018; PolySI (Huang et al. 2023)",
       .forbidden_by = {Level::SnapshotIsolation}},
      {.kind = AnomalyKind::NoSnapshotOrderSession,
       .name = "no-snapshot-order-session",
       .description = "However the writes are ordered, some transaction's reads are not a snapshot of them "
                      "that contains the session's past.",
       .example =
           "s1: [w(x,1)] [w(y,1) w(u,1)]  s2: [w(y,2)] [w(x,2) w(z,1)]  s3: [r(z,1) r(u,1) r(x,1) r(y,2)]",
       .citation = "Daudjee & Salem 2006; PolySI (Huang et al. 2023)",
       .forbidden_by = {Level::StrongSessionSnapshotIsolation}},
      {.kind = AnomalyKind::NoSnapshotOrderRealTime,
       .name = "no-snapshot-order-realtime",
       .description = "However the writes are ordered, some transaction's reads are not a snapshot of them "
                      "that contains everything that had ended before it began.",
       .example = "s1: [w(x,1)]@0..1  s2: [w(y,1) w(u,1)]@2..9  s3: [w(y,2)]@0..1  s4: [w(x,2) w(z,1)]@2..9  "
                  "s5: [r(z,1) r(u,1) r(x,1) r(y,2)]@0..9",
       .citation = "Daudjee & Salem 2006; Viper (Zhang et al. 2023)",
       .forbidden_by = {Level::StrongSnapshotIsolation}},
      {.kind = AnomalyKind::NoSerialOrder,
       .name = "no-serial-order",
       .aliases = {"unserializable"},
       .description = "However the writes are ordered, no serial execution explains the reads.",
       .example = "s1: [w(x,1) w(y,1)]  s2: [r(x,1) w(y,2)]  s3: [r(y,1) w(x,2)]",
       .citation = "Papadimitriou 1979; Cobra (Tan et al. 2020)",
       .forbidden_by = {Level::RepeatableRead}},
      {.kind = AnomalyKind::NoSerialOrderSession,
       .name = "no-serial-order-session",
       .description =
           "However the writes are ordered, no serial execution that keeps the sessions explains the reads.",
       .example = "s1: [w(x,1) w(y,1) w(z,1)]  s2: [r(z,1) w(x,2)] [r(y,1)]  s3: [r(z,1) w(y,2) r(x,1)]",
       .citation = "Cobra (Tan et al. 2020); King Cobra",
       .forbidden_by = {Level::StrongSessionSerializable}},
      {.kind = AnomalyKind::NoSerialOrderRealTime,
       .name = "no-serial-order-realtime",
       .description =
           "However the writes are ordered, no serial execution that keeps real time explains the reads.",
       .example = "s1: [w(x,1) w(y,1) w(z,1)]@0..9  s2: [r(z,1) w(x,2)]@0..1  s3: [r(y,1)]@2..9  "
                  "s4: [r(z,1) w(y,2) r(x,1)]@0..9",
       .citation = "Papadimitriou 1979; King Cobra",
       .forbidden_by = {Level::StrictSerializable}},
  };
}

std::vector<AnomalyInfo> broken_orders() {
  return {
      {.kind = AnomalyKind::BrokenOrder,
       .name = "broken-order",
       .description = "If the transactions run one after another in the expected order, an answer differs "
                      "from what its client saw.",
       .example = "s1: [w(x,1)]  s2: [w(y,2)]  s3: [r(x,1) r(y,0)]",
       .citation = "Enne (Clark et al.), section 6, Algorithm 4 and Fig. 3",
       .forbidden_by = {Level::Serializable}},
      {.kind = AnomalyKind::BrokenOrderSession,
       .name = "broken-order-session",
       .description = "The expected order places a transaction before another that precedes it in its "
                      "session.",
       .example = "s1: [w(x,1)] [r(y,0)]",
       .citation = "Daudjee & Salem 2006; Enne (Clark et al.), section 6",
       .forbidden_by = {Level::StrongSessionSerializable}},
      {.kind = AnomalyKind::BrokenOrderRealTime,
       .name = "broken-order-realtime",
       .description = "The expected order places a transaction before another that had ended before it "
                      "began.",
       .example = "s1: [w(x,1)]@0..1  s2: [r(y,0)]@2..3",
       .citation = "Papadimitriou 1979; Enne (Clark et al.), section 6",
       .forbidden_by = {Level::StrictSerializable}},
      {.kind = AnomalyKind::BrokenSnapshots,
       .name = "broken-snapshots",
       .description = "If each transaction reads the state at its start timestamp and commits at its commit "
                      "timestamp, an answer differs from what its client saw, or two transactions overwrite "
                      "each other's key unseen.",
       .example = "s1: [w(x,1)]  s2: [r(x,0)]",
       .citation = "Berenson et al. 1995; Crooks et al. 2017; Enne (Clark et al.), section 6",
       .forbidden_by = {Level::SnapshotIsolation}},
  };
}

std::vector<AnomalyInfo> broken_chains() {
  return {
      {.kind = AnomalyKind::BrokenChain,
       .name = "broken-chain",
       .description = "The lightweight transactions on a key do not form a chain from its insert that "
                      "respects real time.",
       .example = "s1: [i(x,1)]@0..1  s2: [cas(x,1,2)]@2..3  s3: [cas(x,1,3)]@2..3",
       .citation = "MTC Algorithm 2",
       .forbidden_by = {Level::Linearizable}},
  };
}

}  // namespace serval
