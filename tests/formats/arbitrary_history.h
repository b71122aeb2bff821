#pragma once
// Random histories that use every feature of the model, for round trips. The same Random state gives the
// same history. A rapidcheck property draws the seed and the size:
//
//   RC_GTEST_PROP(Jsonl, KeepsEveryHistory, (std::uint64_t seed)) {
//     const History history = arbitrary_history(seed, {.transactions = *rc::gen::inRange(0, 20)});
//
// Formats that cannot express everything narrow the options.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "serval/base/random.h"
#include "serval/history/history_builder.h"

namespace serval {

struct ArbitraryOptions {
  int transactions = 10;
  std::vector<OperationKind> kinds{
      OperationKind::Read,          OperationKind::Write,           OperationKind::Append,
      OperationKind::ReadList,      OperationKind::Insert,          OperationKind::InsertMiss,
      OperationKind::Delete,        OperationKind::CompareAndSet,   OperationKind::CompareAndSetMiss,
      OperationKind::PredicateRead, OperationKind::PredicateUpdate, OperationKind::PredicateDelete};
  enum class Values { Integers, Everything } values = Values::Everything;  // Of keys, labels and operations.
  enum class Extras { None, Everything } extras = Extras::Everything;      // Times, hints, facts, row counts.
  enum class Outcomes { Committed, Everything } outcomes = Outcomes::Everything;
  enum class Certificates { None, Some } certificates = Certificates::None;
};

// Every kind except those of lists, which register formats refuse.
inline std::vector<OperationKind> kinds_without_lists() {
  std::vector<OperationKind> kinds = ArbitraryOptions().kinds;
  std::erase(kinds, OperationKind::Append);
  std::erase(kinds, OperationKind::ReadList);
  return kinds;
}

class ArbitraryHistory {
 public:
  ArbitraryHistory(std::uint64_t seed, ArbitraryOptions options)
      : random_(seed), options_(std::move(options)) {}

  History make() {
    if (extras()) {
      builder_.set_initial_value(value(0));
      for (int i = pick(4); i > 0; --i) builder_.set_fact(characters(), characters());
      if (pick(4) == 0) builder_.session(Value::integer(1000));  // A session without transactions.
    }
    std::vector<TransactionId> transactions;
    for (int i = 0; i < options_.transactions; ++i) transactions.push_back(transaction(i));
    for (const TransactionId t : transactions)
      for (int i = pick(5); i > 0; --i) {
        const Operation op = operation();
        builder_.add(t, op);
        note_writes(t, op);
        if (certified() && pick(3) == 0)
          builder_.add_version_set(OperationId{static_cast<std::uint32_t>(builder_.operation_count() - 1)},
                                   version_set());
      }
    if (certified()) orders();
    return std::move(builder_).freeze();
  }

 private:
  int pick(int below) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(below))); }
  bool extras() const { return options_.extras == ArbitraryOptions::Extras::Everything; }
  std::int64_t any_number() {
    return static_cast<std::int64_t>(random_.next() >> pick(64)) * (pick(2) * 2 - 1);
  }
  std::optional<std::int64_t> maybe_number() {
    return pick(2) == 0 ? std::nullopt : std::optional(any_number());
  }

  std::string characters() {
    static const std::vector<std::string> kCorners{"",
                                                   "x",
                                                   "?",
                                                   "a b",
                                                   "\"quoted\"",
                                                   "back\\slash",
                                                   "line\nbreak",
                                                   "\t\r",
                                                   "null",
                                                   "tab\x01",
                                                   std::string(1, '\0'),
                                                   "\xc3\xa9",
                                                   "\xff\xfe",
                                                   "\xe2\x80\xa8",
                                                   "1",
                                                   "\x7f\x80",
                                                   "{\"a\":1}",
                                                   "--- #:![],()",
                                                   "\xf0\x9f\x90\x86"};
    std::string out = kCorners[random_.below(kCorners.size())];
    for (int i = pick(3); i > 0; --i) out += static_cast<char>('a' + pick(26));
    return out;
  }

  // Lists nest at most `depth` levels deep.
  Value value(int depth) {
    static const std::vector<std::string> kNumbers{
        "1.5",    "-0.25", "1e10", "18446744073709551616", "-99999999999999999999999", "NaN",
        "1E+400", ".5",    "007.5"};
    static const std::vector<std::string> kRows{
        "{}",       "{\"a\":1}",        "{\"a\":\"}\",\"b\":[1,{\"c\":null}]}", "{\"?\":\"unknown\"}",
        "not json", "{\"b\":1,\"a\":2}"};
    if (options_.values == ArbitraryOptions::Values::Integers) return Value::integer(pick(20));
    switch (pick(depth > 0 ? 12 : 10)) {
      case 0:
        return Value::nil();
      case 1:
        return Value::unknown();
      case 2:
        return Value::boolean(pick(2) == 0);
      case 3:
        return builder_.values().number(kNumbers[random_.below(kNumbers.size())]);
      case 4:
        return builder_.values().text(characters());
      case 5:
        return builder_.values().row(kRows[random_.below(kRows.size())]);
      case 6:
        return builder_.values().integer(any_number());
      case 10:
      case 11:
        return list(depth - 1);
      default:
        return Value::integer(pick(20) - 2);
    }
  }
  Value list(int depth) {
    std::vector<Value> elements(random_.below(5));
    for (Value& element : elements) element = value(depth);
    return builder_.values().list(elements);
  }

  Interval interval() {
    Interval time;
    if (pick(4) > 0) time.begin = any_number();
    if (pick(4) > 0) time.end = any_number();
    return time;
  }

  TransactionId transaction(int number) {
    const bool plain = options_.values == ArbitraryOptions::Values::Integers || pick(3) > 0;
    const SessionId session = builder_.session(plain ? Value::integer(pick(3)) : value(1));
    const TransactionId t = builder_.begin_transaction(session, plain ? Value::integer(number) : value(1));
    if (options_.outcomes == ArbitraryOptions::Outcomes::Everything)
      builder_.set_outcome(t, static_cast<Outcome>(pick(3)));
    if (!extras()) return t;
    if (pick(2) == 0) builder_.set_interval(t, interval());
    if (pick(3) == 0) set_hints(t, hints());
    return t;
  }

  void set_hints(TransactionId t, TransactionHints hints) {
    if (hints.commit_timestamp) commits_[t] = *hints.commit_timestamp;
    builder_.set_hints(t, std::move(hints));
  }
  TransactionHints hints() {
    TransactionHints hints;
    hints.start_timestamp = maybe_number();
    hints.commit_timestamp = maybe_number();
    for (std::string* text : {&hints.server_transaction, &hints.snapshot, &hints.node, &hints.error})
      if (pick(2) == 0) *text = characters();
    return hints;
  }

  bool certified() const { return options_.certificates == ArbitraryOptions::Certificates::Some; }
  TransactionId any_transaction() {
    return TransactionId{static_cast<std::uint32_t>(random_.below(builder_.transaction_count()))};
  }
  VersionSet version_set() {
    if (pick(3) == 0) return {any_number()};
    if (pick(2) == 0) return {TransactionSnapshot{random_.below(9), 18 + random_.below(9), {9, 11, 17}}};
    std::map<KeyId, SeenVersion> seen;
    for (int i = pick(4); i > 0; --i) {
      const KeyId key = builder_.key(value(1));
      seen[key] = {key, pick(4) == 0 ? TransactionId::none() : any_transaction()};
    }
    std::vector<SeenVersion> list;
    for (const auto& [key, version] : seen) list.push_back(version);
    return {std::move(list)};
  }
  void note_writes(TransactionId t, const Operation& op) {
    const bool reads = op.kind == OperationKind::Read || op.kind == OperationKind::ReadList ||
                       op.kind == OperationKind::InsertMiss || op.kind == OperationKind::CompareAndSetMiss ||
                       op.kind == OperationKind::PredicateRead;
    if (reads) return;
    if (!is_predicate(op.kind)) writers_[op.key].insert(t);
    for (const Row& row : op.rows) writers_[row.key].insert(t);
  }
  // Some of the writers of some keys. They do not contradict each other, nor the timestamps if those are
  // the order.
  void orders() {
    const bool by_commit = pick(3) == 0;
    if (by_commit) builder_.set_ordered_by_commit();
    for (const auto& [key, writers] : writers_) {
      if (pick(2) == 0) continue;
      KeyOrder order{key, {}, pick(2) == 0};
      for (const TransactionId t : writers)
        if (pick(4) > 0)
          order.installers.insert(order.installers.begin() + pick(2) * std::ssize(order.installers), t);
      if (by_commit)
        std::ranges::stable_sort(order.installers, {}, [this](TransactionId t) {
          return commits_.contains(t) ? commits_[t] : INT64_MIN;
        });
      builder_.add_order(std::move(order));
    }
  }

  Operation operation() {
    Operation op;
    op.kind = options_.kinds[random_.below(options_.kinds.size())];
    if (is_predicate(op.kind)) {
      if (pick(5) > 0) op.predicate = builder_.predicate(predicate(3));
      if (pick(5) == 0 && op.kind == OperationKind::PredicateRead) op.value = value(1);
      for (int i = pick(4); i > 0; --i)
        op.rows.push_back(
            {builder_.key(value(1)), op.kind == OperationKind::PredicateDelete ? Value::nil() : value(1)});
    } else {
      op.key = builder_.key(value(1));
      if (op.kind == OperationKind::ReadList)
        op.value = pick(4) == 0 ? value(0) : list(1);
      else if (op.kind != OperationKind::Delete)
        op.value = value(2);
      if (is_conditional(op.kind)) op.expected = value(1);
    }
    if (extras()) add_extras(op);
    return op;
  }
  void add_extras(Operation& op) {
    if (pick(3) == 0) op.time = interval();
    if (pick(4) == 0) op.version = any_number();
    if (pick(4) == 0) op.rows_matched = any_number();
    if (pick(4) == 0) op.rows_changed = any_number();
  }

  Predicate predicate(int depth) {
    Predicate tree;
    tree.node = static_cast<Predicate::Node>(pick(depth > 0 ? 15 : 3));
    if (tree.node == Predicate::Node::Column || tree.node == Predicate::Node::Set ||
        tree.node == Predicate::Node::Aggregate)
      tree.name = characters();
    if (tree.node == Predicate::Node::Literal) tree.literal = value(1);
    if (tree.node == Predicate::Node::Compare || tree.node == Predicate::Node::Arithmetic) {
      static const std::vector<std::string> kOperators{"=", "<", "<>", "%", "+", "||", "and", "col", "\xff"};
      tree.name = kOperators[random_.below(kOperators.size())];
    }
    if (tree.node >= Predicate::Node::Compare)
      for (int i = pick(4); i > 0; --i) tree.children.push_back(predicate(depth - 1));
    return tree;
  }

  Random random_;
  std::map<KeyId, std::set<TransactionId>> writers_;
  std::map<TransactionId, std::int64_t> commits_;  // Commit timestamps.
  ArbitraryOptions options_;
  HistoryBuilder builder_;
};

inline History arbitrary_history(std::uint64_t seed, ArbitraryOptions options = {}) {
  return ArbitraryHistory(seed, std::move(options)).make();
}

}  // namespace serval
