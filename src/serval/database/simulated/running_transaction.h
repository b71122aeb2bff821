#pragma once
// A transaction of the simulated database between its begin and its end.

#include <cstdint>
#include <optional>
#include <vector>

#include "serval/database/simulated/version_store.h"
#include "serval/history/operation.h"
#include "serval/workload/transaction_plan.h"

namespace serval::simulated {

struct RecordedOperation {
  OperationKind kind;
  Key key;
  Value value;
  Value expected;
  Interval time;
};

struct RunningTransaction {
  struct PendingWrite {
    Key key;
    Value value;
  };
  // A list read after own appends: what stood beneath them.
  struct ShownList {
    Key key;
    Position beneath;
  };

  std::uint32_t session = 0;
  TransactionPlan plan;
  std::size_t next_operation = 0;
  Time begin = 0;
  Position begin_position = 0;
  std::optional<View> view;  // From the first operation on.
  std::optional<Position> commit_position;
  std::vector<Value>
      guesses;  // What the client believes the keys of its compare-and-sets hold, by operation.
  std::vector<RecordedOperation> operations;
  std::vector<Key> reads;            // From the database, not from its own writes.
  std::vector<PendingWrite> writes;  // Registers: the last value of each key. Lists: every append.
  std::vector<ShownList> shown_lists;
  std::size_t installed_writes = 0;  // More than 0 and not all: a fractured commit.

  // Empties it for the next transaction and keeps the memory.
  void restart(TransactionPlan next_plan, Time at, Position position) {
    plan = std::move(next_plan);
    next_operation = 0;
    begin = at;
    begin_position = position;
    view.reset();
    commit_position.reset();
    guesses.clear();
    operations.clear();
    reads.clear();
    writes.clear();
    shown_lists.clear();
    installed_writes = 0;
  }
};

}  // namespace serval::simulated
