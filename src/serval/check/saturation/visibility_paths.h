#pragma once
// Why one transaction was visible to another at a weak level, as edges to show: the evidence for a
// CommitOrder edge. Only used for the few transactions of an anomaly.
//
//   monotonic atomic view, read committed   it had read from the other
//   read atomic                             it reads from the other, or follows it in its session
//   causal                                  session order and reads-from lead from the other to it

#include <cstdint>
#include <optional>
#include <vector>

#include "serval/base/budget.h"
#include "serval/evidence/dependency.h"
#include "serval/graph/csr_graph.h"
#include "serval/graph/path_finder.h"
#include "serval/history/history.h"
#include "serval/inference/reads_from.h"
#include "serval/levels/level.h"

namespace serval {

class VisibilityPaths {
 public:
  VisibilityPaths(const History& history, const Relations& relations, Level level, Budget& budget);

  // The edges that lead from `seen` to `reader`, which then performed `read`; empty if `seen` was not
  // visible.
  std::vector<Edge> path(TransactionId seen, TransactionId reader, OperationId read);

  // Whether the search effort is used up: further answers would cost more than they are worth.
  bool exhausted() const { return finder_ && finder_->spent() > kEffort; }

 private:
  std::vector<Edge> causal_path(TransactionId seen, TransactionId reader);
  Edge step(TransactionId from, TransactionId to) const;

  static constexpr std::uint64_t kEffort = 200'000'000;
  const History& history_;
  const Relations& relations_;
  Level level_;
  Budget& budget_;
  CsrGraph graph_;  // Session order and reads-from; built on first use.
  std::optional<PathFinder> finder_;
};

// The first read from `from` in `to`, if it precedes the operation `before` (none(): anywhere).
std::optional<Edge> first_read_from(const History& history, const Relations& relations, TransactionId from,
                                    TransactionId to, OperationId before = OperationId::none());

// Session order is transitive: merges consecutive session edges into one.
void merge_session_edges(std::vector<Edge>& path);

}  // namespace serval
