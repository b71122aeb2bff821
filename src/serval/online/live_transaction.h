#pragma once
// A transaction between its first record and the moment at which it is judged: what it read, wrote and
// locked, in program order.

#include <cstdint>
#include <vector>

#include "serval/online/predicate_locks.h"
#include "serval/online/profile.h"
#include "serval/online/serialization_certifier.h"
#include "serval/online/stored_value.h"

namespace serval::online {

// One row, or one column of it, in one statement.
struct Access {
  enum class Kind : std::uint8_t { Read, Write, Lock };  // Lock: what is there is not known.

  StoredValue value;
  Interval time;
  std::uint32_t key = 0;
  std::uint32_t statement = 0;  // Counts from 0 within the transaction.
  Kind kind = Kind::Read;
  ReadMode mode = ReadMode::Consistent;
  LockMode lock = LockMode::None;
  // A read of no row: perhaps by an update or delete that found nothing, which reads as such statements do.
  bool perhaps_writing = false;
  bool maybe = false;  // A write that perhaps changed nothing, of several rows of which some changed.
};

struct LiveTransaction {
  enum class State : std::uint8_t { Open, Committed, Aborted, Indeterminate };

  std::uint64_t number = 0;
  std::uint32_t session = 0;
  State state = State::Open;
  const Profile* profile = nullptr;
  Time begin = 0;           // Of its first record.
  Interval end;             // Of its last.
  Time last_operation = 0;  // When the last answered one was asked for: it was alive then.
  Interval snapshot{kUnknownBegin, kUnknownEnd};
  bool has_snapshot = false;
  bool in_graph = true;  // At the level that the graph is about.
  std::uint32_t statements = 0;
  std::uint32_t snapshot_statement = 0;  // Which of them fixed the snapshot.
  std::vector<Access> accesses;
  std::vector<RegionLock> regions;  // That it locked rows of.
  Participant participant;

  void restart() {
    std::vector<Access> kept = std::move(accesses);
    kept.clear();
    *this = LiveTransaction();
    accesses = std::move(kept);
  }
};

}  // namespace serval::online
