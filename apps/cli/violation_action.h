#pragma once
// The actions of --on-violation: exit, or exec:CMD. The command runs in a shell. It gets the finding as
// one line of JSON on its standard input and, unless it is large, in $SERVAL_VIOLATION. $SERVAL_EVENT is
// "violation" or "suspect". The command has its own process group. The watch does not wait for it, except
// briefly at the end, when it kills what still runs.
//
//   ViolationActions actions({"exec:./page-somebody"}, {.rate = 60});
//   actions.act({json, "violation"});
//   actions.look();                    // Call regularly: starts waiting commands.
//
// At most `rate` commands start per minute and at most `kMostRunning` run at a time. Others wait; beyond
// `kMostWaiting` they are dropped. Not thread-safe.

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

  // `rate` is per minute; 0 means no limit. Throws UsageError.
  ViolationActions(const std::vector<std::string>& words, std::uint64_t rate);
  ~ViolationActions();
  ViolationActions(const ViolationActions&) = delete;
  ViolationActions& operator=(const ViolationActions&) = delete;

  bool exits() const noexcept { return exits_; }
  void act(Event event);
  void look();
  // Starts what may start, waits briefly for running commands, kills the rest, and reports what was
  // dropped.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  bool may_start();
  void start(const Event& event);
  void reap();
  std::string reason() const;  // Why commands were dropped.

  bool exits_ = false;
  std::vector<std::string> commands_;
  const std::uint64_t rate_;
  double allowed_;  // Commands that may start, as of `counted_`.
  Clock::time_point counted_ = Clock::now();
  std::deque<Event> waiting_;
  std::uint64_t left_out_ = 0;
  std::vector<pid_t> running_;
};

}  // namespace serval::cli
