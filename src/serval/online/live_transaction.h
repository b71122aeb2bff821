#pragma once
// A transaction from its first record until it is judged: its reads, writes and locks in program order.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "serval/online/key_state.h"
#include "serval/online/predicate_locks.h"
#include "serval/online/profile.h"
#include "serval/online/stored_value.h"

namespace serval::online {

// One row, or one column of it, in one statement.
struct Access {
  enum class Kind : std::uint8_t { Read, Write, Lock };  // Lock: the value is unknown.

  StoredValue value;
  Interval time;
  std::uint32_t key = 0;
  std::uint32_t local = 0;      // The key's number in its partition,
  KeyState* state = nullptr;    // and its state, looked up at the end of the transaction.
  std::uint32_t statement = 0;  // Counts from 0 within the transaction.
  Kind kind = Kind::Read;
  ReadMode mode = ReadMode::Consistent;
  LockMode lock = LockMode::None;
  // A read of no row. It may be an update or delete that found nothing, which reads as such statements
  // do.
  bool perhaps_writing = false;
  bool maybe = false;  // A write that perhaps changed nothing: only some of several rows changed.
};

struct LiveTransaction {
  enum class State : std::uint8_t { Open, Committed, Aborted, Indeterminate };
  static constexpr std::uint32_t kNoStatement = 0xFFFFFFFFu;

  std::uint64_t number = 0;
  std::uint32_t session = 0;
  State state = State::Open;
  const Profile* profile = nullptr;
  Time begin = 0;           // Of its first record.
  Interval end;             // Of its last.
  Time last_operation = 0;  // Invocation of the last completed operation: the transaction was alive then.
  Interval snapshot{kUnknownBegin, kUnknownEnd};
  bool has_snapshot = false;
  bool in_graph = true;  // Its level takes part in the graph.
  std::uint32_t statements = 0;
  std::uint32_t snapshot_statement = kNoStatement;  // The statement that fixed the snapshot, if one did.
  bool wrote = false;                               // One of its accesses is a write.
  Time last_answered = 0;  // If it aborted: the invocation of the last operation completed before.
  std::vector<Access> accesses;
  std::vector<RegionLock> regions;  // The regions whose rows it locked.
  Participant participant;
  std::uint64_t ended = 0;         // Its position among ended transactions, from 1; 0: open.
  std::uint64_t judged = 0;        // Its position among judged transactions, from 1; 0: not judged.
  std::uint64_t ended_before = 0;  // How many transactions had ended when it was judged.

  // By partition: the accesses to its keys, in program order. Filled at the end.
  std::vector<std::vector<std::uint32_t>> parts;
  bool spans_partitions = false;  // Reads of one snapshot are in several partitions.

  // The invocation of the last operation completed before the end.
  Time find_last_answered() const {
    Time last = begin;
    for (const Access& access : accesses)
      if (access.time.end < end.end) last = std::max(last, access.time.begin);
    return last;
  }

  // Frees the memory of a very large transaction.
  void restart() {
    constexpr std::size_t kMostKept = 4096;
    LiveTransaction fresh;
    if (accesses.capacity() <= kMostKept) {
      fresh.accesses = std::move(accesses);
      fresh.accesses.clear();
      fresh.parts = std::move(parts);
      for (std::vector<std::uint32_t>& part : fresh.parts) part.clear();
    }
    *this = std::move(fresh);
  }
};

}  // namespace serval::online
