#pragma once
// The main entry point: takes a history and a level, returns a proven verdict. Chooses the cheapest
// complete engine.
//
//   const CheckResult result = check(history, Level::StrongSessionSerializable);
//   if (violated(result.verdict)) ...

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "serval/check/check_options.h"
#include "serval/check/check_result.h"
#include "serval/history/history.h"
#include "serval/levels/anomaly.h"

namespace serval {

// A history with a version certificate is checked using it (certificate/certificate_check.h), if the
// certificate determines who wrote what, in which order.
//
// Levels without an engine of their own are refuted by faulty reads and by the cycles without
// anti-dependencies that they forbid. Without predicate operations, repeatable read is the same as
// serializable. A level that remains open is concluded from others if possible: from a stronger one that
// holds, or from one whose violation refutes it. So check() decides whatever survey() decides.
[[nodiscard]] CheckResult check(const History& history, Level level, const CheckOptions& options = {});

// The strongest levels that hold, and those that are refuted. The strongest level is checked first: the
// classes of all cycles of its graph, found in one pass, refute every level that forbids one of them,
// and only levels that neither they nor an implication decide are searched.
struct Survey {
  std::vector<CheckResult> results;  // Of the levels that were searched, strongest first.
  std::vector<Level> proven;         // All proven levels, by search or by implication, strongest first.
  std::vector<Level> refuted;        // Likewise, strongest first.
  // The strongest level that the history can show: strict-serializable, or without times
  // strong-session-serializable. If it holds, the history has no anomaly.
  Level top = Level::StrictSerializable;
  std::map<AnomalyKind, std::uint64_t> found;  // Every anomaly that a search found, counted once.

  // The representative result: the violation of the weakest level that was searched and violated,
  // otherwise the proof of `top`, otherwise why it is open. Null if nothing was checked.
  const CheckResult* headline() const;
  bool complete() const;  // Whether no search was cut short by a budget.
  Phases phases() const;  // Of all searches together.
};
// How much effort to spend on a second check after an answer: at other levels, or without the
// certificate. In polls, so that the outcome is the same on every machine; `effort_of_first` is the
// effort of the answer.
std::uint64_t effort_of_second_opinion(std::uint64_t effort_of_first);

[[nodiscard]] Survey survey(const History& history, const CheckOptions& options = {});

struct Inferred;

// Several checks of one history, which infer its relations only once.
//
//   Checker checker(history);
//   if (violated(checker.check(Level::Serializable).verdict)) use(checker.survey());
//
// `history` must outlive it. The hints are the same for all; those of the options are not used.
class Checker {
 public:
  explicit Checker(const History& history, VersionHints hints = {});
  [[nodiscard]] CheckResult check(Level level, CheckOptions options = {});
  [[nodiscard]] Survey survey(CheckOptions options = {});

 private:
  const History& history_;
  VersionHints hints_;
  std::shared_ptr<Inferred> inferred_;
};

}  // namespace serval
