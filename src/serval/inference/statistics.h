#pragma once
// The size and shape of a history: counts, contention, latency. Facts only, without interpretation.
//
//   const Statistics numbers = measure(history);
//   numbers.operations_per_key.max      // how hot the hottest key is
//
// O(n log n) time for the medians, O(keys + transactions) memory.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serval/history/history.h"

namespace serval {

inline constexpr std::size_t kOperationKinds = static_cast<std::size_t>(OperationKind::PredicateDelete) + 1;

// Of a list of numbers; all zero for an empty one. A percentile is the smallest number such that at
// least that share of the list does not exceed it.
struct Distribution {
  std::int64_t min = 0, median = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;
  friend bool operator==(const Distribution&, const Distribution&) = default;
};
Distribution distribution_of(std::vector<std::int64_t> numbers);

struct Statistics {
  std::uint64_t sessions = 0, transactions = 0, operations = 0, keys = 0;
  std::uint64_t committed = 0, aborted = 0, indeterminate = 0;
  std::array<std::uint64_t, kOperationKinds> by_kind{};  // Index with the OperationKind.
  Distribution transactions_per_session, operations_per_transaction, operations_per_key;
  KeyId hottest_key = KeyId::none();
  std::uint64_t written_keys = 0;  // Keys that some operation writes.
  // For transactions whose begin and end are known; absent if there are none.
  std::optional<Distribution> latency_ns;
  std::optional<Time> span_ns;                  // From the first known begin to the last known end.
  std::map<std::string, std::uint64_t> errors;  // Why transactions aborted, if the file says so.
};

Statistics measure(const History& history);

}  // namespace serval
