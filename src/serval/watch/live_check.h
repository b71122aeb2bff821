#pragma once
// Checks a recording while it grows. A thread of low priority reads what the recorder has appended up to its
// last "sync" (docs/formats/jsonl.md), and rests four times as long as that took, at least a second: a fifth
// of one core at most, less where the load needs it.
//
//   LiveCheck live("run.jsonl", Level::Serializable, memory_limit);
//   live.state().violated();       // Stands: what comes later cannot mend it.
//   live.stop();                   // At once, also in the middle of a check.
//
// New transactions go through a screen (screen/history_screen.h), at a cost that does not depend on how
// many came before them. As long as the screen is clear, they are checked, except for reads from transactions
// that still run. Only if it is suspicious or does not understand the history, check() judges the whole
// recording so far: at once, and again each time the file has doubled (Eager: grown by half), so that all
// these checks together cost a few times as much as the last one. Only check() finds violations.
//
// In a recording that is cut off, transactions that still run are indeterminate. One of them counts when a
// counted one read from it. If it aborts later, that was a read of aborted data, which every level from
// read-committed up forbids; so a violation of such a level stays one (watches()). That nothing was found is
// progress, not a verdict.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "serval/base/budget.h"
#include "serval/evidence/verdict.h"
#include "serval/levels/anomaly.h"
#include "serval/levels/level.h"
#include "serval/screen/history_screen.h"
#include "serval/watch/recording_tail.h"

namespace serval::watch {

struct LiveState {
  using Clock = std::chrono::steady_clock;

  std::uint64_t transactions = 0;                  // Examined so far: all that is said below is about these.
  Clock::time_point read_at;                       // When the last of them were read.
  std::uint64_t checks = 0;                        // Looks that examined something; 0: nothing is known yet.
  bool decided = false;                            // A violation among them would have been found.
  std::map<AnomalyKind, std::uint64_t> anomalies;  // Of the last check that found any.
  std::string ended;                               // Why nothing more is checked, or empty.

  bool violated() const { return !anomalies.empty(); }
};

// "checked 12,345 txns (0.8 s behind), no anomaly"
std::string spelled(const LiveState& state, LiveState::Clock::time_point now);

class LiveCheck {
 public:
  // Whether a violation of the level in a part of a recording is one in the whole.
  static bool watches(Level level) { return implies(level, Level::ReadCommitted); }

  // Eager, for callers that wait for the first violation: at the priority of the sessions, with short rests,
  // the first after a tenth of a second, when there is little to check.
  enum class Pace { Modest, Eager };

  // `memory_limit`: recordings that may need more than a quarter of it are left to the end. Requires
  // watches(level).
  LiveCheck(std::string path, Level level, std::uint64_t memory_limit, Pace pace = Pace::Modest);
  ~LiveCheck() { stop(); }
  LiveCheck(const LiveCheck&) = delete;
  LiveCheck& operator=(const LiveCheck&) = delete;

  LiveState state() const;
  void stop() noexcept;

 private:
  using Clock = LiveState::Clock;
  void run() noexcept;
  bool rest(Clock::duration span);  // False: stopped meanwhile.
  void look();                      // At what is new.
  // Of the first `size` bytes, those that are new. True: all is examined and in order.
  bool screen(std::uint64_t size, Budget& budget);
  void learn(const Verdict& verdict, std::uint64_t transactions, Clock::time_point read_at);
  void learn_clear(std::uint64_t transactions, Clock::time_point read_at);
  void end(std::string reason);

  std::string path_;
  Level level_;
  std::uint64_t most_memory_;
  Pace pace_;
  std::atomic<bool> stopping_ = false;

  // Of the thread only. Without a tail, the screen is of no more use.
  std::optional<RecordingTail> tail_;
  std::optional<HistoryScreen> screen_;  // Once the header was read.
  std::uint64_t next_check_ = 0;         // The size of the file from which on the whole is checked again.

  mutable std::mutex mutex_;  // For all below.
  std::condition_variable woken_;
  LiveState state_;

  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace serval::watch
