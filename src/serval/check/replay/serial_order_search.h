#pragma once
// Searches for a serial order of a history with predicates and no certificate. Since it is unknown what
// was visible to whom, an order is guessed from reads and times, replayed, and repaired where the replay
// fails.
//
//   SerialOrderSearch search(history, relations, level, budget);
//   if (search.run()) search.order()          // passes the replay: a proof
//
// Finding none proves nothing: only one of the two ways to repair a contradiction is tried. Stops after
// a fixed effort, a few passes over the history for large ones.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serval/check/replay/replay.h"
#include "serval/inference/dependency_graph.h"
#include "serval/inference/reads_from.h"
#include "serval/levels/level.h"

namespace serval {

class SerialOrderSearch {
 public:
  // Respects what is known: reads-from, overwrites, and the level's session order and real time.
  SerialOrderSearch(const History& history, const Relations& relations, Level level, Budget& budget);

  bool run();
  const std::vector<TransactionId>& order() const noexcept { return order_; }
  // Where the last order tried fails, as text.
  const std::string& obstacle() const noexcept { return obstacle_; }

 private:
  enum class By { End, Begin, File };
  bool try_from(By by);
  std::vector<std::int64_t> keys_by(By by) const;
  // False if the known order is cyclic.
  bool arrange(const std::vector<std::int64_t>& keys);
  bool mend(const ReplayMismatch& mismatch);

  const History& history_;
  GraphShape shape_;
  bool has_times_;
  Budget& budget_;
  CsrGraph known_;
  std::vector<std::pair<TransactionId, TransactionId>> guessed_;
  std::vector<TransactionId> order_;
  std::string obstacle_;
};

}  // namespace serval
