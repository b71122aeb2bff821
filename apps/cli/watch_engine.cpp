#include "watch_engine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "choices.h"
#include "usage.h"

namespace serval::cli {
namespace {

constexpr std::chrono::milliseconds kRest{20};
constexpr std::chrono::milliseconds kLook{100};
constexpr std::chrono::milliseconds kFullLook{1000};
constexpr std::uint64_t kAtOnce = 1 << 14;  // Records between two looks at the world.

const online::Profile& named_profile(const std::string& name) {
  if (const online::Profile* profile = online::find_profile(name)) return *profile;
  std::string near;
  for (const std::string& suggestion : online::suggest_profiles(name))
    near += fmt::format("{}{}", near.empty() ? "did you mean " : " or ", suggestion);
  throw UsageError(fmt::format("there is no profile \"{}\"", name),
                   near.empty() ? "docs/mirror.md lists them" : near + "?");
}

}  // namespace

const online::Profile& choose_profile(const WatchSetting& setting, const Intake::Facts& facts) {
  if (!setting.profile.empty()) return named_profile(setting.profile);
  if (!setting.level.empty())
    return named_profile(fmt::format("generic:{}", name_of(choose_level(setting.level))));
  if (const online::Profile* profile = online::profile_of_run(facts)) return *profile;
  throw UsageError("which database is this, and at which isolation?",
                   "--profile postgres:serializable, or --level serializable for what any database promises");
}

WatchEngine::WatchEngine(WatchSetting setting)
    : setting_(std::move(setting)), pipeline_(setting_.pipeline), intake_(pipeline_) {
  if (!setting_.profile.empty() || !setting_.level.empty()) choose_profile(setting_, {});
}
WatchEngine::~WatchEngine() = default;

void WatchEngine::verify(std::span<const Record> records) {
  if (verifier_ == nullptr) {
    const online::Profile& profile = choose_profile(setting_, intake_.facts());
    verifier_ = std::make_unique<online::OnlineVerifier>(
        profile,
        online::OnlineOptions{.most_violations = setting_.most_violations, .partitions = setting_.threads});
    const std::lock_guard lock(mutex_);
    state_.profile = profile.name();
    state_.level = name_of(profile.level);
  }
  verifier_->accept(records);
}

// Where no record comes, promises let the verifier judge what has ended.
void WatchEngine::pass_time() {
  const Time watermark = pipeline_.watermark();
  if (verifier_ == nullptr || watermark <= watermark_) return;
  watermark_ = watermark;
  Record heartbeat;
  heartbeat.kind = RecordKind::Heartbeat;
  heartbeat.time = {watermark, watermark};
  verifier_->accept(heartbeat);
}

bool WatchEngine::run(const Tell& tell, const std::function<bool()>& over) {
  while (!over()) {
    const Pipeline::Progress progress =
        pipeline_.dispatch([this](std::span<const Record> records) { verify(records); }, kAtOnce);
    pass_time();
    if (verifier_ != nullptr) tell_news(tell, verifier_->violations(), verifier_->violation_count());
    publish();
    if (progress == Pipeline::Progress::Done) return true;
    if (progress == Pipeline::Progress::Waiting) pipeline_.wait(kRest);
  }
  return false;
}

void WatchEngine::drain(const Tell& tell) {
  while (pipeline_.dispatch([this](std::span<const Record> records) { verify(records); }) ==
         Pipeline::Progress::Moved) {
  }
  if (verifier_ != nullptr) tell_news(tell, verifier_->violations(), verifier_->violation_count());
  pipeline_.abandon();
}

void WatchEngine::finish(const Tell& tell) {
  if (verifier_ != nullptr) {
    const online::OnlineResult result = verifier_->finish();
    tell_news(tell, result.violations, result.statistics.violations_in_all());
    next_full_look_ = Clock::time_point::max();
    const std::lock_guard lock(mutex_);
    state_.statistics = result.statistics;
  }
  next_look_ = {};
  publish();
}

void WatchEngine::tell_news(const Tell& tell, std::span<const online::Violation> violations,
                            std::uint64_t count) {
  // With several threads a violation may be counted before its evidence is there.
  if (count == counted_ && told_ == violations.size()) return;
  Standing standing = Standing::Certain;
  {
    const std::lock_guard lock(mutex_);
    if (!state_.doubts.empty()) standing = Standing::Suspect;
    (standing == Standing::Certain ? state_.violations : state_.suspects) += count - counted_;
  }
  counted_ = count;
  for (; told_ < violations.size(); ++told_) tell(violations[told_], standing);
}

void WatchEngine::publish() {
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLook;
  PipelineStatus status = pipeline_.status();
  if (status.waiting_bytes == 0) waiting_since_.reset();
  if (status.waiting_bytes > 0 && !waiting_since_) waiting_since_ = now;
  std::optional<online::OnlineStatistics> statistics;
  if (verifier_ != nullptr && now >= next_full_look_) {
    statistics = verifier_->statistics();
    next_full_look_ = now + kFullLook;
  }
  const std::lock_guard lock(mutex_);
  if (statistics) state_.statistics = *statistics;
  state_.pipeline = std::move(status);
  state_.bytes = intake_.bytes;
  state_.lines = intake_.lines;
  state_.sessions = intake_.sessions;
  state_.transactions = intake_.transactions;
  state_.lag_seconds = waiting_since_ ? std::chrono::duration<double>(now - *waiting_since_).count() : 0;
  state_.at = now;
}

void WatchEngine::doubt(std::string reason) {
  const std::lock_guard lock(mutex_);
  state_.doubts.push_back(std::move(reason));
}

WatchState WatchEngine::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace serval::cli
