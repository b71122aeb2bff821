#pragma once
// Serialization certifier (Leopard V-D): the dependencies that the other mechanisms deduced, as a graph. A
// cycle that the level forbids is a violation; the database's own rule (two rw in a row, timestamps, ...) is
// only counted, because correct databases allow what it looks like: two rw in a row, say, unless the last of
// the three committed first.
//
//   const Participant t = certifier.add({.transaction = 7, .commit = {10, 20}});
//   if (auto violation = certifier.depend(Dependency::ReadWrite, t, other, key)) ...
//   certifier.complete(t);
//   certifier.forget_before(horizon);    // Leopard, Definition 4: ended before it, and nothing leads there.
//
// Under CycleRule::Snapshot and Prefix a transaction is two vertices, its snapshot and its commit
// (decision 005).

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "serval/graph/growing_order.h"
#include "serval/online/key_table.h"
#include "serval/online/profile.h"
#include "serval/online/violation.h"

namespace serval::online {

enum class Dependency : std::uint8_t { WriteWrite, WriteRead, ReadWrite, Session };
constexpr std::size_t kDependencyCount = 4;

// A committed transaction in the graph, until it is forgotten.
struct Participant {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t slot = kNone;
  std::uint32_t generation = 0;
  bool is_none() const { return slot == kNone; }
  friend bool operator==(const Participant&, const Participant&) = default;
};

class SerializationCertifier {
 public:
  struct Summary {
    std::uint64_t transaction = 0;
    std::uint32_t session = 0;
    Interval commit;
  };
  // What the database's own rule would have looked at.
  struct Hints {
    std::uint64_t consecutive_anti_dependencies = 0;  // Two rw in a row.
    std::uint64_t dangerous_structures = 0;           // The last of the three committed first.
    std::uint64_t against_commit_order = 0;           // A dependency from a later to an earlier commit.
  };

  SerializationCertifier(CycleRule rule, const KeyTable& keys)
      : rule_(rule), has_snapshots_(rule == CycleRule::Snapshot || rule == CycleRule::Prefix), keys_(keys) {}

  Participant add(const Summary& summary);
  bool knows(const Participant& participant) const {
    return !participant.is_none() && slots_[participant.slot].generation == participant.generation;
  }
  CycleRule rule() const { return rule_; }
  // Does nothing where one of them is forgotten: a cycle cannot come back to what nothing leads to.
  // `new_object`: what is written is not the next version of what was there.
  std::optional<Violation> depend(Dependency dependency, const Participant& from, const Participant& to,
                                  std::uint32_t key, bool new_object = false);
  // All its own dependencies are in. In the order of the commits' ends.
  void complete(const Participant& participant);
  void forget_before(Time horizon);

  const Hints& hints() const { return hints_; }
  const GrowingOrder& graph() const { return graph_; }
  std::size_t bytes() const { return graph_.bytes() + slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t generation = 0;
    Vertex snapshot = 0, commit = 0;  // The same, unless has_snapshots_.
    std::uint8_t vertices_left = 0;
    bool may_go = false;
    Summary summary;
    Time first_out_end = kUnknownEnd;    // Of rw from here: the earliest end of a commit,
    Time last_in_begin = kUnknownBegin;  // of rw to here: the latest begin of a commit.
  };

  void note_hint(Dependency dependency, Slot& from, Slot& to);
  Violation cycle_violation(const GrowingOrder::Step& closing) const;
  void drop(Vertex vertex);

  CycleRule rule_;
  bool has_snapshots_;
  const KeyTable& keys_;
  GrowingOrder graph_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> slot_of_;  // By vertex.
  std::deque<std::uint32_t> complete_;  // Slots, by the ends of their commits.
  std::vector<Vertex> droppable_;
  Hints hints_;
};

}  // namespace serval::online
