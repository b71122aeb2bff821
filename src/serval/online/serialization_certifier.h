#pragma once
// Serialization certifier (Leopard V-D): a graph of the dependencies that the other mechanisms deduced. A
// cycle that the level forbids is a violation. The patterns of the certifiers of databases (SSI, TO, OCC,
// Percolator) are only counted, at a flat cost per dependency, because correct databases permit some of
// them: for example two consecutive rw, unless the last of the three committed first.
//
//   certifier.add(t, {.transaction = 7, .commit = {10, 20}});
//   if (auto violation = certifier.depend({t, other, key, Dependency::ReadWrite})) ...
//   certifier.complete(t);
//   certifier.forget_before(horizon);    // Leopard, Definition 4: ended before it, no incoming edges.
//
// With CycleRule::Snapshot and Prefix a transaction has two vertices, its snapshot and its commit
// (decision 005).

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "serval/graph/growing_order.h"
#include "serval/online/findings.h"
#include "serval/online/key_table.h"
#include "serval/online/online_statistics.h"
#include "serval/online/profile.h"

namespace serval::online {

class SerializationCertifier {
 public:
  struct Summary {
    std::uint64_t transaction = 0;
    std::uint32_t session = 0;
    bool writes = false;
    Interval commit;
    Interval snapshot{kUnknownBegin, kUnknownEnd};
  };
  SerializationCertifier(CycleRule rule, const KeyTable& keys)
      : rule_(rule), has_snapshots_(rule == CycleRule::Snapshot || rule == CycleRule::Prefix), keys_(keys) {}

  // Numbers ascend, from 1.
  void add(const Participant& participant, const Summary& summary);
  bool knows(const Participant& participant) const {
    return participant.number >= oldest_ && participant.number < next_ && slot_of(participant) != kForgotten;
  }
  // Participants with smaller numbers are forgotten.
  std::uint64_t oldest() const { return oldest_; }
  // Does nothing if one of them is forgotten: without incoming edges it cannot be on a cycle.
  std::optional<Violation> depend(const Findings::Link& link);
  // All dependencies of the participant were added. Call it in the order of the commits' ends.
  void complete(const Participant& participant);
  void forget_before(Time horizon);

  // Two updates that cannot both have been based on the newest version: Percolator's pattern, found by the
  // rule that the first updater wins.
  void note_lost_update() { ++hints_.concurrent_writes; }

  const CertifierHints& hints() const { return hints_; }
  const GrowingOrder& graph() const { return graph_; }

 private:
  struct Slot {
    std::uint64_t participant = 0;
    Vertex snapshot = 0, commit = 0;  // The same, unless has_snapshots_.
    Summary summary;
    // Over outgoing rw: the earliest end of a commit, and whose it is. Over incoming rw: the latest begin of
    // a commit, or of the snapshot of a transaction that only reads.
    Time first_out_end = kUnknownEnd;
    Time last_in_begin = kUnknownBegin;
    std::uint32_t first_out = 0, last_in = 0;  // Participants, modulo 2^32.
    std::uint8_t vertices_left = 0;
    bool may_go = false;
    bool is_pivot = false, is_dangerous = false;
  };

  static constexpr std::uint32_t kForgotten = 0xFFFFFFFFu;

  std::uint32_t& slot_of(const Participant& participant) {
    return slot_by_number_[participant.number & (slot_by_number_.size() - 1)];
  }
  const std::uint32_t& slot_of(const Participant& participant) const {
    return slot_by_number_[participant.number & (slot_by_number_.size() - 1)];
  }
  void make_room();
  void note_hint(Dependency dependency, Slot& from, Slot& to);
  void note_pivot(Slot& slot);
  Violation cycle_violation(const GrowingOrder::Step& closing) const;
  void drop(Vertex vertex);

  CycleRule rule_;
  bool has_snapshots_;
  const KeyTable& keys_;
  GrowingOrder graph_;
  // A ring of slots for the participants [oldest_, next_); its size is a power of two.
  std::vector<std::uint32_t> slot_by_number_ = std::vector<std::uint32_t>(64, kForgotten);
  std::uint64_t oldest_ = 1, next_ = 1;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> slot_of_;  // By vertex.
  std::deque<std::uint32_t> complete_;  // Slots, by the ends of their commits.
  std::vector<Vertex> droppable_;
  CertifierHints hints_;
};

}  // namespace serval::online
