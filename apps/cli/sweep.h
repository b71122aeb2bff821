#pragma once
// Parameter sweeps (MTC, sections V-C and V-D): histories of mini-transactions, general transactions and
// lightweight transactions, of which one parameter changes while the others stay. Each comes from the
// simulated database, at the level that is then checked, so every verdict must be valid.
//
//   const SweepReport report = run_sweep(short_sweep(), [](const SweepCell&) {});
//   print(text_of(report));
//
//   distribution   mini, general        how keys are chosen: MTC's four distributions
//   keys           mini, general        few keys make transactions conflict
//   operations     general              per transaction; mini-transactions have at most four
//   sessions       mini, general
//   txns           mini, general
//   concurrent     lightweight          operations in progress at a time, of all sessions

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "serval/levels/level.h"

namespace serval::cli {

struct SweepOptions {
  std::uint64_t transactions = 0;
  std::uint32_t sessions = 20;
  std::uint64_t keys = 1000;
  std::uint64_t operations = 8;
  std::uint64_t seed = 1;
  std::chrono::nanoseconds timeout = std::chrono::minutes(1);  // Per check.
  // The values of the parameters that change.
  std::vector<std::uint64_t> swept_keys, swept_operations, swept_sessions;
  std::vector<std::uint64_t> swept_transactions;  // In tenths of `transactions`.
  std::vector<std::uint64_t> swept_concurrent;    // In tenths of `sessions`.
  std::vector<std::string_view> parameters;       // Those to sweep, from swept_parameters().
};
SweepOptions short_sweep();  // Less than a minute.
SweepOptions full_sweep();   // Minutes.
std::vector<std::string_view> swept_parameters();

// One history and its check.
struct SweepCell {
  std::string_view parameter;
  std::string value;
  std::string_view workload;
  Level level = Level::Serializable;
  std::uint64_t transactions = 0, committed = 0, operations = 0;
  double generation_seconds = 0, seconds = 0;
  std::string_view verdict, engine;  // "valid", "violation", "unknown".
};

struct SweepReport {
  SweepOptions options;
  std::vector<SweepCell> cells;
};

// Calls `done` after each cell. Throws InputError for options that the simulated database rejects.
SweepReport run_sweep(const SweepOptions& options, const std::function<void(const SweepCell&)>& done);

std::string text_of(const SweepReport& report);
std::string json_of(const SweepReport& report);
std::string csv_of(const SweepReport& report);  // A line for each cell, after a line of names.

}  // namespace serval::cli
