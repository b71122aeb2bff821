#pragma once
// The multi-version store that all simulated databases share: one set of rules for snapshots, conflicts,
// locks and commits, given by the table of levels (simulated_level.h), except when a bug strikes
// (simulated_bug.h). It knows keys, versions and transactions, but neither a clock nor the meaning of a
// version.
//
// Start reading here. Three databases derive from it. Each translates its own requests into reads and writes
// of keys:
//
//   KeyDatabase  registers and lists  } planned_database.h; simulate.h runs them in one thread, on a virtual
//   RowDatabase  rows and ranges      } clock
//   SharedStore  tables of rows and lists, for sessions in threads: shared_store.h, open_simulated.cpp
//
// The life of a transaction:
//
//   begin(transaction);                  // Remembers the position: the number of the newest commit.
//   view_of(transaction);                // At the first request: takes the snapshot.
//   VersionId seen = read(transaction, key);
//   write(transaction, {.key = key, .value = value});     // Pending; other transactions may see it as dirty.
//   commit(transaction);                 // Checks, then installs all pending writes as one commit; or
//   roll_back(transaction);
//
// Not thread-safe; SharedStore locks around every call. Steps cost O(keys they touch), and none waits.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "serval/base/random.h"
#include "serval/database/simulated/simulated_bug.h"
#include "serval/database/simulated/simulated_level.h"
#include "serval/database/simulated/version_store.h"

namespace serval::simulated {

// Decides, whenever a mechanism is used, whether its bug strikes now. Has its own random numbers, so
// that a bug that is switched off changes nothing.
class BugTriggers {
 public:
  BugTriggers(std::span<const SimulatedBug> bugs, std::uint64_t seed) : random_(seed) {
    for (const SimulatedBug& bug : bugs) triggers_[index(bug.kind)] = {bug.probability, bug.limit, 0};
  }

  bool may_fire(SimulatedBugKind kind) const {
    const Trigger& trigger = triggers_[index(kind)];
    return trigger.probability > 0 && (trigger.limit == 0 || trigger.fired < trigger.limit);
  }
  bool fires(SimulatedBugKind kind) {
    Trigger& trigger = triggers_[index(kind)];
    if (!may_fire(kind) || !random_.chance(trigger.probability)) return false;
    ++trigger.fired;
    return true;
  }
  std::uint64_t fired(SimulatedBugKind kind) const { return triggers_[index(kind)].fired; }
  Random& random() noexcept { return random_; }

 private:
  struct Trigger {
    double probability = 0;
    std::uint64_t limit = 0, fired = 0;
  };
  static std::size_t index(SimulatedBugKind kind) { return static_cast<std::size_t>(kind); }

  std::array<Trigger, 9> triggers_;
  Random random_;
};

struct PendingWrite {
  Key key = 0;
  Value value;
  bool append = false;                  // The value is added to the list of the key.
  VersionId version = kInitialVersion;  // Once installed.
};

// What the store knows about a transaction between its begin and its end.
struct Transaction {
  struct Read {
    Key key;
    Position position;  // Of the version seen.
  };
  enum class Intent : std::uint8_t { Unknown, Update, OnlyReads };

  std::uint32_t session = 0;
  Intent intent = Intent::Unknown;
  Position begin_position = 0;
  std::optional<View> view;  // Set at the first request.
  std::optional<Position> commit_position;
  std::vector<Read> reads;           // Of committed versions.
  std::vector<Read> locked;          // Those to be checked like writes.
  std::vector<Read> lists_shown;     // Lists read after own appends: the version before these.
  std::vector<PendingWrite> writes;  // One per key; for a list, one per append.
  std::size_t installed = 0;         // More than 0 and not all: a fractured commit.

  const PendingWrite* find_write(Key key) const;
  // Empties it for the next transaction of the session and keeps the memory.
  void restart();
};

class Store {
 public:
  struct Options {
    SimulatedLevel level;
    std::span<const SimulatedBug> bugs;
    std::uint64_t seed;
    std::uint32_t sessions = 0;  // More may be opened.
    Value initial;               // Of every key.
    bool has_ranges = false;     // Keeps a log of recent commits for changed_since().
    // Whether the check of reads includes the keys that the transaction also writes. Makes a difference
    // only if a bug skips the check of writes.
    bool checks_written_reads = false;
  };
  explicit Store(const Options& options);
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  Position position() const noexcept { return position_; }
  const BugTriggers& bugs() const noexcept { return bugs_; }

  std::uint32_t open_session();
  void close_session(std::uint32_t session);
  // The address of the transaction must not change before its end.
  void begin(Transaction& transaction);
  bool is_open(const Transaction& transaction) const {
    return sessions_[transaction.session].open != nullptr;
  }

  // Conflict: rolled back. SaidToAbort (a bug): committed, but the client gets an abort. HalfWay (a
  // fractured commit): call commit() again later, or complete().
  enum class CommitAnswer : std::uint8_t { Committed, Conflict, SaidToAbort, HalfWay };
  CommitAnswer commit(Transaction& transaction);
  // Installs what is not yet installed, without checks.
  void complete(Transaction& transaction);
  void roll_back(Transaction& transaction) { end(transaction); }

  // No transaction is running; those that begin from now on see all commits until now.
  void quiesce();

 protected:
  struct RecentCommit {
    Position position;
    Key key;
    VersionId version;
    std::uint8_t replica;
  };

  const SimulatedLevelInfo& level() const noexcept { return level_; }
  const VersionStore& versions() const noexcept { return versions_; }
  // Installs an initial version.
  VersionId load(Key key, Value value) { return versions_.install(key, {.value = value}); }

  const View& view_of(Transaction& transaction);
  // The commit whose state a request sees; none if reads are dirty or replicas differ.
  std::optional<Position> state_seen(const View& view) const;
  // The committed version that the transaction sees; notes the read.
  VersionId read(Transaction& transaction, Key key);
  // The other transaction whose uncommitted write a read of the key returns; null if the read is clean.
  const Transaction* dirty_writer(const Transaction& transaction, Key key);
  void write(Transaction& transaction, const PendingWrite& write);
  bool is_locked(const Transaction& transaction, Key key) const;
  bool is_outdated(const Transaction& transaction, Key key) const;
  // Whether any commit that the transaction does not see satisfies `touches(key, version before, after)`.
  template <class Touches>
  bool changed_since(const View& view, Touches touches) const;

  // Called after some writes were installed.
  virtual void note_installed(const Transaction&, std::span<const PendingWrite>) {}
  virtual bool ranges_are_outdated(const Transaction&) const { return false; }

  BugTriggers bugs_;

 private:
  struct Session {
    Transaction* open = nullptr;
    Position floor = 0;  // The newest state that it saw or created.
    bool closed = false;
  };

  Position choose_snapshot(const Transaction& transaction);
  void join_fork(View& view, const Transaction& transaction);
  bool overlooks(SimulatedBugKind kind);
  bool showed_other_order(const Transaction& transaction) const;
  bool reads_are_outdated(const Transaction& transaction) const;
  bool has_conflict(const Transaction& transaction);
  bool awaits_half_commit(const Transaction& transaction) const;
  bool commit_dirty_write(Transaction& transaction);
  void lose_first_key(Transaction& transaction);
  void install(Transaction& transaction, std::size_t until);
  void end(Transaction& transaction);
  void move_horizon();
  static std::uint8_t replica_of(const Transaction& transaction) noexcept { return transaction.session % 2; }
  Position max_lag() const noexcept { return 2 * Position{session_count_} + 8; }

  const SimulatedLevelInfo& level_;
  const bool has_ranges_, checks_written_reads_;
  Random random_;
  VersionStore versions_;
  std::vector<Session> sessions_;
  std::uint32_t session_count_;  // Open sessions.
  std::vector<const Transaction*> half_committed_;
  std::deque<RecentCommit> recent_;  // Ascending by position; those after the horizon.
  Position position_ = 0;            // Of the newest commit.
  Position rest_floor_ = 0;          // Of the last rest; no snapshot is older.
  Position fork_begin_ = kNoPosition;
  Position fork_end_ = 0;
};

template <class Touches>
bool Store::changed_since(const View& view, Touches touches) const {
  const auto first =
      std::ranges::upper_bound(recent_, std::min(view.snapshot, view.fork), {}, &RecentCommit::position);
  return std::any_of(first, recent_.end(), [&](const RecentCommit& commit) {
    return !view.sees(commit.position, commit.replica) &&
           touches(commit.key, versions_[commit.version].older, commit.version);
  });
}

}  // namespace serval::simulated
