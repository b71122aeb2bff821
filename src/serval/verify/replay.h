#pragma once
// A minimal store that runs transactions one after another and compares every read with what the client
// saw. A key holds nothing yet, a value, or a list.
//
// An untouched key matches nil, the empty list, and the history's initial value; a written key matches
// what was written. The cost is constant per operation, plus the length of the lists that are read, plus
// all keys per predicate.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "serval/verify/facts.h"
#include "serval/verify/predicates.h"

namespace serval::verify {

class Replay {
 public:
  // `order`: the transactions that will run. A key that its first writer inserts had no row before.
  Replay(const History& history, const std::vector<TransactionId>& order)
      : history_(history), cells_(history.key_count()), predicates_(history) {
    find_absent(order);
  }

  // The key of a row that `t` inserts was free when `t` committed, although the state visible to `t` has
  // a row there: the new row is a different object, and the old one may stay visible.
  void expect_reinserted(TransactionId t, KeyId key) { reinserted_.insert({t, key}); }

  // Runs `t` on the current state and keeps its writes. The flaw names the first read that does not
  // match.
  [[nodiscard]] Flaw run(TransactionId t);
  // The same, then undoes the writes.
  [[nodiscard]] Flaw run_and_undo(TransactionId t);
  // Only the writes, unchecked; with `end`, only those before this operation.
  void apply_writes(TransactionId t, OperationId end = OperationId::none());
  // Why what the client saw may agree with the current state; nothing if it certainly disagrees about the
  // key (none(): the result of an aggregate, which should be `expected`). Nothing is certain about values
  // that were not recorded, or about the initial rows of a history whose keys hold a value before the
  // first write.
  [[nodiscard]] Flaw flaw_of_disagreement(OperationId op, KeyId key, const std::string& expected);

 private:
  struct Cell {
    enum class State : std::uint8_t { Untouched, Scalar, List } state = State::Untouched;
    Value value;
    std::vector<Value> list;
  };
  struct Undo {
    KeyId key;
    std::optional<Cell> before;  // Nothing: undo one append.
  };

  bool matches(KeyId key, Value seen) const;
  bool is_known(KeyId key) const;
  std::string format(const Cell& cell) const;
  Flaw check_read(TransactionId t, OperationId op) const;
  void note_deleted(TransactionId t, OperationId op);
  void write_rows(OperationId op);
  Flaw run_predicate(OperationId op);
  Value row_at(KeyId key) const;
  void find_absent(const std::vector<TransactionId>& order);
  void write(OperationId op);
  void append(KeyId key, Value element);
  void undo();

  const History& history_;
  std::vector<bool> absent_;  // By key: no row at the start.
  std::vector<Cell> cells_;
  std::vector<Undo> log_;
  std::set<std::pair<TransactionId, KeyId>> reinserted_;
  std::vector<Row> deleted_;  // Next to rows that the current transaction has inserted.
  PredicateFacts predicates_;
};

}  // namespace serval::verify
