#pragma once
// What a history offers a checker: which preconditions of the fast engines hold, and the traces of badly
// recorded runs (retries with the same value, clocks that run backwards). Facts only; says nothing about
// isolation levels.
//
//   s1: [w(x,1)]  s2: [r(x,0) w(x,1)]      one blind write, one value of x written twice
//
// O(n log n) time, O(n) memory.

#include <cstdint>
#include <utility>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval {

// The number of findings, and the first few.
template <class Example>
struct Tally {
  static constexpr std::size_t kExamples = 3;
  std::uint64_t count = 0;
  std::vector<Example> examples;

  void add(const Example& example) {
    if (++count <= kExamples) examples.push_back(example);
  }
};

struct Lint {
  // Values. A pair is (earlier, later) in file order.
  Tally<std::pair<OperationId, OperationId>> duplicate_writes;  // One value, written twice to one key.
  Tally<OperationId> blind_writes;  // Not aborted, and no earlier operation of its transaction read the key.
  std::uint64_t blindly_written_keys = 0;
  Tally<OperationId> unwritten_reads;  // Reads of a value that nobody wrote and that is not the initial one.

  // Kinds of operations that the mini-transaction engine does not support.
  std::uint64_t list_operations = 0, predicate_operations = 0, conditional_operations = 0, deletes = 0;
  bool single_operations = true;  // Every transaction has at most one operation.

  // Outcomes.
  std::uint64_t aborted = 0;
  Tally<TransactionId> indeterminate;
  Tally<TransactionId> empty_transactions;
  // A transaction repeats its aborted predecessor in the session, with the same values.
  Tally<std::pair<TransactionId, TransactionId>> retries;
  // Two transactions wrote the same value to the same key, and the earlier one is not known to have
  // committed: probably one transaction that was sent and recorded twice.
  Tally<std::pair<TransactionId, TransactionId>> repeated_attempts;

  // Clock.
  std::uint64_t timed = 0;  // Transactions with both times.
  Tally<TransactionId> ends_before_begin;
  Tally<std::pair<TransactionId, TransactionId>> overlaps;  // In one session, by time.
  Tally<std::pair<TransactionId, TransactionId>>
      equal_times;  // One ends in the same tick in which the next begins.

  // How much of the version order the reads show, for keys that are written.
  std::uint64_t keys_total_order = 0, keys_partial_order = 0, keys_no_order = 0;
  // The reads determine the reads-from relation and the order of all versions that matter, by the
  // engine's own test. A key may have one blind write, and a repeated value that nobody reads is
  // harmless.
  bool order_is_complete = false;
};

// Throws BudgetExhausted.
Lint lint(const History& history, Budget* budget = nullptr);

// Whether the mini-transaction engine can decide this history.
bool fits_mini_transactions(const Lint& facts);
// Single-operation transactions: insert-if-absent, compare-and-set and reads.
bool fits_lightweight_transactions(const Lint& facts, const History& history);

}  // namespace serval
