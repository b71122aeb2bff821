#pragma once
// A report as the check command would make it, with fixed costs, so that its text is the same
// everywhere.

#include <optional>
#include <string>
#include <string_view>

#include "serval/check/check.h"
#include "serval/history/notation.h"
#include "serval/report/report.h"

namespace serval {

// Keeps the history that its report points to.
struct CheckedHistory {
  History history;
  Report report;
};

inline CheckedHistory checked(std::string_view text, std::optional<Level> level) {
  CheckedHistory out{parse_history(text), {}};
  out.report.version = "0.1.0";
  out.report.path = "h.notation";
  out.report.format = "notation";
  if (level) {
    out.report.gate = Gate{*level};
    out.report.result = check(out.history, *level);
    if (violated(out.report.result.verdict)) out.report.survey = survey(out.history);
  } else {
    out.report.survey = survey(out.history);
    out.report.result = *out.report.survey->headline();
  }
  out.report.result.phases = {};
  out.report.budget = {0.74, 213ull << 20, 600.0, 4ull << 30};
  out.report.exit_code = holds(out.report.result.verdict) ? 0 : violated(out.report.result.verdict) ? 1 : 2;
  return out;
}

// The history was moved, so the report must point to its new place.
inline Report report_of(const CheckedHistory& made) {
  Report report = made.report;
  report.history = &made.history;
  return report;
}

inline constexpr std::string_view kWriteSkew = "s1: [r(x,0) r(y,0) w(x,1)]  s2: [r(x,0) r(y,0) w(y,1)]";
inline constexpr std::string_view kLostUpdate = "s1: [r(x,0) w(x,1)]  s2: [r(x,0) w(x,2)]";

}  // namespace serval
