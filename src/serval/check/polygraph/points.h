#pragma once
// What "before" means at a level, as vertices of its dependency graph (dependency_graph.h).
//
//   one writer before another    commit(T2) -> begin(T1), or commit(T1) if writers may be concurrent
//   a reader before a writer     begin(T3) -> commit(T2)
//
// Without snapshots, a transaction has a single vertex for all of these.

#include <cstdint>
#include <utility>

#include "serval/inference/dependency_graph.h"

namespace serval {

// `first` comes before `second`.
struct PointStep {
  Vertex first, second;
  friend bool operator==(const PointStep&, const PointStep&) = default;
};

class Points {
 public:
  explicit Points(GraphShape shape) : map_(shape), shape_(shape), shift_(shape.snapshots ? 1 : 0) {}

  Vertex begin(TransactionId t) const { return map_.begin(t); }
  Vertex commit(TransactionId t) const { return map_.commit(t); }
  // The point of a later writer that must come after the commits of earlier ones.
  Vertex overwrites(TransactionId t) const {
    return shape_.writes_may_overlap ? map_.commit(t) : map_.begin(t);
  }
  PointStep write_then_write(TransactionId earlier, TransactionId later) const {
    return {commit(earlier), overwrites(later)};
  }
  PointStep read_then_write(TransactionId reader, TransactionId writer) const {
    return {begin(reader), commit(writer)};
  }
  // Whether of two writers of a key one must be visible to the other.
  bool exclusive() const { return shape_.snapshots && !shape_.writes_may_overlap; }

  const VertexMap& map() const { return map_; }
  GraphShape shape() const { return shape_; }

  // The events of a chain are the begins and commits of its transactions, or only the transactions; a
  // clock counts them.
  std::uint32_t events() const { return shape_.snapshots ? 2 : 1; }
  std::uint32_t begin_event(std::uint32_t position) const { return position << shift_; }
  std::uint32_t commit_event(std::uint32_t position) const { return (position << shift_) + shift_; }
  // The number of transactions of a chain that have committed, or begun, within its first `clock`
  // events.
  std::uint32_t commits_within(std::uint32_t clock) const { return clock >> shift_; }
  std::uint32_t begins_within(std::uint32_t clock) const { return (clock + shift_) >> shift_; }
  // The number that have reached the point of overwrites().
  std::uint32_t overwrites_within(std::uint32_t clock) const {
    return shape_.writes_may_overlap ? commits_within(clock) : begins_within(clock);
  }

 private:
  VertexMap map_;
  GraphShape shape_;
  std::uint32_t shift_;  // 1 if there are two events per transaction.
};

}  // namespace serval
