#pragma once
// Ends the process where a watch should end and does not: the verifier is in the middle of a transaction that
// takes very long, or a source waits in a read that nobody wakes.
//
//   StuckGuard guard([] { return caught_signal() != 0; }, [&] { print(summary()); return 2; });
//   ...
//   guard.disarm();                    // The end has come by itself.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace serval::cli {

class StuckGuard {
 public:
  static constexpr std::chrono::seconds kPatience{5};

  // A thread of its own calls `should_end`; once that has been true for kPatience, it calls `last_words` and
  // exits with what that returns.
  StuckGuard(std::function<bool()> should_end, std::function<int()> last_words);
  ~StuckGuard();
  StuckGuard(const StuckGuard&) = delete;
  StuckGuard& operator=(const StuckGuard&) = delete;

  void disarm();  // Does not return while the last words are said.

 private:
  void run();

  const std::function<bool()> should_end_;
  const std::function<int()> last_words_;
  std::mutex mutex_;
  std::condition_variable told_;
  bool disarmed_ = false;
  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace serval::cli
