#pragma once
// Isolation levels as data: one row per level, with its definition, citation, aliases and direct
// implications. docs/levels.md is the same table for readers, with a proof of every implication.
//
//   Level level = find_level("PL-3").value();                      // aliases work
//   implies(Level::StrictSerializable, Level::Causal) == true      // the closure
//
// Conventions:
//   - Plain serializable and snapshot-isolation do not use session order; the strong-session variants do, and
//     the strict and strong variants use session order and real time. "SER" and "SI" in black-box checkers
//     (Cobra, PolySI, MTC) are the strong-session variants, and so are these two aliases here:
//       s1: [w(x,1)] [r(x,0)]               is serializable, not strong-session-serializable.
//   - "Read committed" means two things: Adya's PL-2 (no G0, G1a, G1b, G1c), here read-committed, and the
//     axiom of Biswas & Enea that Plume and AWDIT use, here read-committed-monotonic (alias RC):
//       s1: [w(x,1) w(y,1)]  s2: [r(x,1) r(y,0)]   is read-committed, not read-committed-monotonic.
//   - Real-time order needs a.end < b.begin, strictly; equal times order nothing:
//       s1: [w(x,1)]@0..5  s2: [r(x,0)]@5..9       is strict-serializable, with @6..9 it is not.
//   - Reads of a key before any write see the initial version, which precedes every write:
//       s1: [w(x,1)]  s2: [r(x,1)] [r(x,0)]        is therefore not strong-session-serializable.
//
// A level is a property of the committed transactions and of those indeterminate ones that a counted
// transaction read from. An implication in the table is proven; check() derives verdicts from it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace serval {

// Weakest first: a level comes after all levels that it implies.
enum class Level : std::uint8_t {
  ReadUncommitted,
  StrongSessionReadUncommitted,
  StrongReadUncommitted,
  ReadCommitted,
  StrongSessionReadCommitted,
  StrongReadCommitted,
  CursorStability,
  MonotonicAtomicView,
  ReadCommittedMonotonic,
  MonotonicView,
  MonotonicReads,
  MonotonicWrites,
  ReadYourWrites,
  WritesFollowReads,
  Pram,
  ReadAtomic,
  ConsistentView,
  RepeatableRead,
  Causal,
  PrefixConsistency,
  ParallelSnapshotIsolation,
  SnapshotIsolation,
  StrongSessionSnapshotIsolation,
  StrongSnapshotIsolation,
  Serializable,
  StrongSessionSerializable,
  Linearizable,
  StrictSerializable,
};

struct LevelInfo {
  Level level;
  std::string_view name;                  // "snapshot-isolation"
  std::vector<std::string_view> aliases;  // "SI", "PL-SI", "postgres:repeatable-read", ...
  std::string_view definition;            // One or two sentences.
  std::string_view citation;
  std::vector<Level> implies = {};  // Direct implications.
};

std::span<const LevelInfo> all_levels();  // Weakest first.
const LevelInfo& info(Level level);
std::string_view name_of(Level level);
// By name or alias; case, "-", "_" and " " do not matter.
std::optional<Level> find_level(std::string_view name);
// The names of the levels nearest to a misspelled name or alias, best first, at most three; may be empty.
std::vector<std::string_view> suggest_levels(std::string_view misspelled);
// Reflexive and transitive.
bool implies(Level stronger, Level weaker);

bool uses_session_order(Level level);
bool uses_real_time(Level level);

}  // namespace serval
