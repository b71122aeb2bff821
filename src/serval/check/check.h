#pragma once
// The one door: a history and a level in, a proven verdict out. Picks the cheapest engine that is complete.
//
//   const CheckResult result = check(history, Level::StrongSessionSerializable);
//   if (violated(result.verdict)) ...

#include <cstdint>
#include <map>
#include <vector>

#include "serval/check/check_options.h"
#include "serval/check/check_result.h"
#include "serval/history/history.h"
#include "serval/levels/anomaly.h"

namespace serval {

// A history with a version certificate is judged by it (certificate/certificate_check.h), where that settles
// who wrote what when.
//
// Levels without an engine of their own are refuted by the reads and the cycles without anti-dependencies
// that they forbid. Repeatable read without predicate operations is serializability. A level that stays open
// is concluded from others where they are decided: a stronger one that holds, one whose violation refutes it.
// So check() decides whatever survey() decides.
[[nodiscard]] CheckResult check(const History& history, Level level, const CheckOptions& options = {});

// The strongest levels that hold, and what is refuted. The strongest level is judged first: the classes of
// all cycles of its graph, found in one pass, refute every level that forbids one of them, and only levels
// that neither they nor an implication settle are searched.
struct Survey {
  std::vector<CheckResult> results;  // Of the levels that were searched, strongest first.
  std::vector<Level> proven;   // Every level that is proven, by search or by implication, strongest first.
  std::vector<Level> refuted;  // Likewise, strongest first.
  // The strongest level that the history can show: strict-serializable, or without times
  // strong-session-serializable. Where it holds, the history has no anomaly.
  Level top = Level::StrictSerializable;
  std::map<AnomalyKind, std::uint64_t> found;  // Every anomaly that a search found, counted once.

  // The result that stands for all: the violation of the weakest level that was searched and violated; else
  // the proof of `top`; else why it is open. Null when nothing was judged.
  const CheckResult* headline() const;
  bool complete() const;  // No search was cut short by a budget.
  Phases phases() const;  // Of all searches together.
};
// What a second look after an answer is worth: at other levels, or without the certificate. In polls, so that
// it says the same on every machine; `effort_of_first` are those of the answer.
std::uint64_t effort_of_second_opinion(std::uint64_t effort_of_first);

[[nodiscard]] Survey survey(const History& history, const CheckOptions& options = {});

}  // namespace serval
