#include "serval/watch/run_mirror.h"

#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"

namespace serval::watch {

constexpr std::size_t kMostShown = 10;

RunMirror::RunMirror(const std::string& path, const online::ProfileChoice& profile, Note note)
    : path_(path),
      engine_(WatchSetting{.profile = profile, .note = std::move(note)}),
      sources_(engine_, {.word = path, .follow = Follow::Always}),
      thread_([this] { run(); }) {}

void RunMirror::require_profile(const online::ProfileChoice& choice,
                                const std::map<std::string, std::string>& facts) {
  if (!choice.empty()) {
    online::choose_profile(choice, facts);
  } else if (online::profile_of_run(facts) == nullptr) {
    throw UsageError(
        fmt::format("--live has no profile for {} at {}", facts.at("database"), facts.at("isolation")),
        "--profile generic:LEVEL checks only what the level requires");
  }
}

// An error here does not stop the recording; finish() reports it.
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

RunMirror::Result RunMirror::finish() {
  if (thread_.joinable()) thread_.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  Result result{{path_, WatchVerdict::Clean, engine_.state(), seconds, "the end of the run"},
                std::move(found_),
                std::move(headlines_),
                problem_};
  if (result.summary.state.violations > 0) result.summary.verdict = WatchVerdict::Violation;
  return result;
}

}  // namespace serval::watch
