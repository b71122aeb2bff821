#pragma once
// Anomalies by name: the fourteen of MTC Table I and the classes of cycles they are not already a name for.

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
  // Cycles of other shapes, by Adya's class.
  DirtyWrite,                 // G0: write dependencies alone
  CyclicInformationFlow,      // G1c: write and read dependencies (and session or real-time order)
  ReadSkew,                   // G-single: exactly one anti-dependency
  NonAdjacentAntiDependency,  // several anti-dependencies, no two in a row: violates snapshot isolation
  AntiDependencyCycle,        // G2-item
  RealTimeViolation,          // a cycle that needs real-time order
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
  std::vector<Level>
      forbidden_by;  // The weakest levels that forbid it; whatever implies one of them does too.
};

std::span<const AnomalyInfo> all_anomalies();  // Most severe first within each group.
const AnomalyInfo& info(AnomalyKind kind);
std::string_view name_of(AnomalyKind kind);
std::optional<AnomalyKind> find_anomaly(std::string_view name);
bool forbids(Level level, AnomalyKind kind);

}  // namespace serval
