#pragma once
// The order in which the transactions of a history are expected to be serializable: by the database's
// own timestamps, by completion, or as given. A claim that the replay verifies.
//
//   commit_ts 1, 2, 3, ...; a transaction that wrote nothing comes after the commits up to its start_ts
//
// Aborted transactions are not part of it, nor are indeterminate ones, unless the database reports when
// they committed. O(n log n), or O(n) if the file is in that order.

#include <cstdint>
#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

struct ExpectedOrder {
  std::vector<TransactionId> transactions;
  std::string problem;  // Why there is none; otherwise empty.
  // By position, ascending: neighbours with the same rank have the same timestamp or end, so their order
  // is arbitrary. Empty: every position has a rank of its own.
  std::vector<std::uint32_t> ranks = {};

  std::size_t rank(std::size_t position) const { return ranks.empty() ? position : ranks[position]; }
};

// Transactions that wrote need a commit timestamp, the others that or a start timestamp. Equal ones keep
// completion order.
ExpectedOrder order_by_timestamps(const History& history);
// By end; without times, in file order.
ExpectedOrder order_by_completion(const History& history);
// Must contain each committed transaction once and no aborted one.
ExpectedOrder given_order(const History& history, std::vector<TransactionId> transactions);

// By key: whether the order leaves open what the key holds. An indeterminate transaction wrote it, which
// may have taken effect anywhere or not at all; or transactions of one rank wrote and used it; or it is
// used as a list and as a register. If an indeterminate transaction updates or deletes by a predicate, or
// if not all updated rows were recorded, this applies to every key. O(operations).
std::vector<bool> unsettled_keys(const History& history, const ExpectedOrder& order);

std::string name_of(const History& history, TransactionId t);  // "T" and its label.

}  // namespace serval
