#pragma once
// What a report calls transactions and how it spells operations: T18231 after the id in the file, T18231@3
// where sessions share ids (PolySI text counts them per session), and long lists with their middle left out.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

// Names for the transactions it is given, and no others. One pass over the labels of the history.
class TransactionNames {
 public:
  TransactionNames(const History& history, std::span<const TransactionId> named);
  std::string operator()(TransactionId t) const;

 private:
  const History* history_;
  std::vector<Value> ambiguous_;  // Labels that several transactions carry; sorted.
};

// The value in the history notation, lists of more than `kept` elements as [… 41 more, 57] and long text cut.
std::string format_short(const History& history, Value value, std::size_t kept = 4);
// The operation in the history notation, with format_short for its values.
std::string format_operation(const History& history, OperationId op);

}  // namespace serval
