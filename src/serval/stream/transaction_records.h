#pragma once
// Appends one transaction of the native format to its client's batch.
//
//   append_transaction(feed, {record, pool, number, label});
//
// Unknown times are filled in conservatively: an operation without times lies anywhere between its
// neighbours, a commit between the last completion and the end of the transaction.

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
