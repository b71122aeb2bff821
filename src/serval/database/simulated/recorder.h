#pragma once
// Records what the clients of a planned database saw as a history; for a table of rows, with its version
// certificate.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "serval/database/simulated/planned_database.h"
#include "serval/database/simulated/simulate.h"
#include "serval/history/history_builder.h"

namespace serval::simulated {

class Recorder {
 public:
  // Without version orders and version sets, certificates of `options` are the numbers of snapshots and
  // commits.
  Recorder(const SimulationOptions& options, Value initial_value);

  ValuePool& values() noexcept { return builder_.values(); }
  void note(const std::string& name, std::string fact) { builder_.set_fact(name, std::move(fact)); }
  // With rows, must be called in commit order. A transaction without a view never ran: it was planted,
  // and there is nothing to certify.
  void record(const PlannedTransaction& transaction, Outcome outcome, Time end);
  History finish() &&;

 private:
  using Certificate = SimulationOptions::Certificate;
  // What the tree of a range depends on: whether it is an aggregate, function, column, spelling, ends.
  using RangeName = std::tuple<bool, int, int, int, std::int64_t, std::int64_t>;

  KeyId key_id(Key key) { return builder_.key(Value::integer(static_cast<std::int64_t>(key))); }
  void add(TransactionId t, const RecordedOperation& operation);
  void add_range(TransactionId t, const RecordedOperation& operation, const RecordedRange& range);
  PredicateId predicate(const RecordedRange& range);
  VersionSet version_set(const RecordedRange& range);
  void note_versions(TransactionId t, const PlannedTransaction& transaction);

  SimulationOptions::Times times_;
  Certificate certificate_;
  bool has_rows_;
  HistoryBuilder builder_;
  std::int64_t last_label_ = 0;
  std::map<RangeName, PredicateId> predicates_;
  std::vector<TransactionId> installers_;             // By position - 1; of rows.
  std::vector<std::vector<TransactionId>> versions_;  // By key; of rows.
};

}  // namespace serval::simulated
