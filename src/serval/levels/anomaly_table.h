#pragma once
// The rows of the table in anomaly.h, one function per group, in the order of the enumeration.

#include <vector>

#include "serval/levels/anomaly.h"

namespace serval {

std::vector<AnomalyInfo> read_anomalies();
std::vector<AnomalyInfo> version_anomalies();
std::vector<AnomalyInfo> half_seen_cycles();  // One anti-dependency.
std::vector<AnomalyInfo> shaped_cycles();
std::vector<AnomalyInfo> session_shaped_cycles();
std::vector<AnomalyInfo> data_cycles();
std::vector<AnomalyInfo> session_cycles();
std::vector<AnomalyInfo> real_time_cycles();
std::vector<AnomalyInfo> predicate_cycles();     // With data alone, with session order.
std::vector<AnomalyInfo> certified_anomalies();  // With real time, and what else a certificate shows.
std::vector<AnomalyInfo> missing_orders();
std::vector<AnomalyInfo> broken_orders();  // Of expected orders.
std::vector<AnomalyInfo> broken_chains();

}  // namespace serval
