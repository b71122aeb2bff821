#pragma once
// What the axiom of a weak level concludes about the commit order. All axioms of Biswas & Enea 2019 have one
// form: T3 reads x from T1, T2 wrote x and T3 has seen T2, so T2 comes before T1. They differ in what "seen"
// means. The level holds exactly when these conclusions, reads-from and (where the level uses it) session
// order have no cycle: any topological order is then a commit order (AWDIT, PLDI 2025).
//
// Only conclusions that do not follow from others are drawn, which is what keeps their number near-linear.

#include <vector>

#include "serval/inference/reads_from.h"

namespace serval {

struct ForcedEdge {
  TransactionId before, after;
  friend bool operator==(const ForcedEdge&, const ForcedEdge&) = default;
};

// The reader had seen `missed`, which wrote the key, and yet read the key's initial version, which precedes
// every write.
struct StaleInitialRead {
  TransactionId missed, reader;
  KeyId key;
};

struct ForcedOrder {
  std::vector<ForcedEdge> edges;
  std::vector<StaleInitialRead> stale;  // Each refutes the level by itself.
  // Reads-from and the conclusions all lead from smaller to larger transaction numbers, as session order
  // does: then the order of the history is a commit order.
  bool ascending = true;

  void reads_from(TransactionId writer, TransactionId reader) {
    if (!writer.is_none()) ascending = ascending && writer < reader;
  }
  // `reader` read `key` from `after` (none(): the initial version) and had seen `before`, which wrote it.
  void conclude(TransactionId before, TransactionId after, TransactionId reader, KeyId key) {
    if (before == after) return;
    if (after.is_none()) return stale.push_back({before, reader, key});
    ascending = ascending && before < after;
    const ForcedEdge edge{before, after};
    if (edges.empty() || edges.back() != edge) edges.push_back(edge);
  }
};

}  // namespace serval
