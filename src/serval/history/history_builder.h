#pragma once
// Builds a History, then freezes it. Transactions of a session are in the order of their begin_transaction
// calls; operations of different transactions may arrive interleaved.
//
//   HistoryBuilder builder;
//   SessionId s = builder.session(Value::integer(1));
//   TransactionId t = builder.begin_transaction(s, Value::integer(42));
//   builder.add(t, OperationKind::Write, builder.key(Value::integer(7)), Value::integer(1));
//   builder.set_outcome(t, Outcome::Aborted);        // Committed unless told otherwise
//   const History history = std::move(builder).freeze();
//
// Amortised O(1) a call. One thread.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

class HistoryBuilder {
 public:
  HistoryBuilder();
  HistoryBuilder(HistoryBuilder&&) noexcept;
  HistoryBuilder& operator=(HistoryBuilder&&) noexcept;
  ~HistoryBuilder();

  ValuePool& values() noexcept { return history_.pool_; }
  // The ids for a name, made on first use.
  KeyId key(Value name);
  SessionId session(Value label);

  TransactionId begin_transaction(SessionId session, Value label);
  void set_outcome(TransactionId t, Outcome outcome) { history_.outcomes_[t.index] = outcome; }
  void set_interval(TransactionId t, Interval interval);
  void set_hints(TransactionId t, TransactionHints hints);
  // On top of those that were set before. O(hints).
  void add_hints(std::vector<std::pair<TransactionId, TransactionHints>> later);
  Outcome outcome(TransactionId t) const { return history_.outcomes_[t.index]; }
  Value label(TransactionId t) const { return history_.transaction_labels_[t.index]; }
  SessionId session_of(TransactionId t) const { return history_.transaction_session_[t.index]; }
  // Makes room, so that the columns need not be copied as they grow. A guess is fine. Of times only where
  // some were given before.
  void reserve(std::size_t transactions, std::size_t operations);

  void add(TransactionId t, const Operation& operation);
  // The common case, without the rare members: one push a column.
  void add(TransactionId t, OperationKind kind, KeyId key, Value value) {
    if (t != last_transaction_) note_transaction_switch(t);
    history_.kinds_.push_back(kind);
    history_.keys_.push_back(key);
    history_.values_.push_back(value);
  }

  // The version of an operation that came without predicate, rows, version or row counts. Those that have one
  // must come before it: call in order of the operations.
  void set_version(OperationId op, std::int64_t version);

  // Turns every Read of nil or unknown into a ReadList: a file may show only at its end that its keys hold
  // lists. O(operations).
  void treat_empty_reads_as_lists();

  PredicateId predicate(Predicate tree);
  // Of the certificate. `op` counts operations as they were added: operation_count() - 1 is the last one.
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
  // A Read of an empty list that nobody wrote is one of a list to which nothing was appended.
  void take_empty_lists_for_lists();

  struct Names;
  std::unique_ptr<Names> names_;
  History history_;
  TransactionId last_transaction_ = TransactionId::none();
  // Runs of operations of one transaction: (first operation, transaction). Sorted runs make H1 free.
  struct Run {
    std::uint32_t first;
    TransactionId transaction;
  };
  std::vector<Run> runs_;
  bool runs_ascend_ = true;  // Every run belongs to a later transaction than the one before.
};

}  // namespace serval
