#include "serval/database/simulated/planted_anomaly.h"

#include <array>
#include <vector>

#include "serval/workload/parameters.h"

namespace serval {

std::span<const PlantedAnomaly> all_planted_anomalies() {
  static const std::array<PlantedAnomaly, 15> table = {{
      {"thin-air-read", "a read of a value that was never written", "a: [r(x,1)]@0..9"},
      {"aborted-read", "a read of a value whose writer aborted",
       "a: [r(x,0) w(x,1)]!@0..8  b: [r(x,1)]@1..9"},
      {"future-read", "a read of what the transaction writes later", "a: [r(x,1) w(x,1)]@0..9"},
      {"not-my-last-write", "a read of the transaction's own write, but not the last one",
       "a: [r(x,0) w(x,1) w(x,2) r(x,1)]@0..9"},
      {"not-my-own-write", "a read that misses the transaction's own write",
       "a: [r(x,0) w(x,1)]@0..8  b: [r(x,1) w(x,2) r(x,1)]@1..9"},
      {"intermediate-read", "a read of a value that its writer had overwritten by its commit",
       "a: [r(x,0) w(x,1) w(x,2)]@0..8  b: [r(x,1)]@1..9"},
      {"non-repeatable-read", "two reads of a key in one transaction that differ",
       "a: [r(x,0) w(x,1)]@0..8  b: [r(x,0) r(x,1)]@1..9"},
      {"read-your-writes-violation", "a transaction misses what its session wrote before",
       "a: [r(x,0) w(x,1)]@0..7  b: [r(x,1) w(x,2)]@1..3 [r(x,1)]@5..9"},
      {"non-monotonic-read",
       "a read of one transaction's write, then of a key as it was before that transaction",
       "a: [r(x,0) w(x,1)]@0..7  b: [r(x,1) w(x,2) r(y,0) w(y,3)]@1..8  c: [r(y,3) r(x,1)]@2..9"},
      {"fractured-read", "a transaction sees one of two writes of another",
       "a: [r(x,0) w(x,1) r(y,0) w(y,2)]@0..8  b: [r(y,0) r(x,1)]@1..9"},
      {"causality-violation", "a transaction sees an effect, but not its cause",
       "a: [r(x,0) w(x,1)]@0..7  b: [r(x,1) r(y,0) w(y,2)]@1..8  c: [r(x,0) r(y,2)]@2..9"},
      {"long-fork", "two readers see two writes in opposite orders",
       "a: [r(x,0) w(x,1)]@0..6  b: [r(y,0) w(y,2)]@1..7  c: [r(x,1) r(y,0)]@2..8  d: [r(x,0) r(y,2)]@3..9"},
      {"lost-update", "two transactions read the same version and both overwrite it",
       "a: [r(x,0) w(x,1)]@0..8  b: [r(x,0) w(x,2)]@1..9"},
      {"write-skew", "two transactions read both keys, and each writes a different one",
       "a: [r(x,0) r(y,0) w(x,1)]@0..8  b: [r(x,0) r(y,0) w(y,2)]@1..9"},
      {"read-skew-realtime", "a transaction misses what had returned before it began",
       "a: [r(x,0) w(x,1)]@0..3  b: [r(x,0)]@6..9"},
  }};
  return table;
}

std::span<const PlantedAnomaly> all_planted_rows() {
  static constexpr std::array<PlantedAnomaly, 2> table = {{
      {"phantom", "an empty range, then a read of what was written together with a row in that range", {}},
      {"predicate-write-skew", "two transactions find a range empty, and each inserts a row into it", {}},
  }};
  return table;
}

const PlantedAnomaly& parse_planted_anomaly(std::string_view name) {
  std::vector<ChoiceInfo> rows;
  for (const PlantedAnomaly& row : all_planted_anomalies()) rows.push_back({row.name, {}});
  return all_planted_anomalies()[parse_choice("anomaly to plant", name, rows).row];
}

}  // namespace serval
