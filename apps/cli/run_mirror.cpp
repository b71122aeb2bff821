#include "run_mirror.h"

#include <utility>

#include <fmt/format.h>

#include "exit_code.h"
#include "failure.h"
#include "output.h"
#include "usage.h"
#include "watch_report.h"

namespace serval::cli {
namespace {

constexpr std::size_t kMostShown = 10;

}  // namespace

RunMirror::RunMirror(const std::string& path, const std::string& profile)
    : path_(path),
      engine_(WatchSetting{.profile = profile}),
      sources_(engine_, {.word = path, .follow = Follow::Always}),
      thread_([this] { run(); }) {}

void RunMirror::require_profile(const std::string& name, const std::map<std::string, std::string>& facts) {
  if (!name.empty()) {
    choose_profile(WatchSetting{.profile = name}, facts);
  } else if (online::profile_of_run(facts) == nullptr) {
    throw UsageError(
        fmt::format("--live has no profile for {} at {}", facts.at("database"), facts.at("isolation")),
        "--profile generic:LEVEL mirrors what the level itself promises");
  }
}

// Whatever goes wrong here, the recording goes on, and finish() says it.
void RunMirror::run() noexcept {
  const auto tell = [this](const WatchEngine::Finding& found) {
    if (found_.size() < kMostShown) found_.push_back(text_of(found));
    if (found.standing == WatchEngine::Standing::Certain && headlines_.size() < kMostShown)
      headlines_.push_back(headline_of(found));
  };
  try {
    engine_.run(tell, [this] { return stopping_.load() || sources_.failed(); });
    sources_.rethrow();
    engine_.finish(tell);
  } catch (...) {
    problem_ = std::current_exception();
    engine_.intake().pipeline().abandon();
  }
}

void RunMirror::stop() noexcept {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

int RunMirror::finish() {
  if (thread_.joinable()) thread_.join();
  if (problem_) {
    try {
      std::rethrow_exception(problem_);
    } catch (...) {
      const Failure failure = describe_current_exception();
      note(failure.drawing);
      return failure.exit_code;
    }
  }
  for (const std::string& text : found_) note(text);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  WatchSummary summary{path_, WatchVerdict::Clean, engine_.state(), seconds, "the end of the run"};
  if (summary.state.violations > 0) summary.verdict = WatchVerdict::Violation;
  note("mirrored   " + text_of(summary));
  return summary.verdict == WatchVerdict::Violation ? kViolated : kHolds;
}

}  // namespace serval::cli
