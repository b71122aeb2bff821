#pragma once
// The snapshots and commits that a database's timestamps claim: a transaction reads the state at its start
// timestamp, and its writes are installed at its commit timestamp (Crooks et al. 2017). A claim that the
// replay verifies.
//
//   start_ts 3, commit_ts 6: sees the commits up to 3, and no commit of 4 to 6 wrote what it writes
//
// O(n log n).

#include <cstdint>
#include <optional>
#include <vector>

#include "serval/inference/expected_order.h"

namespace serval {

struct ExpectedSnapshots {
  ExpectedOrder order;  // By commit.
  std::vector<std::uint32_t> visible =
      {};  // By position: the number of transactions that its snapshot shows.
};

// Every transaction needs a start timestamp, and those that wrote a commit timestamp that is not smaller.
ExpectedSnapshots snapshots_by_timestamps(const History& history);

// As for the order alone; besides, keys that were deleted, because a row that is inserted afterwards is a
// different object, and keys written by a commit with the timestamp of another transaction's start.
std::vector<bool> unsettled_keys(const History& history, const ExpectedSnapshots& expected);

// Two transactions that wrote a key although the later one does not see the earlier one: the first
// committer did not win. Keys with `ignored` do not count.
struct OverlappingWrites {
  TransactionId earlier, later;
  KeyId key;
};
std::optional<OverlappingWrites> find_overlap(const History& history, const ExpectedSnapshots& expected,
                                              const std::vector<bool>& ignored);

}  // namespace serval
