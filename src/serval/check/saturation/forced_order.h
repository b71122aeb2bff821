#pragma once
// What the axiom of a weak level implies for the commit order. All axioms of Biswas & Enea 2019 have one
// form: T3 reads x from T1, T2 wrote x and is visible to T3, so T2 precedes T1. They differ in the
// definition of visibility. The level holds exactly if these conclusions, reads-from and (if the level
// uses it) session order are acyclic: any topological order is then a commit order (AWDIT, PLDI 2025).
//
// Only conclusions that do not follow from others are drawn, which keeps their number near-linear.

#include <vector>

#include "serval/inference/reads_from.h"

namespace serval {

struct ForcedEdge {
  TransactionId before, after;
  friend bool operator==(const ForcedEdge&, const ForcedEdge&) = default;
};

// `missed`, which wrote the key, was visible to the reader, which nevertheless read the key's initial
// version, which precedes every write.
struct StaleInitialRead {
  TransactionId missed, reader;
  KeyId key;
};

struct ForcedOrder {
  std::vector<ForcedEdge> edges;
  std::vector<StaleInitialRead> stale;  // Each refutes the level by itself.
  // Reads-from and the conclusions all lead from smaller to larger transaction numbers, like session
  // order: the order of the history is then a commit order.
  bool ascending = true;

  void reads_from(TransactionId writer, TransactionId reader) {
    if (!writer.is_none()) ascending = ascending && writer < reader;
  }
  // `reader` read `key` from `after` (none(): the initial version), and `before`, which wrote it, was
  // visible.
  void conclude(TransactionId before, TransactionId after, TransactionId reader, KeyId key) {
    if (before == after) return;
    if (after.is_none()) return stale.push_back({before, reader, key});
    ascending = ascending && before < after;
    const ForcedEdge edge{before, after};
    if (edges.empty() || edges.back() != edge) edges.push_back(edge);
  }
};

}  // namespace serval
