#pragma once
// For every vertex of an acyclic graph, the number of events of each chain that lead to it: reachability
// from any transaction with a single comparison.
//
//   table.row(v)[c] > points.commit_event(position)       the commit at this position of chain c precedes v
//
// O(edges * chains) time, vertices * chains words.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/check/polygraph/chains.h"
#include "serval/check/polygraph/points.h"

namespace serval {

class ClockTable {
 public:
  ClockTable(const History& history, const Points& points, const Chains& chains)
      : history_(history), points_(points), chains_(chains) {}

  // Requires a topological order of the entire graph. A second call keeps the rows of the first for
  // changed().
  void fill(const CsrGraph& graph, const std::vector<Vertex>& order, Budget& budget) {
    std::swap(cells_, before_);
    cells_.assign(std::size_t{graph.vertex_count()} * chains_.count, 0);
    for (const Vertex v : order) {
      budget.poll("clocks");
      const std::span<std::uint32_t> own = cells_of(v);
      count_own_event(v, own);
      for (const Vertex next : graph.successors(v)) join(cells_of(next), own);
    }
    changed_.assign(graph.vertex_count(), ~std::uint64_t{0});
    if (before_.empty()) return;
    for (Vertex v = 0; v < graph.vertex_count(); ++v) {
      const auto now = row(v), before = row_before(v);
      std::uint64_t bits = 0;
      for (std::size_t chain = 0; chain < now.size(); ++chain)
        bits |= std::uint64_t{now[chain] != before[chain]} << (chain % 64);
      changed_[v] = bits;
    }
  }

  std::span<const std::uint32_t> row(Vertex v) const {
    return std::span(cells_).subspan(std::size_t{v} * chains_.count, chains_.count);
  }
  // Since the previous fill(); after the first, everything. For a chain: this one, or one a multiple of
  // 64 chains apart.
  bool changed(Vertex v) const { return changed_[v] != 0; }
  bool changed(Vertex v, std::uint32_t chain) const { return (changed_[v] >> (chain % 64) & 1) != 0; }
  void prefetch(Vertex v) const {
    const std::uint32_t* cells = cells_.data() + std::size_t{v} * chains_.count;
    __builtin_prefetch(cells);
    __builtin_prefetch(cells + 16);
    __builtin_prefetch(changed_.data() + v);
  }
  // How much certainly precedes the vertex; increases along every edge between begins and commits.
  std::int64_t sum(Vertex v) const {
    std::int64_t sum = 0;
    for (const std::uint32_t cell : row(v)) sum += cell;
    return sum;
  }

 private:
  std::span<const std::uint32_t> row_before(Vertex v) const {
    return std::span(before_).subspan(std::size_t{v} * chains_.count, chains_.count);
  }
  std::span<std::uint32_t> cells_of(Vertex v) {
    return std::span(cells_).subspan(std::size_t{v} * chains_.count, chains_.count);
  }
  static void join(std::span<std::uint32_t> into, std::span<const std::uint32_t> from) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
  }
  void count_own_event(Vertex v, std::span<std::uint32_t> own) const {
    const VertexMap& map = points_.map();
    if (map.is_helper(v, history_.transaction_count())) return;
    const TransactionId t = map.transaction(v);
    if (chains_.chain[t.index] == Chains::kNone) return;
    const std::uint32_t position = chains_.position[t.index];
    std::uint32_t& cell = own[chains_.chain[t.index]];
    if (map.is_commit(v))
      cell = std::max(cell, points_.commit_event(position) + 1);
    else if (map.is_begin(v))
      cell = std::max(cell, points_.begin_event(position) + 1);
  }

  const History& history_;
  const Points& points_;
  const Chains& chains_;
  std::vector<std::uint32_t> cells_, before_;
  std::vector<std::uint64_t> changed_;  // By vertex, one bit per chain.
};

}  // namespace serval
