#pragma once
// Histories without a database: a multi-version store in memory (store.h), single-threaded, whose sessions
// are interleaved by a seeded scheduler on a virtual clock. Same options, same history, byte for byte.
//
//   const History history = simulate({.workload = "mini", .transactions = 1'000'000,
//                                     .level = parse_simulated_level("serializable"),
//                                     .plant = "lost-update"});
//   const History ranges = simulate({.workload = "predicate-mix:predicates=0.5", .keys = 100,
//                                    .level = parse_row_level("serializable")});
//
// Every session runs one transaction after another. Each step (begin, operation, commit) is invoked
// before it takes effect and completes afterwards, at random distances. So intervals overlap, and real
// time is accurate. A workload may limit how many sessions run at a time (lightweight:concurrent=4);
// then a random session that waits takes the turn of one whose transaction has ended. Written values
// are 1, 2, 3, ... in the order of execution. A workload that plans rows (predicate-mix) has rows,
// {"place":3,"value":17}, where place may be NULL and value is different for every write.
//
// Cost: about a microsecond per transaction; with rows two to four. Memory is the history plus the versions
// that open transactions may still see.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serval/base/budget.h"
#include "serval/database/simulated/planted_anomaly.h"
#include "serval/database/simulated/simulated_bug.h"
#include "serval/database/simulated/simulated_level.h"
#include "serval/history/history.h"

namespace serval {

struct SimulationOptions {
  enum class Times : std::uint8_t { None, Transactions, Operations };  // Which intervals are recorded.
  // Of the transactions in the history. Shuffled: as far as the order of each session allows.
  enum class Order : std::uint8_t { Completion, Session, Shuffled };
  // What is recorded about version orders, and about what ranges examined.
  enum class Certificate : std::uint8_t {
    Auto,  // Timestamps with rows, otherwise None.
    None,
    Timestamps,  // The numbers of snapshots and commits; ranges examined the commits up to a number.
    Orders,      // Also every key's versions one by one. Rows only.
    Full,        // Also every version that a range examined. Rows only; O(ranges * keys).
  };

  std::string workload = "mini";  // "name" or "name:parameter=value,..."; see workload/workload.h.
  std::uint32_t sessions = 20;
  std::uint64_t transactions = 10'000;  // Total, including aborted ones. A planted anomaly adds a few.
  std::uint64_t keys = 10'000;
  std::string key_distribution = "uniform";  // Like `workload`; see workload/key_choice.h.
  SimulatedLevel level = SimulatedLevel::StrictSerializable;
  std::vector<SimulatedBug> bugs;  // With rows: LostUpdate, WriteSkew and SkippedValidation.
  std::string plant;               // Name of a planted anomaly, or empty. Registers and rows only.
  std::uint64_t seed = 1;
  double abort_share = 0.02;  // Share of the transactions that abort by themselves.
  // Share of the commits whose response is lost. They are recorded as indeterminate; half of them took
  // effect. Not every format can represent "indeterminate".
  double indeterminate_share = 0;
  Times times = Times::Transactions;
  Order order = Order::Completion;  // With rows: Completion.
  Certificate certificate = Certificate::Auto;
  Budget* budget = nullptr;  // Polled; BudgetExhausted unwinds.
};

// Whether the workload runs on rows and ranges: its levels are those of all_row_levels().
bool plans_rows(std::string_view workload);

// Throws InputError for options that name something unknown or contradict each other.
[[nodiscard]] History simulate(const SimulationOptions& options);

}  // namespace serval
