#pragma once
// Consistent read (Leopard V-A): which committed versions a read may have seen. A read is of a state at some
// moment of its snapshot's interval; a version is installed at some moment of its commit's interval. So a
// read may have seen
//
//   - a version whose install overlaps the snapshot, and
//   - one installed before it, unless another one installed before it certainly came later.
//
//   T1: commit x=1 [10, 20]    T2: commit x=2 [30, 40]    T3: read x [35, 50]     x=1 or x=2
//   T1: commit x=1 [10, 20]    T2: commit x=2 [30, 40]    T3: read x [45, 50]     x=2
//
// Where exactly one of them has the value seen, the read was of it, and the snapshot is later than its
// install and earlier than that of the next version: the interval narrows, for all reads of the snapshot.
// Values need not be unique; where several fit, nothing is concluded.

#include <cstdint>

#include "serval/online/key_state.h"
#include "serval/online/live_transaction.h"
#include "serval/online/version_order.h"

namespace serval::online {

// The interval of a snapshot, and the accesses that made it as narrow as it is.
struct SnapshotWindow {
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
  Interval time;
  Interval whole;  // Before anything made it narrower.
  std::uint32_t begin_by = kNobody, end_by = kNobody;
  bool shared = false;  // By several reads.

  bool is_empty() const { return time.begin > time.end; }
};

// When the transaction may have taken its snapshot, before its reads tell more.
inline Interval snapshot_of(const LiveTransaction& transaction) {
  const bool any = transaction.profile->freshness == Freshness::Any;
  return {any ? kUnknownBegin : transaction.snapshot.begin, transaction.snapshot.end};
}

struct Candidates {
  std::uint32_t matches = 0;  // Versions that may have been seen and have the value seen.
  std::uint32_t match = 0;    // One of them.
};

// What a read of `seen` at `snapshot` may have been of; versions of transaction `own` do not count.
Candidates find_candidates(const KeyState& key, const Interval& snapshot, const StoredValue& seen,
                           std::uint64_t own);

// Whether somebody but `own` may have installed a version within the interval: only then does it matter when
// in it a snapshot was taken.
bool changes_within(const KeyState& key, const Interval& time, std::uint64_t own);

// After a read of version `match`: no earlier than its install, no later than the next one's. Whether it
// changed anything.
bool narrow(SnapshotWindow& window, const KeyState& key, std::uint32_t match, std::uint64_t own,
            std::uint32_t access);

}  // namespace serval::online
