#pragma once
// King Cobra's ablation (Clark et al., section 8.4): three workloads, checked with and without session order,
// with and without nine tenths of the version order (Fig. 13); then serializable with any share of it
// (Fig. 14). Histories come from the simulated database, strict-serializable, so every verdict must be valid.
//
//   const KingCobraReport report = run_king_cobra({.transactions = 1000}, [](const KingCobraCell&) {});
//   print(text_of(report));
//
// The versions given at a smaller share are a subset of those given at a larger one.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace serval::cli {

struct KingCobraOptions {
  std::uint64_t transactions = 10'000;  // At least this many, all committed.
  std::uint32_t sessions = 20;
  std::uint64_t keys = 1000;
  std::uint64_t operations = 8;
  std::uint64_t seed = 1;
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);  // Per check, as in the paper.
};

enum class SessionOrder { Ignored, Kept };

// One check of one history.
struct KingCobraCell {
  std::string_view workload;
  SessionOrder session_order = SessionOrder::Ignored;
  double versions = 0;  // Share of the writes whose version is given.
  double seconds = 0, processor_seconds = 0;
  std::string_view verdict, engine;  // "valid", "violation", "unknown".
  std::string_view paper;            // Seconds that the paper's text states, on a V100; may be empty.
};

struct KingCobraReport {
  KingCobraOptions options;
  std::vector<KingCobraCell> ablation;  // Fig. 13, twelve.
  std::vector<KingCobraCell> partial;   // Fig. 14, eleven per workload.
};

// Calls `done` after each cell. Throws InputError for options that the simulated database rejects.
KingCobraReport run_king_cobra(const KingCobraOptions& options,
                               const std::function<void(const KingCobraCell&)>& done);

std::string text_of(const KingCobraReport& report);
std::string json_of(const KingCobraReport& report);
std::string csv_of(const KingCobraReport& report);   // A line for each cell, after a line of names.
std::string plot_of(const KingCobraReport& report);  // SVG.

}  // namespace serval::cli
