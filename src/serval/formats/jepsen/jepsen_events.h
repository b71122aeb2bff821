#pragma once
// The order of the operation maps that the Jepsen writers write: invocations and completions by time, or
// only completions if an order of events cannot represent the times of the history.
//
//   t1 [0, 5]  t2 [5, 9]     invoke t1, invoke t2, ok t1, ok t2: equal times imply no order
//
// O(n log n) time, 40 bytes per transaction.

#include <cstdint>
#include <vector>

#include "serval/formats/format.h"

namespace serval {

struct JepsenEvent {
  // LoneInvoke: nothing follows, the transaction is indeterminate.
  enum class Type : std::uint8_t { Invoke, LoneInvoke, Ok, Fail, Info };
  TransactionId transaction;
  Type type = Type::Ok;
  Time time = -1;          // -1: none.
  std::int64_t index = 0;  // For the :index field: ascending. The label, where it fits.
};

// Calls `lossy` if times or labels cannot be kept.
std::vector<JepsenEvent> jepsen_events(const History& history, const Notice& lossy);

}  // namespace serval
