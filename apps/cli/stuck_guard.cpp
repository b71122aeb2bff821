#include "stuck_guard.h"

#include <optional>
#include <utility>

#include <unistd.h>

namespace serval::cli {

StuckGuard::StuckGuard(std::function<bool()> should_end, std::function<int()> last_words)
    : should_end_(std::move(should_end)), last_words_(std::move(last_words)), thread_([this] { run(); }) {}

StuckGuard::~StuckGuard() {
  disarm();
  thread_.join();
}

void StuckGuard::disarm() {
  const std::lock_guard lock(mutex_);
  disarmed_ = true;
  told_.notify_all();
}

void StuckGuard::run() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLook{100};
  std::optional<Clock::time_point> since;
  std::unique_lock lock(mutex_);
  while (!told_.wait_for(lock, kLook, [this] { return disarmed_; })) {
    if (!should_end_()) continue;
    if (!since) since = Clock::now();
    if (Clock::now() - *since < kPatience) continue;
    ::_exit(last_words_());
  }
}

}  // namespace serval::cli
