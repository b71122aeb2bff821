// The table of levels. The wording is that of docs/levels.md, which also proves each implication.
//
// Shared terms. A transaction reads a key externally if it has not written the key before; "reads x from
// T1" means that an external read saw the last write of T1 to x. A commit order is a strict total order
// of the transactions, the initial versions first, that contains reads-from (and session order where the
// definition says so). The initial version counts as a write of a transaction before all others. If the
// history shows the version order (lists do), every order mentioned agrees with it.

#include "serval/levels/level_table.h"

namespace serval {
namespace {

std::vector<LevelInfo> uncommitted_levels() {
  return {
      {.level = Level::ReadUncommitted,
       .name = "read-uncommitted",
       .aliases = {"PL-1", "RU", "mysql:read-uncommitted", "mariadb:read-uncommitted",
                   "sqlserver:read-uncommitted"},
       .definition = "Some version order per key makes write dependencies acyclic (no G0). Registers whose "
                     "version order is not known always have one.",
       .citation = "Adya 1999, PL-1"},
      {.level = Level::StrongSessionReadUncommitted,
       .name = "strong-session-read-uncommitted",
       .aliases = {"strong-session-PL-1", "strong-session-RU"},
       .definition = "Some version order per key makes write dependencies together with session order "
                     "acyclic (no G0-process).",
       .citation = "Adya 1999, PL-1; with session order: Daudjee & Salem 2006; Elle",
       .implies = {Level::ReadUncommitted}},
      {.level = Level::StrongReadUncommitted,
       .name = "strong-read-uncommitted",
       .aliases = {"strong-PL-1", "strong-RU"},
       .definition = "Some version order per key makes write dependencies together with session order and "
                     "real-time order acyclic (no G0-realtime).",
       .citation = "Adya 1999, PL-1; with real time: Elle",
       .implies = {Level::StrongSessionReadUncommitted}},
  };
}

std::vector<LevelInfo> committed_levels() {
  return {
      {.level = Level::ReadCommitted,
       .name = "read-committed",
       .aliases = {"PL-2", "postgres:read-committed", "mysql:read-committed", "mysql:repeatable-read",
                   "mariadb:read-committed", "mariadb:repeatable-read", "oracle:read-committed",
                   "sqlserver:read-committed", "cockroachdb:read-committed"},
       .definition = "Every external read sees the last write of a committed transaction (no G1a, G1b), "
                     "every other read the transaction's own last write, and some version order per key "
                     "makes write and read dependencies acyclic (no G0, G1c).",
       .citation = "Adya 1999, PL-2",
       .implies = {Level::ReadUncommitted}},
      {.level = Level::StrongSessionReadCommitted,
       .name = "strong-session-read-committed",
       .aliases = {"strong-session-PL-2", "strong-session-RC"},
       .definition = "Read-committed by a version order that makes write and read dependencies together with "
                     "session order acyclic (no G1c-process).",
       .citation = "Adya 1999, PL-2; with session order: Daudjee & Salem 2006; Elle",
       .implies = {Level::ReadCommitted, Level::StrongSessionReadUncommitted}},
      {.level = Level::StrongReadCommitted,
       .name = "strong-read-committed",
       .aliases = {"strong-PL-2", "strong-RC"},
       .definition = "Read-committed by a version order that makes write and read dependencies together with "
                     "session order and real-time order acyclic (no G1c-realtime).",
       .citation = "Adya 1999, PL-2; with real time: Elle",
       .implies = {Level::StrongSessionReadCommitted, Level::StrongReadUncommitted}},
      {.level = Level::CursorStability,
       .name = "cursor-stability",
       .aliases = {"PL-CS"},
       .definition = "Read-committed, and in the same version order a transaction that reads a key and "
                     "writes it installs the version right after the one it read (no G-cursor, every read "
                     "counting as one through a cursor).",
       .citation = "Berenson et al. 1995; Adya 1999, PL-CS",
       .implies = {Level::ReadCommitted}},
  };
}

std::vector<LevelInfo> monotonic_levels() {
  return {
      {.level = Level::MonotonicAtomicView,
       .name = "monotonic-atomic-view",
       .aliases = {"MAV"},
       .definition = "Read-committed, and once a transaction has read from T2, its later external reads of "
                     "keys that T2 wrote see T2's version or a later one.",
       .citation = "Bailis et al. 2014 (Highly Available Transactions)",
       .implies = {Level::ReadCommitted}},
      {.level = Level::ReadCommittedMonotonic,
       .name = "read-committed-monotonic",
       .aliases = {"RC", "committed-read", "biswas-enea:read-committed"},
       .definition = "Some commit order that contains session order puts T2 before T1 whenever a transaction "
                     "reads from T2 and afterwards reads x from T1, where T2 also wrote x.",
       .citation = "Biswas & Enea 2019, Read Committed",
       .implies = {Level::StrongSessionReadCommitted, Level::MonotonicAtomicView}},
      {.level = Level::MonotonicView,
       .name = "monotonic-view",
       .aliases = {"PL-2L"},
       .definition = "Read-committed, and in the same version order, once a transaction has read from T2, "
                     "its later external reads miss no version written by T2 or by a transaction that T2 "
                     "depends on through write and read dependencies (no G-monotonic).",
       .citation = "Adya 1999, PL-2L",
       .implies = {Level::MonotonicAtomicView}},
  };
}

std::vector<LevelInfo> session_levels() {
  return {
      {.level = Level::MonotonicReads,
       .name = "monotonic-reads",
       .aliases = {"MR"},
       .definition = "Some version order per key lets no session lose what it has seen: when a transaction "
                     "read from T2, later transactions of its session read T2's keys from T2 or from later "
                     "versions.",
       .citation = "Terry et al. 1994"},
      {.level = Level::MonotonicWrites,
       .name = "monotonic-writes",
       .aliases = {"MW"},
       .definition = "Some version order per key shows a session's writes in their order: a transaction "
                     "that reads from T1 reads the keys that T2, earlier in T1's session, wrote from T2 or "
                     "from later versions.",
       .citation = "Terry et al. 1994"},
      {.level = Level::ReadYourWrites,
       .name = "read-your-writes",
       .aliases = {"RYW", "read-my-writes"},
       .definition = "Some version order per key lets every transaction read the keys that T2, earlier in "
                     "its session, wrote from T2 or from later versions.",
       .citation = "Terry et al. 1994"},
      {.level = Level::WritesFollowReads,
       .name = "writes-follow-reads",
       .aliases = {"WFR", "session-causality"},
       .definition = "Some version order per key shows with a write what its session had read before: when a "
                     "transaction read from T2, every transaction that reads from a later one of its session "
                     "reads T2's keys from T2 or from later versions.",
       .citation = "Terry et al. 1994"},
      {.level = Level::Pram,
       .name = "pram",
       .aliases = {"pipelined-RAM", "FIFO", "fifo-consistency"},
       .definition = "Some version order per key lets every transaction read T2's keys from T2 or from later "
                     "versions when T2 is earlier in its session, or when it or an earlier transaction of "
                     "its session read from T2 or from a later transaction of T2's session, the direct read "
                     "from T2 alone excepted.",
       .citation = "Lipton & Sandberg 1988; Brzezinski, Sobaniec & Wawrzyniak 2004",
       .implies = {Level::MonotonicReads, Level::MonotonicWrites, Level::ReadYourWrites}},
  };
}

std::vector<LevelInfo> atomic_levels() {
  return {
      {.level = Level::ReadAtomic,
       .name = "read-atomic",
       .aliases = {"RA", "atomic-read", "biswas-enea:read-atomic"},
       .definition = "Some commit order that contains session order puts T2 before T1 whenever T3 reads x "
                     "from T1, T2 wrote x, and T3 reads from T2 or follows it in its session; all external "
                     "reads of one key in a transaction agree.",
       .citation = "Bailis et al. 2014 (RAMP); with session order: Biswas & Enea 2019, Read Atomic",
       .implies = {Level::ReadCommittedMonotonic, Level::ReadYourWrites}},
      {.level = Level::ConsistentView,
       .name = "consistent-view",
       .aliases = {"PL-2+"},
       .definition =
           "Read-committed, and the same version order leaves no cycle of write and read "
           "dependencies with exactly one anti-dependency (no G-single). Session order is not used.",
       .citation = "Adya 1999, PL-2+",
       .implies = {Level::CursorStability, Level::MonotonicView}},
      {.level = Level::RepeatableRead,
       .name = "repeatable-read",
       .aliases = {"PL-2.99", "RR", "sqlserver:repeatable-read"},
       .definition = "Read-committed, and the same version order leaves no cycle with anti-dependencies of "
                     "items (no G2-item); anti-dependencies of predicates are allowed. Without predicate "
                     "operations it equals serializable.",
       .citation = "Adya 1999, PL-2.99",
       .implies = {Level::CursorStability, Level::MonotonicAtomicView}},
      {.level = Level::Causal,
       .name = "causal",
       .aliases = {"CC", "TCC", "causal-consistency", "transactional-causal-consistency", "causal-cerone",
                   "biswas-enea:causal"},
       .definition = "Some commit order that contains session order puts T2 before T1 whenever T3 reads x "
                     "from T1, T2 wrote x, and session order and reads-from lead from T2 to T3; all external "
                     "reads of one key in a transaction agree.",
       .citation = "Biswas & Enea 2019, Causal; Cerone, Bernardi & Gotsman 2015",
       .implies = {Level::ReadAtomic, Level::Pram, Level::WritesFollowReads}},
      {.level = Level::PrefixConsistency,
       .name = "prefix-consistency",
       .aliases = {"PC", "prefix", "prefix-consistent", "consistent-prefix", "biswas-enea:prefix"},
       .definition = "Some commit order that contains session order lets every transaction see a prefix of "
                     "it: T2 comes before T1 whenever T3 reads x from T1, T2 wrote x, and T2 is, or comes "
                     "before, a transaction that T3 reads from or follows in its session.",
       .citation = "Burckhardt et al. 2015; Biswas & Enea 2019, Prefix",
       .implies = {Level::Causal}},
  };
}

std::vector<LevelInfo> snapshot_levels() {
  return {
      {.level = Level::ParallelSnapshotIsolation,
       .name = "parallel-snapshot-isolation",
       .aliases = {"PSI", "parallel-SI"},
       .definition = "Some version order per key leaves no cycle of session order, write and read "
                     "dependencies with at most one anti-dependency: snapshot-isolation whose snapshots need "
                     "not agree on the order of independent writes.",
       .citation = "Sovran et al. 2011; Cerone & Gotsman 2018",
       .implies = {Level::ConsistentView, Level::Causal}},
      {.level = Level::SnapshotIsolation,
       .name = "snapshot-isolation",
       .aliases = {"PL-SI", "postgres:repeatable-read", "oracle:serializable", "sqlserver:snapshot",
                   "cockroachdb:repeatable-read", "yugabytedb:repeatable-read", "mongodb:snapshot"},
       .definition = "Some commit order gives every transaction a snapshot, a prefix of the order before it, "
                     "from which all its external reads come, and of two transactions that write one key the "
                     "later has the earlier in its snapshot. Session order is not used.",
       .citation = "Berenson et al. 1995; Adya 1999, PL-SI; Cerone & Gotsman 2018; Crooks et al. 2017",
       .implies = {Level::ConsistentView}},
      {.level = Level::StrongSessionSnapshotIsolation,
       .name = "strong-session-snapshot-isolation",
       .aliases = {"SI", "strong-session-SI", "biswas-enea:snapshot-isolation"},
       .definition = "Snapshot-isolation where every snapshot holds all earlier transactions of its session. "
                     "What PolySI, Viper with sessions and MTC call SI.",
       .citation = "Daudjee & Salem 2006; Cerone & Gotsman 2018; Biswas & Enea 2019, Snapshot Isolation",
       .implies = {Level::PrefixConsistency, Level::ParallelSnapshotIsolation, Level::SnapshotIsolation}},
      {.level = Level::StrongSnapshotIsolation,
       .name = "strong-snapshot-isolation",
       .aliases = {"strong-SI"},
       .definition = "Snapshot-isolation where every snapshot holds all earlier transactions of its session "
                     "and all transactions that ended before it began.",
       .citation = "Daudjee & Salem 2006",
       .implies = {Level::StrongReadCommitted, Level::StrongSessionSnapshotIsolation}},
  };
}

std::vector<LevelInfo> serializable_levels() {
  return {
      {.level = Level::Serializable,
       .name = "serializable",
       .aliases = {"PL-3", "1SR", "SSI", "serializability", "conflict-serializable", "view-serializable",
                   "postgres:serializable", "mysql:serializable", "mariadb:serializable",
                   "sqlserver:serializable", "sqlite:serializable", "cockroachdb:serializable",
                   "yugabytedb:serializable"},
       .definition = "Some serial order of the transactions gives every read the value it saw. Neither "
                     "session order nor real time is used.",
       .citation = "Papadimitriou 1979; Adya 1999, PL-3",
       .implies = {Level::RepeatableRead, Level::SnapshotIsolation}},
      {.level = Level::StrongSessionSerializable,
       .name = "strong-session-serializable",
       .aliases = {"SER", "strong-session-SER", "strong-session-1SR", "session-serializable", "sequential",
                   "biswas-enea:serializable"},
       .definition =
           "Serializable by a serial order that contains session order. What Cobra, dbcop and MTC call SER.",
       .citation = "Daudjee & Salem 2006; Biswas & Enea 2019, Serializability",
       .implies = {Level::StrongSessionSnapshotIsolation, Level::Serializable}},
      {.level = Level::Linearizable,
       .name = "linearizable",
       .aliases = {"LIN", "linearizability"},
       .definition = "For transactions of a single operation: some serial order that contains real-time "
                     "order gives every read the value it saw. A client's own order counts as far as the "
                     "times show it.",
       .citation = "Herlihy & Wing 1990",
       .implies = {Level::Serializable}},
      {.level = Level::StrictSerializable,
       .name = "strict-serializable",
       .aliases = {"SSER", "PL-SS", "strict", "strict-1SR", "strict-serializability", "strong-serializable",
                   "external-consistency"},
       .definition = "Serializable by a serial order that contains session order and real-time order.",
       .citation = "Papadimitriou 1979; Herlihy & Wing 1990; Adya 1999, PL-SS",
       .implies = {Level::StrongSnapshotIsolation, Level::StrongSessionSerializable, Level::Linearizable}},
  };
}

}  // namespace

std::vector<LevelInfo> level_rows() {
  std::vector<LevelInfo> rows = uncommitted_levels();
  for (auto* part : {committed_levels, monotonic_levels, session_levels, atomic_levels, snapshot_levels,
                     serializable_levels})
    for (LevelInfo& row : part()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace serval
