#pragma once
// What the certain order implies for the open keys, to a fixpoint. T3 read what T1 wrote, and T2 wrote the
// key too:
//
//   T2 ~> T3   forces   T2 -> T1        (T2 precedes T3, which still saw T1's version)
//   T1 ~> T2   forces   T3 -> T2        (T2 overwrote what T3 saw)
//   T1 ~> T2   forces   T1 -> T2        (snapshot isolation: of two writers, one is visible to the other)
//
// with ~> as known so far. Each round computes clocks over chains (clock_table.h), then per read and
// chain the last writer before it, and per write and chain the last one before it; the other writers of
// a chain follow. A round only examines what the clocks of the previous one changed. Three to five
// rounds are typical, and a few in a thousand questions remain open.
//
// O(rounds * accesses * chains), plus a topological order per round.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serval/check/polygraph/clock_table.h"
#include "serval/check/polygraph/open_keys.h"

namespace serval {

// A step that was not known before, and the reason for it.
struct Conclusion {
  enum class Rule : std::uint8_t { WriteBeforeRead, Overwritten, Exclusive };
  PointStep step;
  Rule rule;
  std::uint32_t seen, other;                     // Indices into OpenKeys::writes: of T1 and of T2.
  TransactionId reader = TransactionId::none();  // T3, except for Exclusive.
};

class VersionSaturation {
 public:
  // `graph` is the dependency graph in the shape of `points`, acyclic.
  VersionSaturation(const History& history, const Points& points, const Chains& chains, const OpenKeys& open,
                    CsrGraph graph, Budget& budget);

  // False: the implied steps have a cycle.
  bool run();

  const CsrGraph& graph() const { return graph_; }             // With all implied steps.
  const std::vector<Vertex>& order() const { return order_; }  // Topological; incomplete after false.
  const ClockTable& clocks() const { return clocks_; }
  const std::vector<Conclusion>& conclusions() const { return conclusions_; }
  // The number of conclusions before each round.
  const std::vector<std::size_t>& rounds() const { return rounds_; }

 private:
  bool sort_and_count();
  void look_at_reads();
  void look_at_writes();
  void look_at_read(const OpenKeys::Read& read);
  void look_at_write(std::uint32_t index);
  std::uint32_t chain_of(std::uint32_t write) const {
    return chains_.chain[open_.writes[write].writer.index];
  }
  void conclude(const Conclusion& conclusion);
  void extend_graph(std::size_t first);

  const History& history_;
  const Points& points_;
  const Chains& chains_;
  const OpenKeys& open_;
  Budget& budget_;
  CsrGraph graph_;
  std::vector<Vertex> order_;
  ClockTable clocks_;
  std::vector<Conclusion> conclusions_;
  std::vector<std::size_t> rounds_;
};

}  // namespace serval
