#pragma once
// The output of a watch: text, JSON lines and Prometheus metrics. docs/watch.md describes all three.

#include <string>
#include <string_view>

#include "serval/watch/watch_engine.h"

namespace serval::watch {

// Clean means that nothing contradicts the profile, which is not a proof.
enum class WatchVerdict { Clean, Violation, Unknown };
std::string_view name_of(WatchVerdict verdict);  // "clean", ...

struct WatchSummary {
  std::string source;
  WatchVerdict verdict = WatchVerdict::Unknown;
  WatchState state;
  double seconds = 0;
  std::string ended;  // "end of input", "SIGINT", ...
};

std::string text_of(const WatchEngine::Finding& finding);
std::string headline_of(const WatchEngine::Finding& finding);  // One line: what, where, who.
std::string json_of(const WatchEngine::Finding& finding);      // One line.
std::string status_line(const WatchState& state, double seconds);
std::string text_of(const WatchSummary& summary);
std::string json_of(const WatchSummary& summary);  // One line.
std::string prometheus_text(const WatchState& state);

}  // namespace serval::watch
