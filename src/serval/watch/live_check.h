#pragma once
// Checks a recording while it grows. A low-priority thread reads what the recorder has appended up to
// its last "sync" (docs/formats/jsonl.md), then rests four times as long as that took, at least a
// second. So it uses at most a fifth of one core, and less if the load needs it.
//
//   LiveCheck live("run.jsonl", Level::Serializable, memory_limit);
//   live.state().violated();       // Final: later transactions cannot undo it.
//   live.stop();                   // At once, even in the middle of a check.
//
// New transactions go through a screen (screen/history_screen.h), at a cost that does not depend on how
// many came before. While the screen is clear, they count as checked, except for reads from running
// transactions. Only if the screen is suspicious or cannot handle the history does check() judge the
// whole recording so far: at once, and again each time the file has doubled (Eager: grown by half), so
// that all these checks together cost a few times as much as the last one. Only check() finds
// violations.
//
// In a partial recording, running transactions are indeterminate. One of them counts if a counted
// transaction read from it. If it aborts later, that was a read of aborted data, which every level from
// read-committed up forbids; so a violation of such a level remains one (watches()). A state without
// violations is progress, not a verdict.

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

  std::uint64_t transactions = 0;                  // Examined so far; everything below concerns these.
  Clock::time_point read_at;                       // When the last of them were read.
  std::uint64_t checks = 0;                        // Rounds that examined something; 0: nothing is known yet.
  bool decided = false;                            // A violation among them would have been found.
  std::map<AnomalyKind, std::uint64_t> anomalies;  // Of the last check that found any.
  std::string ended;                               // Why nothing more is checked; else empty.

  bool violated() const { return !anomalies.empty(); }
};

// "checked 12,345 txns (0.8 s behind), no anomaly"
std::string spelled(const LiveState& state, LiveState::Clock::time_point now);

class LiveCheck {
 public:
  // Whether a violation of the level in a prefix of a recording is also one in the whole.
  static bool watches(Level level) { return implies(level, Level::ReadCommitted); }

  // Eager is for callers that wait for the first violation: same priority as the sessions, and short
  // rests. It first checks after a tenth of a second, when there is little to check.
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
  void look();                      // Examines what is new.
  // Screens the new part of the first `size` bytes. True: no sign of a violation in any of them.
  bool screen(std::uint64_t size, Budget& budget);
  void learn(const Verdict& verdict, std::uint64_t transactions, Clock::time_point read_at);
  void end(std::string reason);

  std::string path_;
  Level level_;
  std::uint64_t most_memory_;
  Pace pace_;
  std::atomic<bool> stopping_ = false;

  // Used by the thread only. Both are dropped once the screen can no longer be used.
  std::optional<RecordingTail> tail_;
  std::optional<HistoryScreen> screen_;  // Once the header was read.
  std::uint64_t next_check_ = 0;         // The file size at which the whole recording is checked again.

  mutable std::mutex mutex_;  // Guards what follows.
  std::condition_variable woken_;
  LiveState state_;

  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace serval::watch
