#pragma once
// The dependency graph of a growing history, in the shape that a level needs
// (inference/dependency_graph.h), kept in topological order. After an edge that closes a cycle, nothing
// more is added.
//
//   ScreenOrder order({.snapshots = true, .session_order = true});
//   const TransactionId u = order.add(session, Outcome::Committed, interval), v = order.add(...);
//   order.depend(u, v);            // v saw what u wrote, or overwrote it.
//   order.miss(v, u);              // v read a version that u overwrote.
//   order.is_contradicted();
//
// An edge may be an assumption about a key. An assumption that contradicts a certain edge is withdrawn,
// and the key is open until it is settled. Amortized as in graph/growing_order.h: O(1) for edges that
// agree with the order in which transactions are added, else O(transactions in between). Not
// thread-safe.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "serval/graph/growing_order.h"
#include "serval/history/transaction.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

// Real-time order for a screen, as edges of a growing order: a vertex for each end, chained by time, and
// an edge from the last end before a transaction's begin to the transaction (the online counterpart of
// inference/real_time.h).
//
//   TimeChain times;
//   times.add_begin(begin_time, begin_vertex, emit);       // emit(from, to) for each new edge
//   times.add_end(end_time, commit_vertex, end_vertex, emit);
//
// Times may arrive in any order. Those near the latest cost O(log transactions); others also cost
// O(distance from the latest), and a late end adds an edge to each begin between it and the next end.
// Not thread-safe.
class TimeChain {
 public:
  template <class Emit>
  void add_begin(Time begin, Vertex vertex, Emit&& emit) {
    const auto after = std::ranges::lower_bound(ends_, begin, {}, &Point::time);
    if (after != ends_.begin()) emit((after - 1)->vertex, vertex);
    begins_.insert(std::ranges::upper_bound(begins_, begin, {}, &Point::time), {begin, vertex});
  }

  template <class Emit>
  void add_end(Time end, Vertex commit, Vertex vertex, Emit&& emit) {
    emit(commit, vertex);
    const auto next = std::ranges::upper_bound(ends_, end, {}, &Point::time);
    const Time until = next == ends_.end() ? kUnknownEnd : next->time;
    if (next != ends_.begin()) emit((next - 1)->vertex, vertex);
    if (next != ends_.end()) emit(vertex, next->vertex);
    ends_.insert(next, {end, vertex});
    for (auto late = std::ranges::upper_bound(begins_, end, {}, &Point::time);
         late != begins_.end() && late->time <= until; ++late)
      emit(vertex, late->vertex);
  }

  std::size_t bytes() const noexcept { return (begins_.capacity() + ends_.capacity()) * sizeof(Point); }

 private:
  struct Point {
    Time time;
    Vertex vertex;
  };
  std::vector<Point> begins_, ends_;  // By time.
};

class ScreenOrder {
 public:
  explicit ScreenOrder(GraphShape shape) : shape_(shape) {}

  const GraphShape& shape() const noexcept { return shape_; }
  // The transactions of a session must be added in session order.
  TransactionId add(SessionId session, Outcome outcome, Interval interval);
  void depend(TransactionId from, TransactionId to);
  void miss(TransactionId reader, TransactionId writer);

  // A helper vertex leads from its readers to a writer, and to the next helper in its chain.
  Vertex add_helper(TransactionId writer);
  void miss(TransactionId reader, Vertex helper);
  void chain(Vertex helper, Vertex next) { certain(helper, next); }

  // Assumes that `from` is visible to `to`, for some order of the key's versions.
  void assume(KeyId key, TransactionId from, TransactionId to);
  void retract(KeyId key, TransactionId from, TransactionId to);
  void settle(KeyId key) { open_.erase(key); }

  bool is_contradicted() const noexcept { return contradicted_; }
  bool has_open_keys() const noexcept { return !open_.empty(); }

  std::size_t transaction_count() const noexcept { return begin_.size(); }
  std::uint64_t effort() const noexcept { return edges_ + order_.vertices_visited(); }
  std::size_t bytes() const noexcept;

 private:
  Vertex begin(TransactionId t) const { return begin_[t.index]; }
  Vertex commit(TransactionId t) const { return begin_[t.index] + (shape_.snapshots ? 1 : 0); }
  void certain(Vertex from, Vertex to);
  bool drop_assumption_on_path();
  static std::uint64_t label_of(KeyId key) { return std::uint64_t{key.index} + 1; }

  static constexpr std::uint64_t kCertain = 0;  // Other labels: 1 + the key of the assumption.
  GraphShape shape_;
  GrowingOrder order_;
  TimeChain times_;
  std::vector<Vertex> begin_;        // By transaction.
  std::vector<TransactionId> last_;  // By session.
  absl::flat_hash_set<KeyId> open_;
  std::uint64_t edges_ = 0;
  bool contradicted_ = false;
};

}  // namespace serval
