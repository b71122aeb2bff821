#pragma once
// Writes what the clients of the simulated table of rows saw into a history, with its certificate.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "serval/database/simulated/rows/row_transaction.h"
#include "serval/database/simulated/rows/simulate_rows.h"
#include "serval/history/history_builder.h"

namespace serval::simulated {

class RowRecorder {
 public:
  explicit RowRecorder(const RowSimulationOptions& options);

  ValuePool& values() noexcept { return builder_.values(); }
  void note(const std::string& name, std::string fact) { builder_.set_fact(name, std::move(fact)); }
  // In the order of the commits.
  void record(const RowTransaction& transaction, Outcome outcome, Time end);
  History finish() &&;

 private:
  using Certificate = RowSimulationOptions::Certificate;
  // Kind, function, column, spelling, ends, step: what the tree of a range depends on, but for its tag.
  using RangeName = std::tuple<int, int, int, int, std::int64_t, std::int64_t, std::int64_t>;

  KeyId key_id(Key key) { return builder_.key(Value::integer(static_cast<std::int64_t>(key))); }
  void add(TransactionId t, const RecordedRowOperation& operation);
  void add_range(TransactionId t, const RecordedRowOperation& operation);
  PredicateId predicate(const RecordedRowOperation& operation);
  VersionSet version_set(const RecordedRowOperation& operation);
  void note_versions(TransactionId t, const RowTransaction& transaction);

  SimulationOptions::Times times_;
  Certificate certificate_;
  HistoryBuilder builder_;
  std::int64_t last_label_ = 0;
  std::map<RangeName, PredicateId> predicates_;
  std::vector<TransactionId> installers_;             // By position - 1.
  std::vector<std::vector<TransactionId>> versions_;  // By key.
};

}  // namespace serval::simulated
