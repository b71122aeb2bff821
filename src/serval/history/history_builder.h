#pragma once
// Builds a History, then freezes it. The transactions of a session are in the order of their
// begin_transaction calls; operations of different transactions may be added interleaved.
//
//   HistoryBuilder builder;
//   SessionId s = builder.session(Value::integer(1));
//   TransactionId t = builder.begin_transaction(s, Value::integer(42));
//   builder.add(t, OperationKind::Write, builder.key(Value::integer(7)), Value::integer(1));
//   builder.set_outcome(t, Outcome::Aborted);        // the default is Committed
//   const History history = std::move(builder).freeze();
//
// Amortised O(1) per call. Single-threaded.

#include <cstdint>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/history/history.h"

namespace serval {

class HistoryBuilder {
 public:
  ValuePool& values() noexcept { return history_.pool_; }
  // The ids for a name, created on first use.
  KeyId key(Value name);
  SessionId session(Value label);

  TransactionId begin_transaction(SessionId session, Value label);
  void set_outcome(TransactionId t, Outcome outcome) { history_.outcomes_[t.index] = outcome; }
  void set_interval(TransactionId t, Interval interval);
  void set_hints(TransactionId t, TransactionHints hints);
  // Merged with hints that were set before. O(hints).
  void add_hints(std::vector<std::pair<TransactionId, TransactionHints>> later);
  Outcome outcome(TransactionId t) const { return history_.outcomes_[t.index]; }
  Value label(TransactionId t) const { return history_.transaction_labels_[t.index]; }
  SessionId session_of(TransactionId t) const { return history_.transaction_session_[t.index]; }
  // Reserves memory, so that the columns are not copied as they grow. An estimate is enough. Times are
  // reserved only if some were already given.
  void reserve(std::size_t transactions, std::size_t operations);

  void add(TransactionId t, const Operation& operation);
  // The common case, without rare members: one push per column.
  void add(TransactionId t, OperationKind kind, KeyId key, Value value) {
    if (t != last_transaction_) note_transaction_switch(t);
    history_.kinds_.push_back(kind);
    history_.keys_.push_back(key);
    history_.values_.push_back(value);
  }

  // Sets the version of an operation that was added without predicate, rows, version or row counts. Call
  // in operation order, before any later operation with one of these is added.
  void set_version(OperationId op, std::int64_t version);

  // Turns every Read of nil or unknown into a ReadList, for files that show only at their end that their
  // keys hold lists. O(operations).
  void treat_empty_reads_as_lists();

  PredicateId predicate(Predicate tree);
  // Parts of the certificate. `op` counts operations as they were added: operation_count() - 1 is the
  // last one.
  void add_order(KeyOrder order) { history_.certificate_.orders.push_back(std::move(order)); }
  void add_version_set(OperationId op, VersionSet seen);
  void set_ordered_by_commit() { history_.certificate_.ordered_by_commit = true; }
  void set_initial_value(Value value) { history_.initial_value_ = value; }
  void set_fact(const std::string& name, std::string text) { history_.facts_[name] = std::move(text); }

  std::size_t transaction_count() const noexcept { return history_.transaction_count(); }
  std::size_t operation_count() const noexcept { return history_.operation_count(); }

  History freeze() &&;

 private:
  void note_transaction_switch(TransactionId t);
  void group_by_transaction();
  void order_sessions();
  // A Read of an empty list that nobody wrote becomes a read of a list without appends.
  void take_empty_lists_for_lists();

  // Keys that are small non-negative integers, the common case, are found by index, all others by hash.
  static constexpr std::int64_t kDirect = 1 << 16;
  std::vector<KeyId> direct_keys_;
  absl::flat_hash_map<Value, KeyId> keys_;
  absl::flat_hash_map<Value, SessionId> sessions_;
  History history_;
  TransactionId last_transaction_ = TransactionId::none();
  // Runs of operations of one transaction: (first operation, transaction). Sorted runs make H1 free.
  struct Run {
    std::uint32_t first;
    TransactionId transaction;
  };
  std::vector<Run> runs_;
  bool runs_ascend_ = true;  // Every run belongs to a later transaction than the previous run.
};

}  // namespace serval
