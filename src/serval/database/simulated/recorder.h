#pragma once
// Writes what the clients of the simulated database saw into a history.

#include <cstdint>
#include <string>

#include "serval/database/simulated/planted_anomaly.h"
#include "serval/database/simulated/running_transaction.h"
#include "serval/database/simulated/simulate.h"
#include "serval/history/history_builder.h"

namespace serval::simulated {

class Recorder {
 public:
  Recorder(const SimulationOptions& options, Value initial_value);

  ValuePool& values() noexcept { return builder_.values(); }
  void note(const std::string& name, std::string fact) { builder_.set_fact(name, std::move(fact)); }
  void record(const RunningTransaction& transaction, Outcome outcome, Time end);

  // A planted transaction: one of the notation, in a session, with its keys, values and times translated.
  struct Translation {
    std::uint64_t first_key = 0;   // For the first key of the notation; the others follow.
    std::int64_t first_value = 0;  // For value 1 of the notation; the others follow. 0 stays 0.
    std::uint32_t first_session = 0;
    std::uint32_t sessions = 1;
    Time rest = 0;
    Time unit = 1;
  };
  void record_planted(const History& notation, TransactionId planted, const Translation& translation);

  History finish() &&;

 private:
  TransactionId begin(std::uint32_t session);
  void add(TransactionId t, const RecordedOperation& operation);
  void close(TransactionId t, Outcome outcome, Interval time);

  SimulationOptions::Times times_;
  SimulationOptions::Hints hints_;
  HistoryBuilder builder_;
  std::int64_t last_label_ = 0;
};

}  // namespace serval::simulated
