#pragma once
// Turns the results of inference into the anomalies of a verdict.

#include <string>
#include <vector>

#include "serval/check/check_options.h"
#include "serval/evidence/verdict.h"
#include "serval/inference/reads_from.h"

namespace serval {

// "r(x,1) in transaction 7"
std::string cite(const History& history, OperationId op);

AnomalyKind anomaly_of(ReadFault fault);
// Faulty reads that `level` forbids.
std::vector<Anomaly> forbidden_reads(const Relations& relations, Level level);
// List reads that contradict each other, and aborted appends that others built upon, if `level` forbids
// them.
std::vector<Anomaly> contradicting_versions(const Relations& relations, Level level);
std::vector<Anomaly> lost_updates(const History& history, const Relations& relations);

// Sorts by severity, with every kind once before any kind twice; counts all and keeps
// options.max_anomalies.
Violated make_violated(std::vector<Anomaly> anomalies, const CheckOptions& options);

// The number of writes of unknown value, with an example; requires one.
std::string describe_unknown_writes(const History& history, const std::vector<OperationId>& writes);

// Why the order of versions is not known, with examples; requires that it is not.
// A budget ended before the answer came.
Undecided cut_short(const BudgetExhausted& exhausted, std::vector<std::string> details);

Undecided missing_order(const History& history, const Relations& relations);

}  // namespace serval
