#include "serval/watch/watch_engine.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace serval::watch {

constexpr std::chrono::milliseconds kRest{20};
constexpr std::chrono::milliseconds kLook{100};
constexpr std::chrono::milliseconds kFullLook{1000};
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr std::uint64_t kAtOnce = 1 << 14;  // Records between two polls.

WatchEngine::WatchEngine(WatchSetting setting)
    : setting_(std::move(setting)),
      pipeline_(setting_.pipeline),
      intake_(pipeline_),
      doubts_(setting_.pipeline.idle_after.count() + 2 * setting_.pipeline.clock_error) {
  if (!setting_.profile.empty()) online::choose_profile(setting_.profile, {});
}
WatchEngine::~WatchEngine() = default;

void WatchEngine::verify(std::span<const Record> records) {
  if (verifier_ == nullptr) {
    const online::Profile& profile = online::choose_profile(setting_.profile, intake_.facts());
    verifier_ = std::make_unique<online::OnlineVerifier>(
        profile, online::OnlineOptions{.most_violations = kAll, .partitions = setting_.threads});
    const std::lock_guard lock(mutex_);
    state_.profile = profile.name();
    state_.level = name_of(profile.level);
  }
  for (const Record& record : records) {
    labels_.note(record);
    if (ends_transaction(record.kind) && record.time.end != kUnknownEnd)
      last_end_ = std::max(last_end_, record.time.end);
  }
  verifier_->accept(records);
}

// If no record arrives, promises still let the verifier judge what has ended, but nothing beyond: an
// earlier record that arrives afterwards would be late.
void WatchEngine::pass_time() {
  const Time watermark =
      std::min(pipeline_.watermark(), last_end_ == kUnknownEnd ? last_end_ : last_end_ + 1);
  if (verifier_ == nullptr || watermark <= watermark_ || watermark < pipeline_.frontier()) return;
  watermark_ = watermark;
  pipeline_.promise(watermark);
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
    tell_news(tell);
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
  tell_news(tell);
  pipeline_.abandon();
}

void WatchEngine::finish(const Tell& tell) {
  if (verifier_ != nullptr) {
    const online::OnlineResult result = verifier_->finish();
    tell_all(tell, result.violations);
    finished_ = true;
    const std::lock_guard lock(mutex_);
    state_.statistics = result.statistics;
  }
  next_look_ = {};
  publish();
}

void WatchEngine::tell_news(const Tell& tell) {
  if (verifier_ != nullptr) tell_all(tell, verifier_->take_violations());
}

void WatchEngine::tell_all(const Tell& tell, std::span<const online::Violation> violations) {
  for (const online::Violation& violation : violations) {
    std::string because = doubt_about(violation);
    const Standing standing = because.empty() ? Standing::Certain : Standing::Suspect;
    WatchState::Found& found = found_[{violation.kind, violation.mechanism}];
    ++(standing == Standing::Certain ? violations_ : suspects_);
    ++(standing == Standing::Certain ? found.violations : found.suspects);
    has_told_ = true;
    tell({violation, labels_, standing, std::move(because)});
  }
}

std::string WatchEngine::doubt_about(const online::Violation& violation) const {
  const DoubtContext context{labels_, verifier_->profile().freshness == online::Freshness::Any};
  std::string found = doubts_.about(violation, context);
  if (!found.empty()) return found;
  const Time idle = pipeline_.idle_since();
  const LateRecords& late = pipeline_.late();
  const Doubt silent{.who = {}, .what = {}, .since = idle};
  const Doubt came_late{
      .who = {}, .what = {}, .since = late.since, .until = kUnknownEnd, .known_from = late.until};
  if (idle != kUnknownEnd && may_explain(silent, violation, context)) {
    const std::vector<std::string> names = pipeline_.status().idle;
    return fmt::format("{} has been silent: its actions meanwhile are unknown",
                       names.empty() ? "a client" : names.front());
  }
  if (late.since != kUnknownEnd && may_explain(came_late, violation, context))
    return fmt::format("records of {} came too late", pipeline_.status().late.front());
  return {};
}

void WatchEngine::publish() {
  const Clock::time_point now = Clock::now();
  if (now < next_look_ && !has_told_) return;
  next_look_ = now + kLook;
  PipelineStatus status = pipeline_.status();
  std::optional<online::OnlineStatistics> statistics;
  if (verifier_ != nullptr && (now >= next_full_look_ || has_told_) && !finished_) {
    statistics = verifier_->statistics();
    next_full_look_ = now + kFullLook;
  }
  const std::lock_guard lock(mutex_);
  if (statistics) state_.statistics = *statistics;
  state_.violations = violations_;
  state_.suspects = suspects_;
  if (std::exchange(has_told_, false)) state_.found = found_;
  state_.bytes = intake_.bytes;
  state_.lines = intake_.lines;
  state_.sessions = intake_.sessions;
  state_.transactions = intake_.transactions;
  state_.lag_seconds =
      status.oldest_arrival ? std::chrono::duration<double>(now - *status.oldest_arrival).count() : 0;
  state_.doubt_count = doubts_.count();
  state_.doubts = doubts_.format();
  for (const std::string& name : status.late)
    state_.doubts.push_back(fmt::format("{} sent records too late to be judged", name));
  state_.doubt_count += status.late_transactions;
  state_.pipeline = std::move(status);
  state_.at = now;
}

// The first few lines, then only their number from time to time.
void WatchEngine::note_refused(const std::string& reason) {
  constexpr std::uint64_t kFew = 10;
  constexpr std::chrono::seconds kPause{10};
  std::string line = fmt::format("refused    {}", reason);
  {
    const std::lock_guard lock(mutex_);
    if (++state_.refused > kFew) {
      ++unsaid_;
      if (Clock::now() < next_note_) return;
      next_note_ = Clock::now() + kPause;
      line = fmt::format("refused    {} connections, the last one {}", std::exchange(unsaid_, 0), reason);
    }
  }
  note(line);
}

void WatchEngine::note_out_of_descriptors() {
  {
    const std::lock_guard lock(mutex_);
    if (state_.out_of_descriptors++ > 0) return;
  }
  note("note: out of file descriptors; new clients have to wait (ulimit -n)");
}

WatchState WatchEngine::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace serval::watch
