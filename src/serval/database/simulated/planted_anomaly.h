#pragma once
// Anomalies that simulate() can plant: a few transactions in mini-transaction form (MTC, Figure 5 and
// Table I) on keys that nothing else uses. All sessions finish what they are doing, the planted transactions
// run, then all sessions continue. So no dependency leads back over the pause, and the history has exactly
// that one anomaly: levels that forbid it (levels/anomaly.h) are violated, all others hold if they hold
// without it.

#include <span>
#include <string_view>

namespace serval {

struct PlantedAnomaly {
  std::string_view name;         // The name of the anomaly in levels/anomaly.h.
  std::string_view description;  // One sentence.
  // The transactions, in history notation. Keys stand for fresh keys, 0 for the initial value, other values
  // for fresh ones, sessions for different sessions, times for microseconds since the database came to rest.
  std::string_view notation;
};

std::span<const PlantedAnomaly> all_planted_anomalies();
// Those among rows and ranges, which have no notation: simulate.cpp runs their transactions.
std::span<const PlantedAnomaly> all_planted_rows();
// By name, without those among rows; throws InputError with the nearest names.
const PlantedAnomaly& parse_planted_anomaly(std::string_view name);

}  // namespace serval
