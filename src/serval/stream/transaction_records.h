#pragma once
// One transaction of the native format as records of its client's batch.
//
//   append_transaction(feed, {record, pool, number, label});
//
// What is not known of times is filled in so that it cannot be wrong: an operation without times lies
// somewhere between its neighbours, a commit between the last answer and the transaction's end.

#include "serval/formats/native/jsonl_record.h"
#include "serval/stream/client_feed.h"

namespace serval {

struct TransactionLine {
  const JsonlRecord& record;  // Its session, label, times, outcome and operations.
  const ValuePool& pool;
  std::uint64_t number;
};

// Requires a begin.
void append_transaction(ClientFeed& feed, const TransactionLine& line);

}  // namespace serval
