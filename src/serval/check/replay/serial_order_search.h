#pragma once
// Looks for a serial order of a history with predicates and no certificate: nobody says who had seen what, so
// an order is guessed from what reads and times tell, replayed, and mended where the replay stumbles.
//
//   SerialOrderSearch search(history, relations, level, budget);
//   if (search.run()) search.order()          // passes the replay: a proof
//
// Finding none proves nothing: of the two ways to mend a contradiction one is tried. Stops after a fixed
// effort, a few passes over the history for large ones.

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
  // Keeps what is known: who read from whom, who overwrote what, and the level's session order and real time.
  SerialOrderSearch(const History& history, const Relations& relations, Level level, Budget& budget);

  bool run();
  const std::vector<TransactionId>& order() const noexcept { return order_; }
  // Where the last order that was tried fails, in words.
  const std::string& obstacle() const noexcept { return obstacle_; }

 private:
  enum class By { End, Begin, File };
  bool try_from(By by);
  std::vector<std::int64_t> keys_by(By by) const;
  // False where what is known goes in circles.
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
