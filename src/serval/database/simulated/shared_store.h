#pragma once
// The simulated database for sessions that really run at the same time: the rules of its level
// (simulated_level.h) on rows, lists and ranges, one step at a time under one lock, except where a bug
// strikes (simulated_bug.h). Nobody waits for anybody: a conflict aborts who comes second.
//
//   SharedStore store(SimulatedLevel::Serializable, bugs, 1, schema);
//   SharedStore::Session session = store.open_session(0);
//   store.begin(session);
//   store.perform(session, {.kind = Request::Kind::Read, .key = 7});
//   store.commit(session);                                 // Or Conflict, thrown by either.
//
// Differs from SimulatedDatabase in that nothing is planned: whether a transaction only reads is known at its
// end. So at the serializable levels any transaction may get an old snapshot, now and then, and one that
// writes is refused unless all that it read is still the newest.

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "serval/base/random.h"
#include "serval/database/simulated/bug_triggers.h"
#include "serval/database/simulated/row_store.h"
#include "serval/database/simulated/simulated_level.h"
#include "serval/workload/request.h"

namespace serval::simulated {

// The transaction is rolled back.
struct Conflict : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SharedStore {
 public:
  SharedStore(SimulatedLevel level, std::span<const SimulatedBug> bugs, std::uint64_t seed,
              const Schema& schema);

  struct PendingWrite {
    enum class Kind : std::uint8_t { Put, Erase, Append };
    RowKey row;
    Kind kind;
    std::int64_t tag = 0;
    std::vector<std::int64_t> columns;  // None: those stay as they are.
  };
  struct Scanned {
    Request range;
    std::vector<std::pair<std::uint64_t, Position>> rows;  // Keys and the versions seen.
  };
  struct Transaction {
    std::uint8_t replica = 0;
    bool open = false;
    Position begin = 0;
    std::optional<View> view;  // From the first request on.
    // The state that the last request saw; none where reads are dirty or replicas differ.
    std::optional<Position> looked_at;
    std::optional<Position> committed;
    std::vector<RowKey> reads;  // From the store, not from its own writes.
    std::vector<RowKey> locked;
    std::vector<Scanned> scans;
    std::vector<PendingWrite> writes;
    std::size_t installed = 0;  // More than 0 and not all: a fractured commit.
    Position floor = 0;         // The newest state that the session saw or made.
  };
  using Session = std::list<Transaction>::iterator;

  Session open_session(std::uint32_t number);
  void close_session(Session session);

  void begin(Session session);
  Answer perform(Session session, const Request& request);  // Throws Conflict.
  enum class Ended : std::uint8_t { Committed, SaidToAbort };
  Ended commit(Session session);  // Throws Conflict.
  void roll_back(Session session);
  std::uint64_t fired(SimulatedBugKind kind) const;

 private:
  Position choose_snapshot(const Transaction& transaction);
  View take_view(const Transaction& transaction);
  std::optional<Position> state_seen(const View& view) const;
  void join_fork(View& view, const Transaction& transaction);

  RowContent read(Transaction& transaction, const RowKey& row, const Request& request);
  const Transaction* dirty_writer(const Transaction& transaction, const RowKey& row);
  void apply(const PendingWrite& write, RowContent& content) const;
  void apply_all(const Transaction& writer, const RowKey& row, RowContent& content) const;
  void write(Transaction& transaction, PendingWrite write);
  Answer answer(Transaction& transaction, const Request& request);
  Answer answer_range(Transaction& transaction, const Request& request);
  std::vector<std::uint64_t> candidates(const Transaction& transaction, const Request& range) const;

  bool has_conflict(const Transaction& transaction);
  bool overlooks(SimulatedBugKind kind);
  bool is_outdated(const Transaction& transaction, const RowKey& row) const;
  bool is_outdated(const Transaction& transaction, const Scanned& scanned) const;
  bool awaits_half_commit(const Transaction& transaction) const;
  bool commit_dirty_write(Transaction& transaction);
  void install(Transaction& transaction, std::size_t until);
  void install_in_halves(Transaction& transaction, std::unique_lock<std::mutex>& lock);
  void finish(Transaction& transaction);
  void move_horizon();
  std::uint64_t max_lag() const { return 2 * sessions_.size() + 8; }

  const SimulatedLevelInfo& level_;
  mutable std::mutex mutex_;  // For all below.
  std::condition_variable stepped_;
  std::uint64_t steps_ = 0;
  BugTriggers bugs_;
  Random random_;
  RowStore store_;
  std::list<Transaction> sessions_;  // Each with its transaction, open or ended.
  std::vector<const Transaction*> half_committed_;
  Position position_ = 0;  // Of the newest commit.
  Position fork_begin_ = kNoPosition;
  Position fork_end_ = 0;
};

}  // namespace serval::simulated
