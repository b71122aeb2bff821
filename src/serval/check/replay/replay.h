#pragma once
// Runs the transactions of a history one after another in a given order and compares everything that
// they read, including rows of predicates and aggregates, with the current state: the Enne checker (Emme
// & Enne, section 6; Crooks et al. 2017).
//
//   const ReplayResult result = replay_in_order(history, order, budget);
//   if (result.mismatch) ...          // this order fails, and here is where
//
// An order that passes is a serial execution, hence a proof. One that fails proves nothing about others,
// but find_certain_mismatch shows what is wrong with it.
// With `visible`, the order is that of commits, and transactions read from snapshots: the one at position
// i sees the writes of the first visible[i], and its own. Whether writes overlap is not looked at.
//
// O(1) per single-key operation, O(log rows + rows that can match) per predicate; the paper evaluates
// every row.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval {

// The first operation that the state contradicts.
struct ReplayMismatch {
  std::uint32_t position = 0;  // In the order, from 0.
  TransactionId transaction;
  OperationId operation;
  KeyId key = KeyId::none();  // None: the result of an aggregate.
  std::string expected;       // According to the state.
  std::string seen;
  TransactionId writer = TransactionId::none();  // Of the expected version; none: the initial version.

  // "T7 (12 of 40 in the order): r(x,2) expects x to be 3, written by T5 (9 in the order), but saw 2"
  std::string format(const History& history, std::span<const TransactionId> order) const;
};

struct ReplayResult {
  std::optional<ReplayMismatch> mismatch;
  // Why it could not continue: a predicate whose truth value is unknown. Otherwise empty.
  std::string undefined;

  bool passes() const { return !mismatch && undefined.empty(); }
};

[[nodiscard]] ReplayResult replay_in_order(const History& history, std::span<const TransactionId> order,
                                           Budget& budget, std::span<const std::uint32_t> visible = {});

// The first answer of a committed transaction that is wrong whatever the `unsettled` keys
// (expected_order.h) and unrecorded values hold, and whatever undefined predicates select. `undefined` is
// then the first doubt on the way; a result without a mismatch is not a proof.
[[nodiscard]] ReplayResult find_certain_mismatch(const History& history, std::span<const TransactionId> order,
                                                 const std::vector<bool>& unsettled, Budget& budget,
                                                 std::span<const std::uint32_t> visible = {});

}  // namespace serval
