#pragma once
// What clients requested and observed, as plain immutable data in columns. Every checker is a function
// of const History&.
//
//   const History history = parse_history("s1: [w(x,1) r(y,0)]  s2: [w(y,1) r(x,0)]");
//   for (TransactionId t : history.transactions())
//     for (OperationId op : history.operations(t)) use(history.kind(op), history.key(op), history.value(op));
//
// About 18 bytes per operation, 34 with times (13 + 16 per row, plus 17 per transaction); rare members
// take space only where they occur. Safe to read from any number of threads.
//
// Invariants, established by HistoryBuilder::freeze():
//   H1  the operations of a transaction are consecutive and in program order;
//   H2  session_transactions(s) is in session order, and every transaction is in exactly one session;
//   H3  every id in a column is below the count of its kind (or none() where the column says so).
//
// Reads of a key before any write see the initial version, which precedes every write. Its value is nil,
// and also initial_value() for formats that write it as a number (0 in PolySI text). The history may
// also write that value (docs/decisions/004-initial-version.md):
//
//   s1: [r(x,0)]             reads the initial version
//   s1: [w(x,0)] s2: [r(x,0)]  reads the initial version or s1's write

#include <map>
#include <span>
#include <string>
#include <vector>

#include "serval/base/jagged.h"
#include "serval/history/certificate.h"
#include "serval/history/ids.h"
#include "serval/history/operation.h"
#include "serval/history/predicate.h"
#include "serval/history/transaction.h"
#include "serval/history/value.h"

namespace serval {

class History {
 public:
  History() = default;  // Empty: no sessions, no transactions.

  std::size_t session_count() const noexcept { return session_labels_.size(); }
  std::size_t transaction_count() const noexcept { return transaction_session_.size(); }
  std::size_t operation_count() const noexcept { return kinds_.size(); }
  std::size_t key_count() const noexcept { return key_values_.size(); }

  IdRange<SessionId> sessions() const noexcept { return range<SessionId>(session_count()); }
  IdRange<TransactionId> transactions() const noexcept { return range<TransactionId>(transaction_count()); }
  IdRange<KeyId> key_ids() const noexcept { return range<KeyId>(key_count()); }
  IdRange<OperationId> operations(TransactionId t) const {
    return {first_operation_[t.index], first_operation_[t.index + 1]};
  }
  std::span<const TransactionId> session_transactions(SessionId s) const { return session_order_[s.index]; }

  // Attributes of a transaction.
  SessionId session(TransactionId t) const { return transaction_session_[t.index]; }
  Outcome outcome(TransactionId t) const { return outcomes_[t.index]; }
  Interval interval(TransactionId t) const {
    return has_times() ? Interval{begins_[t.index], ends_[t.index]} : Interval{};
  }
  Value label(TransactionId t) const { return transaction_labels_[t.index]; }  // Its id in the file.
  const TransactionHints* hints(TransactionId t) const;                        // Null if the file gave none.

  // Attributes of an operation.
  OperationKind kind(OperationId op) const { return kinds_[op.index]; }
  KeyId key(OperationId op) const { return keys_[op.index]; }
  Value value(OperationId op) const { return values_[op.index]; }
  Value expected(OperationId op) const { return expected_.empty() ? Value::nil() : expected_[op.index]; }
  Operation operation(OperationId op) const;  // All of it, gathered from the columns. O(log rare).
  // For predicate operations; none() and empty if not recorded. O(log rare).
  PredicateId predicate_id(OperationId op) const;
  std::span<const Row> rows(OperationId op) const;
  // O(log transactions).
  TransactionId transaction_of(OperationId op) const;

  // Entire columns, for hot loops. Index with the id's .index.
  std::span<const OperationKind> kind_column() const noexcept { return kinds_; }
  std::span<const KeyId> key_column() const noexcept { return keys_; }
  std::span<const Value> value_column() const noexcept { return values_; }
  std::span<const SessionId> session_column() const noexcept { return transaction_session_; }
  std::span<const Outcome> outcome_column() const noexcept { return outcomes_; }

  bool has_times() const noexcept { return !begins_.empty(); }  // Whether transactions have times.
  bool has_operation_times() const noexcept { return !operation_begins_.empty(); }
  // Whether any operation has a predicate, rows, a version or row counts. If not, the columns contain
  // everything.
  bool has_rare_members() const noexcept { return !rare_.empty(); }
  bool has_hints() const noexcept { return !hints_.empty(); }

  // Names.
  Value key_value(KeyId key) const { return key_values_[key.index]; }
  Value session_label(SessionId s) const { return session_labels_[s.index]; }
  const Predicate& predicate(PredicateId id) const { return predicates_[id.index]; }
  const ValuePool& values() const noexcept { return pool_; }
  std::string format(Value value) const { return pool_.format(value); }
  std::string format_key(KeyId key) const { return pool_.format(key_value(key)); }

  const Certificate& certificate() const noexcept { return certificate_; }
  Value initial_value() const noexcept { return initial_value_; }
  // Free-form facts from the file header: "workload", "seed", "database", "isolation", ...
  const std::map<std::string, std::string>& facts() const noexcept { return facts_; }

 private:
  friend class HistoryBuilder;

  template <class Id>
  static IdRange<Id> range(std::size_t count) noexcept {
    return {0, static_cast<std::uint32_t>(count)};
  }

  // Members that few operations have, sorted by operation.
  struct RareMembers {
    OperationId op;
    PredicateId predicate = PredicateId::none();
    std::vector<Row> rows;
    std::optional<std::int64_t> version, rows_matched, rows_changed;
  };

  const RareMembers* rare_members(OperationId op) const;

  ValuePool pool_;
  std::vector<Value> key_values_;
  std::vector<Value> session_labels_;

  std::vector<SessionId> transaction_session_;
  std::vector<Outcome> outcomes_;
  std::vector<Value> transaction_labels_;
  std::vector<Time> begins_, ends_;  // Empty when no transaction has a time.
  std::vector<std::uint32_t> first_operation_{0};
  Jagged<TransactionId> session_order_;
  std::vector<std::pair<TransactionId, TransactionHints>> hints_;  // Sorted.

  std::vector<OperationKind> kinds_;
  std::vector<KeyId> keys_;
  std::vector<Value> values_;
  std::vector<Value> expected_;                          // Empty without compare-and-set.
  std::vector<Time> operation_begins_, operation_ends_;  // Empty when no operation has a time.
  std::vector<RareMembers> rare_;

  std::vector<Predicate> predicates_;
  Certificate certificate_;
  Value initial_value_;
  std::map<std::string, std::string> facts_;
};

}  // namespace serval
