#pragma once
// The simulated database for sessions in threads: the rules of store.h on tables of rows and lists, with
// ranges. Each step takes effect under one lock. No session waits for another: a conflict aborts the
// transaction that comes second.
//
//   SharedStore store(SimulatedLevel::Serializable, bugs, 1, schema);
//   SharedStore::Session session = store.open_session();
//   store.begin(session);
//   store.perform(session, {.kind = Request::Kind::Read, .key = 7});
//   store.commit(session);
//
// Unlike in simulate(), nothing is planned: whether a transaction only reads is not known before its end. So
// at the serializable levels one transaction in ten gets an old snapshot, and if it writes, it is refused
// unless everything it read is still the newest.

#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "serval/database/client.h"
#include "serval/database/simulated/store.h"
#include "serval/workload/request.h"
#include "serval/workload/schema.h"

namespace serval::simulated {

struct SharedTransaction : Transaction {
  // The state that the last request saw; none if reads are dirty or replicas differ.
  std::optional<Position> state_seen;
  std::vector<Request> ranges;
  std::map<Key, std::vector<std::int64_t>> columns;  // Of pending writes. Absent: unchanged.
};

class SharedStore final : private Store {
 public:
  using Session = std::list<SharedTransaction>::iterator;  // Each with its last transaction.

  SharedStore(SimulatedLevel level, std::span<const SimulatedBug> bugs, std::uint64_t seed,
              const Schema& schema);

  Session open_session();
  void close_session(Session session);

  void begin(Session session);
  // A conflict rolls back and throws a TransactionFailure.
  Answer perform(Session session, const Request& request);
  Outcome commit(Session session);  // Aborted: due to a bug that reports an abort.
  void roll_back(Session session);

 private:
  using Kind = Request::Kind;
  using Locks = SimulatedLevelInfo::Locks;
  struct Row {
    bool present = false;  // For a row; lists always exist.
    std::int64_t tag = 0;
    std::vector<std::int64_t> columns;
    std::vector<std::int64_t> list;
  };
  struct Table {
    bool holds_lists;
    std::vector<std::int64_t> initial_columns;
    std::map<std::uint64_t, Key> rows;  // By their own keys; those that were ever read or written.
  };
  struct Place {
    std::uint32_t table;
    std::uint64_t key;
  };

  void note_installed(const Transaction& transaction, std::span<const PendingWrite> writes) override;
  bool ranges_are_outdated(const Transaction& transaction) const override;

  Key key_of(std::uint32_t table, std::uint64_t key);
  Row row_of(Key key, VersionId version) const;
  bool matches(const Request& range, Key key, const Row& row) const;
  void apply(const SharedTransaction& writer, const PendingWrite& write, Row& row) const;
  void apply_pending(const Transaction& writer, Key key, Row& row) const;
  Row read_row(SharedTransaction& transaction, Key key, bool locks);
  void put(SharedTransaction& transaction, Key key, const Request& request);
  void add(SharedTransaction& transaction, const PendingWrite& pending);
  Answer answer(SharedTransaction& transaction, const Request& request);
  Answer answer_range(SharedTransaction& transaction, const Request& request);

  std::mutex mutex_;  // Guards everything below, and the store.
  std::condition_variable stepped_;
  std::uint64_t steps_ = 0;
  std::list<SharedTransaction> sessions_;
  std::vector<Table> tables_;
  std::vector<Place> places_;                       // By key of the store.
  std::vector<std::vector<std::int64_t>> columns_;  // By version.
};

}  // namespace serval::simulated
