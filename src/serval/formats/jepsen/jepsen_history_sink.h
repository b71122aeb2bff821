#pragma once
// The sink of JepsenFileReader and JepsenTextReader that builds a History.

#include <utility>

#include "serval/formats/jepsen/jepsen_file_reader.h"
#include "serval/formats/jepsen/jepsen_history.h"
#include "serval/formats/jepsen/jepsen_operation_reader.h"

namespace serval {

template <class Cursor>
class JepsenHistorySink {
 public:
  explicit JepsenHistorySink(Cursor& cursor) : reader_(cursor, history_.values()) {}

  // Both throw FormEnds and FormProblem.
  void take_map() {
    reader_.read(operation_);
    history_.add(operation_);
  }
  void take_columns() {
    reader_.read_columns(operation_);
    history_.add(operation_);
  }
  void reserve_after(double share) { history_.reserve_after(share); }

  // Called once, at the end.
  History history(const ReadOptions& options) {
    if (options.on_positions && history_.takes_positions()) options.on_positions();
    return std::move(history_).finish(options.on_notice);
  }

 private:
  JepsenHistory history_;
  JepsenOperationReader<Cursor> reader_;
  JepsenOperation operation_;
};

template <class Cursor>
History read_jepsen_maps(ByteStream& stream, const ReadOptions& options) {
  JepsenFileReader<Cursor, JepsenHistorySink<Cursor>> reader(stream, options);
  return reader.read().history(options);
}

}  // namespace serval
