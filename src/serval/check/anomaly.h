#pragma once
// Anomalies by name: the fourteen of MTC Table I, and the classes of cycles for those that have no such name.
// docs/anomalies.md is the same table for people.
//
// The kind of an anomaly is enough to know which levels it refutes, because the names are given so:
//   - a cycle of data dependencies alone has the name of its shape (fractured-read, long-fork, ...) or else
//     of its class (G0, G1c, G-single, ...);
//   - a cycle that needs session order, but not real time, is a session-guarantee-violation, or a
//     session-anti-dependency-cycle when two anti-dependencies stand in a row;
//   - a cycle that needs real time is a real-time-violation or, likewise, a real-time-anti-dependency-cycle.
// forbids() is certain or false: every instance of the kind refutes the level.
//
//   forbids(Level::SnapshotIsolation, AnomalyKind::LongFork) == true
//   forbids(Level::SnapshotIsolation, AnomalyKind::WriteSkew) == false

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "serval/check/level.h"

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
  // Cycles of dependencies, each with the shape that gives it its name.
  SessionGuaranteeViolation,
  NonMonotonicRead,
  FracturedRead,
  CausalityViolation,
  LongFork,
  LostUpdate,
  WriteSkew,
  // Cycles of other shapes, by Adya's class. Data dependencies alone:
  DirtyWrite,                 // G0: write dependencies
  CyclicInformationFlow,      // G1c: write and read dependencies
  ReadSkew,                   // G-single: exactly one anti-dependency
  NonAdjacentAntiDependency,  // several anti-dependencies, no two in a row: violates snapshot isolation
  AntiDependencyCycle,        // G2-item: two anti-dependencies in a row
  // With session order or real time:
  SessionAntiDependencyCycle,   // needs session order, two anti-dependencies in a row
  RealTimeViolation,            // needs real-time order, no two anti-dependencies in a row
  RealTimeAntiDependencyCycle,  // needs real-time order, two anti-dependencies in a row
  // Lightweight transactions (MTC Algorithm 2).
  BrokenChain,
};

struct AnomalyInfo {
  AnomalyKind kind;
  std::string_view name;         // "lost-update"
  std::string_view adya;         // "P4", "G1a", "G-single", ... or empty
  std::string_view description;  // One sentence.
  std::string_view example;      // In history notation.
  std::string_view citation;
  // The weakest levels that forbid it; whatever implies one of them does too.
  std::vector<Level> forbidden_by;
};

std::span<const AnomalyInfo> all_anomalies();  // Most severe first within each group.
const AnomalyInfo& info(AnomalyKind kind);
std::string_view name_of(AnomalyKind kind);
// By name or by Adya's name (then the class: "G2-item" is anti-dependency-cycle); case, "-", "_" and " "
// do not matter.
std::optional<AnomalyKind> find_anomaly(std::string_view name);
bool forbids(Level level, AnomalyKind kind);

// How many edges of each kind a cycle has.
struct CycleShape {
  std::uint32_t write_write = 0, write_read = 0, read_write = 0, session = 0, real_time = 0;
  bool adjacent_read_writes =
      false;  // Two anti-dependencies in a row; the last edge stands before the first.
};
// The class of a cycle by its edges alone; a data cycle may deserve the more telling name of its shape.
AnomalyKind class_of(const CycleShape& shape);

}  // namespace serval
