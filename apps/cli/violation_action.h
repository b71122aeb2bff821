#pragma once
// What --on-violation asks for: exit, or exec:CMD. The command runs in a shell with the finding, one line of
// JSON, on its standard input, and unless it is large in $SERVAL_VIOLATION; $SERVAL_EVENT is "violation" or
// "suspect". It has a process group of its own. Nobody waits for it but a moment at the end; then it is
// ended.
//
//   ViolationActions actions({"exec:./page-somebody"}, {.rate = 60});
//   actions.act({json, "violation"});
//   actions.look();                    // Now and then: starts what had to wait.
//
// At most `rate` commands start in a minute, and so many run at a time; others wait for their turn, and
// beyond `kMostWaiting` they are left out. One thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <sys/types.h>

namespace serval::cli {

class ViolationActions {
 public:
  static constexpr std::size_t kMostWaiting = 1000, kMostRunning = 32;
  struct Event {
    std::string json;
    std::string name;
  };

  // `rate`: a minute; 0: without a limit. Throws UsageError.
  ViolationActions(const std::vector<std::string>& words, std::uint64_t rate);
  ~ViolationActions();
  ViolationActions(const ViolationActions&) = delete;
  ViolationActions& operator=(const ViolationActions&) = delete;

  bool exits() const noexcept { return exits_; }
  void act(Event event);
  void look();
  // Starts what may start, waits a moment for those that run, ends the others, and says what was left out.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  bool may_start();
  void start(const Event& event);
  void reap();
  std::string reason() const;  // Why some were left out.

  bool exits_ = false;
  std::vector<std::string> commands_;
  const std::uint64_t rate_;
  double allowed_;  // Starts as of `counted_`.
  Clock::time_point counted_ = Clock::now();
  std::deque<Event> waiting_;
  std::uint64_t left_out_ = 0;
  std::vector<pid_t> running_;
};

}  // namespace serval::cli
