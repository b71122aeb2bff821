#pragma once
// Directly checks what the timestamps of a simulated register history claim: a commit has a number, and
// a snapshot is such a number and shows exactly the commits up to it. The history must have been
// simulated with Certificate::Timestamps.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "serval/history/history.h"

namespace serval {

class Replay {
 public:
  explicit Replay(const History& history) : history_(history) {
    for (const TransactionId t : history.transactions()) {
      for (const auto& [key, value] : last_writes(t)) {
        writer_[value] = t;
        if (commit(t)) versions_[key][*commit(t)] = value;
      }
      for (const OperationId op : history.operations(t))
        if (history.kind(op) == OperationKind::Write) written_.insert(history.value(op));
    }
  }

  // Every read that is not of the transaction's own write returns what the snapshot shows.
  bool reads_match_snapshots() const {
    return every_read([&](TransactionId t, OperationId op) {
      return history_.value(op) == value_at(history_.key(op), start(t));
    });
  }
  // Every read returns the last write of a transaction that did not abort, or the initial value.
  bool reads_are_committed() const {
    return every_read([&](TransactionId, OperationId op) {
      if (history_.value(op) == history_.initial_value()) return true;
      const auto writer = writer_.find(history_.value(op));
      return writer != writer_.end() && history_.outcome(writer->second) != Outcome::Aborted;
    });
  }
  bool reads_were_written() const {
    return every_read([&](TransactionId, OperationId op) {
      return history_.value(op) == history_.initial_value() || written_.contains(history_.value(op));
    });
  }
  // No other transaction committed to the keys that a transaction wrote between its snapshot and its
  // commit.
  bool first_committer_wins() const {
    return every_committed([&](TransactionId t) {
      return !commit(t) || std::ranges::all_of(last_writes(t), [&](const auto& write) {
        return value_at(write.first, *commit(t) - 1) == value_at(write.first, start(t));
      });
    });
  }
  // The same for the keys it read.
  bool reads_are_current_at_commit() const {
    return every_read([&](TransactionId t, OperationId op) {
      return !commit(t) || history_.value(op) == value_at(history_.key(op), *commit(t) - 1);
    });
  }
  // A snapshot contains everything that the session did and saw before.
  bool sessions_see_their_past() const {
    for (const SessionId s : history_.sessions()) {
      std::int64_t past = 0;
      for (const TransactionId t : history_.session_transactions(s)) {
        if (history_.outcome(t) != Outcome::Committed) continue;
        if (sees_until(t) < past) return false;
        past = std::max(past, place(t));
      }
    }
    return true;
  }
  // A snapshot contains everything that had returned before the transaction began.
  bool snapshots_follow_real_time() const {
    std::vector<TransactionId> by_begin, by_end;
    for (const TransactionId t : history_.transactions())
      if (history_.outcome(t) == Outcome::Committed) by_begin.push_back(t);
    by_end = by_begin;
    std::ranges::sort(by_begin, {}, [&](TransactionId t) { return history_.interval(t).begin; });
    std::ranges::sort(by_end, {}, [&](TransactionId t) { return history_.interval(t).end; });
    std::int64_t returned = 0;
    std::size_t ended = 0;
    for (const TransactionId t : by_begin) {
      for (; history_.interval(by_end[ended]).end < history_.interval(t).begin; ++ended)
        returned = std::max(returned, place(by_end[ended]));
      if (sees_until(t) < returned) return false;
    }
    return true;
  }

 private:
  std::int64_t start(TransactionId t) const { return history_.hints(t)->start_timestamp.value(); }
  std::optional<std::int64_t> commit(TransactionId t) const { return history_.hints(t)->commit_timestamp; }
  std::int64_t place(TransactionId t) const { return commit(t).value_or(start(t)); }
  std::int64_t sees_until(TransactionId t) const { return start(t); }

  std::map<KeyId, Value> last_writes(TransactionId t) const {
    std::map<KeyId, Value> writes;
    for (const OperationId op : history_.operations(t))
      if (history_.kind(op) == OperationKind::Write) writes[history_.key(op)] = history_.value(op);
    return writes;
  }
  Value value_at(KeyId key, std::int64_t position) const {
    const auto versions = versions_.find(key);
    if (versions == versions_.end()) return history_.initial_value();
    const auto after = versions->second.upper_bound(position);
    return after == versions->second.begin() ? history_.initial_value() : std::prev(after)->second;
  }
  template <class Claim>
  bool every_committed(Claim claim) const {
    for (const TransactionId t : history_.transactions())
      if (history_.outcome(t) == Outcome::Committed && !claim(t)) return false;
    return true;
  }
  // Covers reads that are not of the transaction's own writes.
  template <class Claim>
  bool every_read(Claim claim) const {
    return every_committed([&](TransactionId t) {
      std::set<KeyId> own;
      for (const OperationId op : history_.operations(t)) {
        const KeyId key = history_.key(op);
        if (history_.kind(op) == OperationKind::Write)
          own.insert(key);
        else if (!own.contains(key) && !claim(t, op))
          return false;
      }
      return true;
    });
  }

  const History& history_;
  std::map<KeyId, std::map<std::int64_t, Value>> versions_;
  std::map<Value, TransactionId> writer_;
  std::set<Value> written_;
};

}  // namespace serval
