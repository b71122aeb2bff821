#pragma once
// Finds times of a transaction that no clock can have shown: an end before the begin, an operation outside
// its transaction, or one that was called before its predecessor. Nothing can be concluded from such a
// transaction.
//
//   find_time_contradiction(record, 0)     // "it ends at 20, before it begins at 30", or none.
//
// Unknown times contradict nothing. Linear in the number of operations.

#include <optional>
#include <string>

#include "serval/formats/native/jsonl_record.h"

namespace serval {

// `tolerance`: by how much two times of one clock may disagree.
std::optional<std::string> find_time_contradiction(const JsonlRecord& transaction, Time tolerance);

}  // namespace serval
