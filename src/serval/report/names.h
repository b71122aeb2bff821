#pragma once
// How reports name transactions and print operations: T18231 after the id in the file, T18231@3 if
// sessions share ids (PolySI text counts them per session), and long lists without their middle.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

// Names for the given transactions only. One pass over the labels of the history.
class TransactionNames {
 public:
  TransactionNames(const History& history, std::span<const TransactionId> named);
  std::string operator()(TransactionId t) const;

 private:
  const History* history_;
  std::vector<Value> ambiguous_;  // Labels of more than one transaction; sorted.
};

// The value in the history notation; lists of more than `kept` elements as [… 41 more, 57], long text
// truncated.
std::string format_short(const History& history, Value value, std::size_t kept = 4);
// The operation in the history notation, with format_short for its values.
std::string format_operation(const History& history, OperationId op);

}  // namespace serval
