#pragma once
// Predicate histories without a database: simulate() (../simulate.h) for a table of rows, with ranges,
// aggregates and a version certificate. Same options, same history, byte for byte.
//
//   const History history = simulate_rows({.workload = "predicate-mix:predicates=0.5",
//                                          .transactions = 100'000, .level = "serializable"});
//
// Keys hold rows, {"place":3,"value":17}; place may be NULL, value is different for every write. Two to four
// microseconds a transaction; memory is the history.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/base/budget.h"
#include "serval/database/simulated/simulate.h"
#include "serval/history/history.h"

namespace serval {

struct RowSimulationOptions {
  // What is told of the order in which versions came about, and of what ranges looked at.
  enum class Certificate : std::uint8_t {
    None,
    Timestamps,  // Numbers of snapshots and commits; ranges looked at the commits up to a number.
    Orders,      // The same, and every key's versions one by one.
    Full,        // The same, but every version that a range looked at. O(ranges * keys).
  };

  std::string workload = "predicate-mix";
  std::uint32_t sessions = 20;
  std::uint64_t transactions = 10'000;  // Recorded in all, aborted ones included; a plant adds a few.
  std::uint64_t keys = 100;
  std::string key_distribution = "uniform";
  std::string level = "strict-serializable";  // rows/row_level.h
  std::vector<SimulatedBug> bugs;             // LostUpdate, WriteSkew and SkippedValidation.
  std::string plant;                          // "phantom", "predicate-write-skew", or empty.
  std::uint64_t seed = 1;
  double abort_share = 0.02;
  double indeterminate_share = 0;
  SimulationOptions::Times times = SimulationOptions::Times::Transactions;
  Certificate certificate = Certificate::Timestamps;
  Budget* budget = nullptr;  // Polled; BudgetExhausted unwinds.
};

// Whether the workload is one that simulate_rows() runs, in place of simulate().
bool plans_rows(std::string_view workload);

struct PlantedRows {
  std::string_view name;
  std::string_view description;  // One sentence.
};
std::span<const PlantedRows> all_planted_rows();

// Throws InputError for options that name something unknown or contradict each other.
[[nodiscard]] History simulate_rows(const RowSimulationOptions& options);

}  // namespace serval
