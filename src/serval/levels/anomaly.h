#pragma once
// Anomalies by name: faulty reads, contradictory versions, cycles with a characteristic shape (the
// fourteen of MTC Table I, Terry's session guarantees, Adya's G-monotonic and G-cursor) and, for cycles
// of other shapes, their class. docs/anomalies.md is the same table for readers, with Elle's names.
//
// The kind of an anomaly determines which levels it certainly refutes, because kinds are assigned as
// follows:
//   - a cycle of data dependencies alone is named after its shape (fractured-read, long-fork, ...), or
//     otherwise after its class (G0, G1c, G-single, G-nonadjacent, G2-item);
//   - a cycle that needs session order, but not real time, is named after the session guarantee that it
//     violates, or otherwise after its class with "-session" (Elle: "-process");
//   - a cycle that needs real time is named after its class with "-realtime".
// forbids() is conservative: if it is true, every instance of the kind refutes the level.
//
//   forbids(Level::SnapshotIsolation, AnomalyKind::LongFork) == true
//   forbids(Level::SnapshotIsolation, AnomalyKind::WriteSkew) == false

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "serval/levels/level.h"

namespace serval {

enum class AnomalyKind : std::uint8_t {
  // Visible in a single read, without any order of transactions.
  ThinAirRead,
  AbortedRead,
  FutureRead,
  NotMyLastWrite,
  NotMyOwnWrite,
  IntermediateRead,
  NonRepeatableRead,
  PhantomRead,        // Two answers to one predicate.
  ResultSetMismatch,  // By a version certificate: not the rows that the predicate matches.
  // Versions of one key that contradict each other.
  DuplicateElements,
  IncompatibleOrder,
  DirtyUpdate,
  CyclicVersions,
  // Cycles of data dependencies, named after their shape.
  NonMonotonicRead,
  NonMonotonicView,
  FracturedRead,
  CausalityViolation,
  LongFork,
  LostUpdate,
  CursorLostUpdate,
  WriteSkew,
  // Cycles with session order and one anti-dependency, by the guarantee that they violate.
  ReadYourWritesViolation,
  MonotonicReadsViolation,
  MonotonicWritesViolation,
  WritesFollowReadsViolation,
  // Cycles of other shapes, by Adya's class. Data dependencies alone:
  DirtyWrite,                 // G0: write dependencies
  CyclicInformationFlow,      // G1c: write and read dependencies
  ReadSkew,                   // G-single: exactly one anti-dependency
  NonAdjacentAntiDependency,  // several anti-dependencies, no two in a row: violates snapshot isolation
  AntiDependencyCycle,        // G2-item: two anti-dependencies in a row
  // The same five with session order:
  DirtyWriteSession,
  CyclicInformationFlowSession,
  ReadSkewSession,
  NonAdjacentAntiDependencySession,
  AntiDependencyCycleSession,
  // The same five with real time:
  DirtyWriteRealTime,
  CyclicInformationFlowRealTime,
  ReadSkewRealTime,
  NonAdjacentAntiDependencyRealTime,
  AntiDependencyCycleRealTime,
  // Cycles with a predicate anti-dependency, by class: data alone, then with session order, then with
  // real time.
  Phantom,
  PhantomNonAdjacent,
  PhantomCycle,  // G2
  PhantomSession,
  PhantomNonAdjacentSession,
  PhantomCycleSession,
  PhantomRealTime,
  PhantomNonAdjacentRealTime,
  PhantomCycleRealTime,
  PredicateWriteSkew,  // Two transactions that each change what the other's predicate matches.
  OutsideSnapshot,     // By a version certificate: not visible to the transaction's snapshot.
  // No order exists, although the certain dependencies alone are acyclic: however the versions that were
  // written without a prior read are ordered, a cycle arises. Named after the kind of order that is
  // missing, and after what it must respect besides the data.
  NoPrefixOrder,
  NoSnapshotOrder,
  NoSnapshotOrderSession,
  NoSnapshotOrderRealTime,
  NoSerialOrder,
  NoSerialOrderSession,
  NoSerialOrderRealTime,
  // An order in which the database, or the user, said that the transactions are serializable fails. Other
  // orders may be serial.
  BrokenOrder,
  BrokenOrderSession,
  BrokenOrderRealTime,
  BrokenSnapshots,  // The same for snapshots and commits.
  // Lightweight transactions (MTC Algorithm 2).
  BrokenChain,
};
constexpr std::size_t kAnomalyCount = static_cast<std::size_t>(AnomalyKind::BrokenChain) + 1;

// The five classes of cycles, strongest first, and what they may need besides data dependencies.
enum class CycleClass : std::uint8_t { DirtyWrite, InformationFlow, Single, NonAdjacent, AntiDependency };
enum class CycleVariant : std::uint8_t { Data, Session, RealTime };
AnomalyKind kind_of(CycleClass cycle_class, CycleVariant variant);

struct AnomalyInfo {
  AnomalyKind kind;
  std::string_view name;       // "lost-update"
  std::string_view adya = {};  // Adya's, Berenson's or Elle's: "P4", "G1a", "G2-item", ... or empty
  std::vector<std::string_view> aliases = {};  // Other names that find_anomaly accepts.
  std::string_view description;                // One sentence.
  std::string_view example;                    // In history notation.
  std::string_view citation;
  // The weakest levels that forbid it; every level that implies one of them forbids it too.
  std::vector<Level> forbidden_by;
};

std::span<const AnomalyInfo> all_anomalies();  // Most severe first within each group.
const AnomalyInfo& info(AnomalyKind kind);
std::string_view name_of(AnomalyKind kind);
// By name, alias or Adya's name (which denotes the class: "G2-item" is anti-dependency-cycle); case,
// "-", "_" and " " do not matter.
std::optional<AnomalyKind> find_anomaly(std::string_view name);
// Levels that imply a forbidding one do too; for the exception see the source.
bool forbids(Level level, AnomalyKind kind);

// Whether only a version certificate can show it; its example is then not valid history notation.
bool needs_certificate(AnomalyKind kind);
// Whether it is about snapshots that a database claims to have taken. A serial order does not need them, so
// it says nothing about serializable levels.
bool concerns_claimed_snapshots(AnomalyKind kind);
// Whether it concerns an expected order, so that the history alone does not show it.
bool needs_expected_order(AnomalyKind kind);
// Whether it needs predicates, which its example in history notation cannot spell.
bool needs_predicates(AnomalyKind kind);

// The number of edges of each kind in a cycle.
struct CycleShape {
  std::uint32_t write_write = 0, write_read = 0, read_write = 0, session = 0, real_time = 0;
  bool adjacent_read_writes =
      false;  // Two anti-dependencies in a row; the last edge is followed by the first.
  bool predicate_read_writes = false;  // Some anti-dependency is on a predicate.
};
// The class of a cycle by its edges alone; a more specific name by shape may apply.
AnomalyKind class_of(const CycleShape& shape);

}  // namespace serval
