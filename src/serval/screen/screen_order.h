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

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "serval/graph/growing_order.h"
#include "serval/history/transaction.h"
#include "serval/inference/dependency_graph.h"
#include "serval/screen/time_chain.h"

namespace serval {

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
