#pragma once
// The order in which the transactions of a history are expected to be serializable: by the database's
// own timestamps, by completion, or as given. A guess that the replay verifies.
//
//   commit_ts 1, 2, 3, ...; a transaction that wrote nothing comes after the commits up to its start_ts
//
// Aborted transactions are not part of it, nor are indeterminate ones, unless the database reports when
// they committed. O(n log n), or O(n) if the file is in that order.

#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

struct ExpectedOrder {
  std::vector<TransactionId> transactions;
  std::string problem;  // Why there is none; otherwise empty.
};

// Transactions that wrote need a commit timestamp, the others that or a start timestamp. Equal ones keep
// completion order.
ExpectedOrder order_by_timestamps(const History& history);
// By end; without times, in file order.
ExpectedOrder order_by_completion(const History& history);
// Must contain each committed transaction once and no aborted one.
ExpectedOrder given_order(const History& history, std::vector<TransactionId> transactions);

std::string name_of(const History& history, TransactionId t);  // "T" and its label.

}  // namespace serval
