#pragma once
// The mirrored mechanisms on a recorded history: its operations as records, in the order in which they were
// asked for.
//
//   const OnlineResult result = mirror_history(history, *find_profile("postgres:serializable"));
//
// Operations without times of their own count as asked for and answered somewhere in their transaction. A
// commit runs from the last answer before it to the transaction's end; where the last operation was never
// answered, the end runs from that operation's call.

#include <deque>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"
#include "serval/online/online_verifier.h"
#include "serval/stream/record_batch.h"

namespace serval::online {

// The records of a history, in order, with what they refer to; they refer to the history, too.
struct HistoryRecords {
  std::vector<Record> records;
  RecordBatch batch;
  std::deque<TracePredicate> predicates;
};
// Whether records have the transactions' own labels: distinct whole numbers from 1. Otherwise their numbers
// are counted from 1.
bool keeps_labels(const History& history);
HistoryRecords records_of(const History& history, Budget* budget = nullptr);

// Requires history.has_times(). Throws BudgetExhausted.
[[nodiscard]] OnlineResult mirror_history(const History& history, const Profile& profile,
                                          const OnlineOptions& options = {}, Budget* budget = nullptr);

}  // namespace serval::online
