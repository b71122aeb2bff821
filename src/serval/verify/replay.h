#pragma once
// A tiny store that runs transactions one after another and compares every read with what the history says
// the client saw. Keys hold nothing yet, a value, or a list.
//
// An untouched key matches nil, the empty list, and the history's initial value; a key that was written
// matches what was written. Cost: constant an operation, plus
// the length of the lists that are read, plus the keys for every predicate.

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
  // `order`: of those that will be run. A key that the first of its writers inserts had no row before.
  Replay(const History& history, const std::vector<TransactionId>& order)
      : history_(history), cells_(history.key_count()), predicates_(history) {
    find_absent(order);
  }

  // The key of a row that `t` makes was free when it committed, though the state that it sees has a row
  // there: the new row is another object, and the other one may stay in observed.
  void expect_reborn(TransactionId t, KeyId key) { reborn_.insert({t, key}); }

  // Runs `t` on the present state and keeps its writes. The flaw names the first read that does not match.
  [[nodiscard]] Flaw run(TransactionId t);
  // The same, then takes the writes back.
  [[nodiscard]] Flaw run_and_undo(TransactionId t);
  // Only the writes, unchecked.
  void apply_writes(TransactionId t);

 private:
  struct Cell {
    enum class State : std::uint8_t { Untouched, Scalar, List } state = State::Untouched;
    Value value;
    std::vector<Value> list;
  };
  struct Undo {
    KeyId key;
    std::optional<Cell> before;  // Nothing: one element was appended.
  };

  bool matches(KeyId key, Value seen) const;
  std::string format(const Cell& cell) const;
  Flaw check_read(TransactionId t, OperationId op) const;
  void note_deleted(TransactionId t, OperationId op);
  void write_rows(OperationId op);
  Flaw run_predicate(TransactionId t, OperationId op);
  Value row_at(KeyId key) const;
  void find_absent(const std::vector<TransactionId>& order);
  void write(OperationId op);
  void append(KeyId key, Value element);
  void undo();

  const History& history_;
  std::vector<bool> absent_;  // By key: without a row at the start.
  std::vector<Cell> cells_;
  std::vector<Undo> log_;
  std::set<std::pair<TransactionId, KeyId>> reborn_;
  std::vector<Row> deleted_;  // Beside rows that the transaction at hand has made.
  PredicateFacts predicates_;
};

}  // namespace serval::verify
