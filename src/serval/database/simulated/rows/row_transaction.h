#pragma once
// A transaction on the simulated table of rows, between its begin and its end, and what its client was told.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "serval/database/simulated/rows/row_versions.h"
#include "serval/history/operation.h"
#include "serval/workload/row_plan.h"

namespace serval::simulated {

struct RecordedRowOperation {
  struct RowSeen {
    Key key;
    Value value;
  };

  OperationKind kind = OperationKind::Read;
  Key key = 0;
  Value value;  // Of an aggregate: its result.
  Interval time;
  // Of ranges only.
  RowRequest request;
  std::int64_t tag = 0;  // What the rows get as their value.
  std::vector<RowSeen> rows;
  Position snapshot = 0;                         // It saw the commits up to this one.
  std::vector<std::pair<Key, Position>> looked;  // The same version by version, where that is asked for.
};

struct RowTransaction {
  struct PendingRow {
    Key key;
    RowContents row;
    Value value;
  };

  std::uint32_t session = 0;
  RowPlan plan;
  std::size_t next_request = 0;
  Time begin = 0;
  Position begin_position = 0;
  std::optional<Position> snapshot;  // From the first request on, where statements share one.
  std::optional<Position> commit_position;
  std::vector<RecordedRowOperation> operations;
  std::vector<std::pair<Key, Position>> reads;  // Rows that it read, and the versions.
  std::vector<RowRange> ranges;
  std::vector<PendingRow> writes;  // The last state of each key.

  // Empties it for the next transaction and keeps the memory.
  void restart(RowPlan next_plan, Time at, Position position) {
    plan = std::move(next_plan);
    next_request = 0;
    begin = at;
    begin_position = position;
    snapshot.reset();
    commit_position.reset();
    operations.clear();
    reads.clear();
    ranges.clear();
    writes.clear();
  }
};

}  // namespace serval::simulated
