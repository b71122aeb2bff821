#pragma once
// What is remembered of a key: its committed versions that somebody may still see, and the locks that
// somebody may still contradict.
//
// Versions stand in the order in which their commits began. That is the order in which they were installed
// where locks or first-updater-wins keep writers apart; elsewhere order_of (version_order.h) says which of
// two certainly came first.

#include <cstdint>
#include <vector>

#include "serval/online/dependency.h"
#include "serval/online/profile.h"
#include "serval/online/stored_value.h"

namespace serval::online {

// When something happened, as far as the client can tell: by then it had not begun, by then it was over.
// Equal times order nothing.
inline bool certainly_before(const Interval& a, const Interval& b) { return a.end < b.begin; }

// Unknown times are the earliest and the latest there are, so sums and differences stop there.
inline Time later_by(Time time, Time span) { return time > kUnknownEnd - span ? kUnknownEnd : time + span; }
inline Time span_of(const Interval& time) {
  Time span = 0;
  if (__builtin_sub_overflow(time.end, time.begin, &span))
    return time.begin < 0 ? kUnknownEnd : kUnknownBegin;
  return span;
}

struct Version {
  StoredValue value;
  std::uint64_t transaction = 0;                   // 0: the initial version.
  Participant writer;                              // None for the initial version.
  Interval install{kUnknownBegin, kUnknownBegin};  // When others begin to see it.
  Interval acquire{kUnknownBegin, kUnknownBegin};  // When the writer got the lock.
  Time release_begin = kUnknownBegin;              // Before that it held it: the commit's begin.
  Time snapshot_end = kUnknownEnd;                 // The writer's snapshot is not later.
  std::uint32_t session = 0;
  bool exclusive = false;  // The writer kept others out by a lock.
  bool first_updater_wins =
      false;                  // The writer would have failed had somebody else written since its snapshot.
  bool verified = false;      // Its transaction was.
  bool uncertain = false;     // The commit's answer never came: perhaps no version at all.
  bool or_nil = false;        // The initial version: its value, or no row.
  std::uint64_t updater = 0;  // Who read it and wrote the key (Profile::one_update_a_version).
  std::vector<Participant> readers;     // Those that a next version has to be linked to,
  std::uint32_t forgotten_readers = 0;  // and more that the graph has forgotten.

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
  std::vector<Lock> locks;  // Of reads, and of writers that aborted; those of versions stand there.
  // Versions before the first one here are forgotten: certainly overwritten before any snapshot taken from
  // now on, unless reads may be of any age.
  bool forgot = false;
  bool had_delete = false;       // Then a write may be an insert of a new row, which no snapshot forbids.
  bool has_uncertain = false;    // Some version is.
  KeyState* row = nullptr;       // Of a column; locks and orders of writers are those of its row.
  Time longest_commit = 0;       // Of any version: bounds how far back two can overlap.
  std::uint64_t stamp = 0;       // The last walk over a transaction's accesses that came here,
  std::uint32_t own_access = 0;  // and the access that it found.

  bool is_column() const { return row != nullptr; }
  // Whether `version` and all before it were installed before `time`.
  bool all_installed_before(const Version& version, Time time) const {
    return version.transaction == 0 ||
           (!has_uncertain && later_by(version.release_begin, longest_commit) < time);
  }
};

}  // namespace serval::online
