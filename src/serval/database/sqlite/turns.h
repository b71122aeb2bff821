#pragma once
// Waits for other transactions of this process to end, instead of polling. SQLite has one writer at a
// time and reports "busy" to the others.
//
//   const std::uint64_t seen = turns.ended();
//   ...                                       // Busy.
//   turns.wait(seen, deadline);               // False: the deadline has passed.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace serval::sqlite {

class Turns {
 public:
  using Clock = std::chrono::steady_clock;
  // Other processes do not notify us.
  static constexpr std::chrono::milliseconds kLongest{5};

  void end() {
    {
      const std::lock_guard lock(mutex_);
      ++ended_;
    }
    next_.notify_one();
  }

  std::uint64_t ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

  bool wait(std::uint64_t seen, Clock::time_point deadline) {
    if (Clock::now() >= deadline) return false;
    std::unique_lock lock(mutex_);
    next_.wait_until(lock, std::min(deadline, Clock::now() + kLongest), [&] { return ended_ != seen; });
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable next_;
  std::uint64_t ended_ = 0;
};

}  // namespace serval::sqlite
