#pragma once
// The state of a key: committed versions that a transaction may still see, and locks that one may still
// contradict.
//
// Versions are ordered by the begin of their commits. This is the order of their installation if locks or
// first-updater-wins exclude concurrent writers; otherwise order_of (version_order.h) says which of two
// certainly came first.

#include <cstdint>
#include <vector>

#include "serval/online/profile.h"
#include "serval/online/stored_value.h"
#include "serval/online/violation.h"

namespace serval::online {

// When something happened, as observed by the client: not before `begin` and not after `end`. Equal times
// imply no order.
inline bool certainly_before(const Interval& a, const Interval& b) { return a.end < b.begin; }
inline bool overlap(const Interval& a, const Interval& b) {
  return !certainly_before(a, b) && !certainly_before(b, a);
}

// Unknown times are the minimum and maximum, so arithmetic saturates there.
inline Time later_by(Time time, Time span) { return time > kUnknownEnd - span ? kUnknownEnd : time + span; }
inline Time span_of(const Interval& time) {
  Time span = 0;
  if (__builtin_sub_overflow(time.end, time.begin, &span))
    return time.begin < 0 ? kUnknownEnd : kUnknownBegin;
  return span;
}

// A read that is still to be linked to the next version.
struct VersionReader {
  Participant participant;
  Time snapshot_end;  // The latest time of its snapshot.
};

struct Version {
  StoredValue value;
  std::uint64_t transaction = 0;                   // 0: the initial version.
  Participant writer;                              // None for the initial version.
  Interval install{kUnknownBegin, kUnknownBegin};  // When it becomes visible to others.
  Interval acquire{kUnknownBegin, kUnknownBegin};  // When the writer got the lock.
  Time release_begin = kUnknownBegin;  // The writer held the lock until then: the begin of the commit.
  Time snapshot_end = kUnknownEnd;     // Upper bound of the writer's snapshot.
  std::uint32_t session = 0;
  bool exclusive = false;           // The writer held an exclusive lock.
  bool first_updater_wins = false;  // First updater wins applied to the writer.
  bool verified = false;            // Its transaction was judged.
  bool uncertain = false;           // The commit was never completed, so the version may not exist.
  bool or_nil = false;              // For the initial version: its value, or no row.
  std::uint64_t updater =
      0;  // The transaction that read it and wrote the key (Profile::one_update_a_version).
  std::vector<VersionReader> readers;   // Readers to link to the next version,
  std::uint32_t forgotten_readers = 0;  // and the number of others that the graph has forgotten.

  bool may_show(const StoredValue& seen) const { return value.may_be(seen) || (or_nil && seen.is_nil()); }
};

struct Lock {
  std::uint64_t transaction = 0;
  std::uint32_t session = 0;
  LockMode mode = LockMode::Shared;
  bool verified = false;
  Interval acquire;
  Interval release;
};

struct KeyState {
  std::vector<Version> versions;
  std::vector<Lock> locks;  // Of reads, and of aborted writers; those of committed writers are in `versions`.
  // Versions before the first one here are forgotten. They were certainly overwritten before any later
  // snapshot, unless reads may be of any age.
  bool forgot = false;
  bool had_delete = false;       // Then a write may insert a new row, which no snapshot forbids.
  bool has_uncertain = false;    // Some version is uncertain.
  KeyState* row = nullptr;       // For a column: its row, which keeps the locks and the order of writers.
  Time longest_commit = 0;       // Of any version; bounds how far back two commits can overlap.
  std::uint64_t stamp = 0;       // The last walk over a transaction's accesses that visited this key,
  std::uint32_t own_access = 0;  // and the access that it found there.

  bool is_column() const { return row != nullptr; }
  // Whether `version` and all before it were installed before `time`.
  bool all_installed_before(const Version& version, Time time) const {
    return version.transaction == 0 ||
           (!has_uncertain && later_by(version.release_begin, longest_commit) < time);
  }
};

}  // namespace serval::online
