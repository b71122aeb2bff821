#pragma once
// Watches a running campaign from its own thread. Shows the progress, on a terminal in one line that is
// redrawn, else in a line every ten seconds. Stops the campaign at a signal, or at the first violation if
// requested.
//
//   RunWatch watch(campaign, &live, {.progress = ProgressMode::Auto});
//   campaign.run();
//   watch.stop();                  // Removes the line.

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "progress.h"
#include "serval/database/campaign.h"
#include "serval/watch/live_check.h"

namespace serval::cli {

struct WatchOptions {
  ProgressMode progress = ProgressMode::Auto;
  bool stop_on_violation = false;
};

class RunWatch {
 public:
  // `live` may be null: nothing is checked during the run.
  RunWatch(Campaign& campaign, const watch::LiveCheck* live, const WatchOptions& options);
  ~RunWatch() { stop(); }
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  void stop() noexcept;
  std::string totals() const;  // "10.0 s   4211 committed (421/s)   ..."

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void look_at_findings();
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  Campaign& campaign_;
  const watch::LiveCheck* live_;
  WatchOptions options_;
  bool terminal_;
  bool told_ = false;  // The first violation was reported.
  Clock::time_point start_ = Clock::now();
  std::atomic<bool> over_ = false;
  std::thread thread_;  // Last, because it uses the others.
};

}  // namespace serval::cli
