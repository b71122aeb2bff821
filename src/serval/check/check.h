#pragma once
// The one door: a history and a level in, a proven verdict out. Picks the cheapest engine that is complete.
//
//   const CheckResult result = check(history, Level::StrongSessionSerializable);
//   if (violated(result.verdict)) ...

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/base/budget.h"
#include "serval/check/verdict.h"

namespace serval {

struct CheckOptions {
  std::size_t max_anomalies = 10;  // Limits what is kept, not what is counted.
  Budget* budget = nullptr;
};

struct CheckResult {
  Level level;  // As asked.
  Verdict verdict;
  std::string_view engine;  // "mini-transaction", "lightweight-transaction", "read-anomalies"
  bool complete = false;    // The engine's answer is final for this history (not Undecided).
  std::vector<std::pair<std::string_view, double>> phases;  // Name and seconds, in order.
};

[[nodiscard]] CheckResult check(const History& history, Level level, const CheckOptions& options = {});

// Every level of the table, strongest first; what one level decides is not searched again.
// `strongest_not_refuted` and `refuted` follow from it.
struct Survey {
  std::vector<CheckResult> results;
  std::optional<Level> strongest_proven;  // The first level that holds.
  std::vector<Level> refuted;             // Every refuted level, by search or by implication.
};
[[nodiscard]] Survey survey(const History& history, const CheckOptions& options = {});

}  // namespace serval
