#pragma once
// Ends the process if a watch should end but does not, because the verifier is busy with a very large
// transaction or a source is blocked in a read.
//
//   StuckGuard guard([] { return caught_signal() != 0; }, [&] { print(summary()); return 2; });
//   ...
//   guard.disarm();                    // The watch ended by itself.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace serval::cli {

class StuckGuard {
 public:
  static constexpr std::chrono::seconds kPatience{5};

  // A thread polls `should_end`. Once it has been true for kPatience, the thread calls `last_words` and
  // exits with its result.
  StuckGuard(std::function<bool()> should_end, std::function<int()> last_words);
  ~StuckGuard();
  StuckGuard(const StuckGuard&) = delete;
  StuckGuard& operator=(const StuckGuard&) = delete;

  void disarm();  // Blocks while `last_words` runs.

 private:
  void run();

  const std::function<bool()> should_end_;
  const std::function<int()> last_words_;
  std::mutex mutex_;
  std::condition_variable told_;
  bool disarmed_ = false;
  std::thread thread_;  // Last, because it uses the others.
};

}  // namespace serval::cli
