#pragma once
// Consistent read (Leopard V-A): which committed versions a read may have seen. A read sees the state at
// some moment within its snapshot's interval, and a version is installed at some moment within its
// commit's interval. So a read may have seen
//
//   - a version whose install interval overlaps the snapshot, and
//   - a version installed before the snapshot, unless another one certainly replaced it before the
//     snapshot.
//
//   T1: commit x=1 [10, 20]    T2: commit x=2 [30, 40]    T3: read x [35, 50]     x=1 or x=2
//   T1: commit x=1 [10, 20]    T2: commit x=2 [30, 40]    T3: read x [45, 50]     x=2
//
// If exactly one of them has the value seen, the read saw that version. Then the snapshot is later than
// its install and earlier than the install of the next version, which narrows the interval for all reads
// of the snapshot. Values need not be unique; if several versions fit, nothing is concluded.

#include <cstdint>

#include "serval/online/key_state.h"
#include "serval/online/live_transaction.h"
#include "serval/online/version_order.h"

namespace serval::online {

// The interval of a snapshot, and the accesses that narrowed it.
struct SnapshotWindow {
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
  Interval time;
  Interval whole;  // Before any narrowing.
  std::uint32_t begin_by = kNobody, end_by = kNobody;
  bool shared = false;  // Several reads use the snapshot.

  bool is_empty() const { return time.begin > time.end; }
};

// When the transaction may have taken its snapshot, before its reads narrow it.
inline Interval snapshot_of(const LiveTransaction& transaction) {
  const bool any = transaction.profile->freshness == Freshness::Any;
  return {any ? kUnknownBegin : transaction.snapshot.begin, transaction.snapshot.end};
}

struct Candidates {
  std::uint32_t matches = 0;  // Visible versions with the value seen.
  std::uint32_t match = 0;    // One of them.
};

// The versions that a read of `seen` at `snapshot` may have seen. Versions of transaction `own` do not
// count.
Candidates find_candidates(const KeyState& key, const Interval& snapshot, const StoredValue& seen,
                           std::uint64_t own);

// Whether another transaction than `own` may have installed a version within the interval. Only then does
// it matter when within it a snapshot was taken.
bool changes_within(const KeyState& key, const Interval& time, std::uint64_t own);

// After a read of version `match`: the snapshot is no earlier than its install and no later than the
// install of the next version. Returns whether the interval changed.
bool narrow(SnapshotWindow& window, const KeyState& key, std::uint32_t match, std::uint64_t own,
            std::uint32_t access);

}  // namespace serval::online
