#pragma once
// Runs the mirror on a recorded history: its operations become records, in the order of their
// invocations.
//
//   const OnlineResult result = mirror_history(history, *find_profile("postgres:serializable"));
//
// Operations without times count as invoked and completed at any time within their transaction. A commit
// runs from the last completion before it to the end of the transaction. If the last operation was never
// completed, the end runs from its invocation.
//
// With a clock error D, every recorded time may be wrong by up to D: [begin, end] becomes
// [begin - D, end + D]. A later record of a session began later nevertheless (stream/client_feed.h).

#include <deque>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"
#include "serval/online/online_verifier.h"
#include "serval/stream/record_batch.h"

namespace serval::online {

// The records of a history, in order, with the memory that they refer to. They also refer to the history.
struct HistoryRecords {
  std::vector<Record> records;
  RecordBatch batch;
  std::deque<TracePredicate> predicates;
};
// Whether records use the labels of the transactions, because these are distinct positive integers.
// Otherwise transactions are numbered from 1.
bool keeps_labels(const History& history);
HistoryRecords records_of(const History& history, Budget* budget = nullptr, Time clock_error = 0);

// Requires history.has_times(). Throws BudgetExhausted.
[[nodiscard]] OnlineResult mirror_history(const History& history, const Profile& profile,
                                          const OnlineOptions& options = {}, Budget* budget = nullptr,
                                          Time clock_error = 0);

}  // namespace serval::online
