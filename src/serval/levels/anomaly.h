#pragma once
// Anomalies by name: faulty reads, contradictory versions, cycles with a telling shape (the fourteen of MTC
// Table I, Terry's session guarantees, Adya's G-monotonic and G-cursor) and, for cycles of other shapes,
// their class. docs/anomalies.md is the same table for people, with Elle's names beside ours.
//
// The kind of an anomaly is enough to know which levels it certainly refutes, because the names are given so:
//   - a cycle of data dependencies alone has the name of its shape (fractured-read, long-fork, ...) or else
//     of its class (G0, G1c, G-single, G-nonadjacent, G2-item);
//   - a cycle that needs session order, but not real time, has the name of the session guarantee that it
//     breaks or else that of its class with "-session" (Elle: "-process");
//   - a cycle that needs real time has the name of its class with "-realtime".
// forbids() is certain or false: every instance of the kind refutes the level.
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
  // Seen in single reads; no order of transactions is needed to tell.
  ThinAirRead,
  AbortedRead,
  FutureRead,
  NotMyLastWrite,
  NotMyOwnWrite,
  IntermediateRead,
  NonRepeatableRead,
  ResultSetMismatch,  // By a version certificate: other rows than the predicate matches.
  // Versions of one key that contradict each other.
  DuplicateElements,
  IncompatibleOrder,
  DirtyUpdate,
  CyclicVersions,
  // Cycles of data dependencies, each with the shape that gives it its name.
  NonMonotonicRead,
  NonMonotonicView,
  FracturedRead,
  CausalityViolation,
  LongFork,
  LostUpdate,
  CursorLostUpdate,
  WriteSkew,
  // Cycles with session order and one anti-dependency, by the guarantee they break.
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
  // Cycles with an anti-dependency of a predicate, by class; each with data alone, session order, real time.
  Phantom,
  PhantomNonAdjacent,
  PhantomCycle,  // G2
  PhantomSession,
  PhantomNonAdjacentSession,
  PhantomCycleSession,
  PhantomRealTime,
  PhantomNonAdjacentRealTime,
  PhantomCycleRealTime,
  PredicateWriteSkew,  // Two transactions that change what the other's predicate matches.
  OutsideSnapshot,     // By a version certificate: not what the transaction's snapshot shows.
  // No order at all, though no dependency that is certain says so: whichever way the versions that were
  // written without a read are ordered, some cycle arises. By what the order would have to be, and by what it
  // would have to keep beside the data.
  NoPrefixOrder,
  NoSnapshotOrder,
  NoSnapshotOrderSession,
  NoSnapshotOrderRealTime,
  NoSerialOrder,
  NoSerialOrderSession,
  NoSerialOrderRealTime,
  // Lightweight transactions (MTC Algorithm 2).
  BrokenChain,
};
constexpr std::size_t kAnomalyCount = static_cast<std::size_t>(AnomalyKind::BrokenChain) + 1;

// The five classes of cycles, strongest first, and what they may need beside data dependencies.
enum class CycleClass : std::uint8_t { DirtyWrite, InformationFlow, Single, NonAdjacent, AntiDependency };
enum class CycleVariant : std::uint8_t { Data, Session, RealTime };
AnomalyKind kind_of(CycleClass cycle_class, CycleVariant variant);

struct AnomalyInfo {
  AnomalyKind kind;
  std::string_view name;  // "lost-update"
  std::string_view adya;  // Adya's, Berenson's or Elle's: "P4", "G1a", "G2-item", ... or empty
  std::vector<std::string_view> aliases;  // Other names that find_anomaly knows.
  std::string_view description;           // One sentence.
  std::string_view example;               // In history notation.
  std::string_view citation;
  // The weakest levels that forbid it; whatever implies one of them does too.
  std::vector<Level> forbidden_by;
};

std::span<const AnomalyInfo> all_anomalies();  // Most severe first within each group.
const AnomalyInfo& info(AnomalyKind kind);
std::string_view name_of(AnomalyKind kind);
// By name, alias or Adya's name (then the class: "G2-item" is anti-dependency-cycle); case, "-", "_" and " "
// do not matter.
std::optional<AnomalyKind> find_anomaly(std::string_view name);
bool forbids(Level level, AnomalyKind kind);  // Whatever implies a forbidding level does; but see there.

// Whether only a version certificate can show it: then its example is no history in notation.
bool needs_certificate(AnomalyKind kind);

// How many edges of each kind a cycle has.
struct CycleShape {
  std::uint32_t write_write = 0, write_read = 0, read_write = 0, session = 0, real_time = 0;
  bool adjacent_read_writes =
      false;  // Two anti-dependencies in a row; the last edge stands before the first.
  bool predicate_read_writes = false;  // Some anti-dependency is of a predicate.
};
// The class of a cycle by its edges alone; it may deserve the more telling name of its shape.
AnomalyKind class_of(const CycleShape& shape);

}  // namespace serval
