#pragma once
// Appends one transaction of the native format to its client's batch.
//
//   append_transaction(feed, {record, pool, number, label});
//
// Unknown times are filled in conservatively: an operation without times lies anywhere between its
// neighbours, a commit between the last completion and the end of the transaction.

#include <optional>
#include <string>

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

// Finds times of a transaction that no clock can have shown: an end before the begin, an operation outside
// its transaction, or one that was called before its predecessor. Nothing can be concluded from such a
// transaction.
//
//   find_time_contradiction(record, 0)     // "it ends at 20, before it begins at 30", or none.
//
// Unknown times contradict nothing. Linear in the number of operations. `tolerance`: by how much two times
// of one clock may disagree.
std::optional<std::string> find_time_contradiction(const JsonlRecord& transaction, Time tolerance);

}  // namespace serval
