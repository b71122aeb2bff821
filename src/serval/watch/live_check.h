#pragma once
// Checks a recording while it grows. A thread of low priority reads what the recorder has written up to
// its last "sync" (docs/formats/jsonl.md), checks it at the level, and rests four times as long as that took,
// at least a second: a fifth of one core at most, less where the load needs it.
//
//   LiveCheck live("run.jsonl", Level::Serializable);
//   live.state().violated();       // Stands: what comes later cannot mend it.
//   live.stop();                   // At once, also in the middle of a check.
//
// Of a recording that is cut off, transactions that still run are indeterminate. One of them counts when a
// counted one read from it, and if it aborts later, that was a read of aborted data, which every level from
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

#include "serval/evidence/verdict.h"
#include "serval/levels/anomaly.h"
#include "serval/levels/level.h"

namespace serval::watch {

struct LiveState {
  using Clock = std::chrono::steady_clock;

  std::uint64_t transactions = 0;                  // In the newest recording that was judged.
  Clock::time_point read_at;                       // When that was read.
  std::uint64_t checks = 0;                        // Done so far; 0: nothing is known yet.
  bool decided = false;                            // Of the newest: no engine was at a loss.
  std::map<AnomalyKind, std::uint64_t> anomalies;  // Of the newest that had any.
  std::string ended;                               // Why nothing more is checked, or empty.

  bool violated() const { return !anomalies.empty(); }
};

// "checked 12,345 txns (0.8 s behind), no anomaly"
std::string spelled(const LiveState& state, LiveState::Clock::time_point now);

class LiveCheck {
 public:
  // Whether a violation of the level in a part of a recording is one in the whole.
  static bool watches(Level level) { return implies(level, Level::ReadCommitted); }

  // Eager, for who waits for the first violation: at the priority of the sessions, with short rests, the
  // first after a tenth of a second, when there is little to check.
  enum class Pace { Modest, Eager };

  // `memory_limit`: recordings that may need more than a quarter of it are left to the end.
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
  void look();                      // Reads and checks once.
  void learn(const Verdict& verdict, std::uint64_t transactions, Clock::time_point read_at);
  void end(std::string reason);

  std::string path_;
  Level level_;
  std::uint64_t most_bytes_;  // Of the file.
  Pace pace_;
  std::atomic<bool> stopping_ = false;

  mutable std::mutex mutex_;  // For all below.
  std::condition_variable woken_;
  LiveState state_;

  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace serval::watch
