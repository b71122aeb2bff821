#pragma once
// The order in which the transactions of a history are expected to be serializable: by the database's own
// timestamps, by their completion, or as somebody says. A guess; the replay verifies it.
//
//   commit_ts 1, 2, 3, ...; a transaction that wrote nothing stands behind the commits up to its start_ts
//
// Aborted transactions have no place in it, nor have indeterminate ones, unless the database says when they
// committed. O(n log n), O(n) where the file is in that order.

#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

struct ExpectedOrder {
  std::vector<TransactionId> transactions;
  std::string problem;  // Why there is none; empty where there is.
};

// Transactions that wrote need a commit timestamp, the others that or a start timestamp. Equal ones keep the
// order of completion.
ExpectedOrder order_by_timestamps(const History& history);
// By their ends; without times as they stand in the file.
ExpectedOrder order_by_completion(const History& history);
// Each committed one once, no aborted one.
ExpectedOrder given_order(const History& history, std::vector<TransactionId> transactions);

std::string name_of(const History& history, TransactionId t);  // "T" and its label.

}  // namespace serval
