#pragma once
// Histories without a database: a multi-version store in memory, single-threaded, whose sessions are
// interleaved by a seeded scheduler on a virtual clock. Same options, same history, byte for byte.
//
//   const History history = simulate({.workload = "mini", .transactions = 1'000'000,
//                                     .level = parse_simulated_level("serializable"), .plant =
//                                     "lost-update"});
//
// Every session runs one transaction after another, each step of it (begin, operation, commit) called before
// and answered after the moment at which it takes effect, both by random spans; so intervals overlap, and
// real time is truthful. Written values are 1, 2, 3, ... in the order of execution. About a microsecond a
// transaction; memory is the history plus the versions that open transactions may still see.

#include <cstdint>
#include <string>
#include <vector>

#include "serval/base/budget.h"
#include "serval/database/simulated/planted_anomaly.h"
#include "serval/database/simulated/simulated_bug.h"
#include "serval/database/simulated/simulated_level.h"
#include "serval/history/history.h"

namespace serval {

struct SimulationOptions {
  enum class Times : std::uint8_t { None, Transactions, Operations };  // Whose intervals are recorded.
  // Of the transactions in the history. Shuffled: as far as the order of each session allows.
  enum class Order : std::uint8_t { Completion, Session, Shuffled };
  enum class Hints : std::uint8_t {
    None,
    Timestamps
  };  // Timestamps: numbers of the snapshot and the commit.

  std::string workload = "mini";  // "name" or "name:parameter=value,..."; see workload/workload.h.
  std::uint32_t sessions = 20;
  std::uint64_t transactions =
      10'000;  // Recorded in all, aborted ones included; a planted anomaly adds a few.
  std::uint64_t keys = 10'000;
  std::string key_distribution =
      "uniform";  // "name" or "name:parameter=value,..."; see workload/key_choice.h.
  SimulatedLevel level = SimulatedLevel::StrictSerializable;
  std::vector<SimulatedBug> bugs;
  std::string plant;  // Name of a planted anomaly (planted_anomaly.h), or empty. Register workloads only.
  std::uint64_t seed = 1;
  double abort_share = 0.02;  // Of the transactions, that abort of their own will.
  // Of the commits, whose answer is lost: recorded as indeterminate, half of them took effect. Not every
  // format can say "indeterminate".
  double indeterminate_share = 0;
  Times times = Times::Transactions;
  Order order = Order::Completion;
  Hints hints = Hints::None;
  Budget* budget = nullptr;  // Polled; BudgetExhausted unwinds.
};

// Throws InputError for options that name something unknown or contradict each other.
[[nodiscard]] History simulate(const SimulationOptions& options);

}  // namespace serval
