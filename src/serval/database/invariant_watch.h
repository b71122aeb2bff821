#pragma once
// Checks the invariants of a workload while its sessions run, and again when they have ended, because an
// invariant broken in between may hold at the end. Each check is a transaction of an observer
// (Database::connect_observer), which sees one committed state and does not disturb the sessions. The
// invariant must hold in any such state. If the database has no observers, only the final state is
// checked.
//
//   InvariantWatch watch(*database, *generator);
//   campaign.run();
//   watch.look_at_the_end();
//   watch.findings().broken;
//
// After a check it rests for four times its duration.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "serval/database/database.h"
#include "serval/workload/generator.h"

namespace serval {

struct InvariantFindings {
  std::uint64_t looks = 0;          // Checks that saw all the rows.
  std::uint64_t broken_in_all = 0;  // Distinct sentences.
  std::vector<std::string> broken;  // The first of them (kMostKept).
  std::string problem;              // Why the final state could not be checked, or empty.
};

class InvariantWatch {
 public:
  static constexpr std::size_t kMostKept = 1000;

  // Call after create(). Starts its thread.
  InvariantWatch(Database& database, const Generator& generator);
  ~InvariantWatch() { stop(); }
  InvariantWatch(const InvariantWatch&) = delete;
  InvariantWatch& operator=(const InvariantWatch&) = delete;

  void stop() noexcept;    // Also during a check.
  void look_at_the_end();  // Call when the sessions have ended; stops first.
  InvariantFindings findings() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Keep = std::function<bool()>;  // Whether to continue.
  void run() noexcept;
  bool rest(Clock::duration span);  // False if stopped.
  void pause(Clock::duration span);
  bool look(Client& client, const Keep& goes_on);
  void learn(std::vector<std::string> broken);

  Database& database_;
  const Generator& generator_;
  std::atomic<bool> stopping_ = false;

  mutable std::mutex mutex_;  // Guards everything below.
  std::condition_variable woken_;
  InvariantFindings findings_;
  std::set<std::string> known_;  // Sentences.

  std::thread thread_;  // Last, because it uses the others.
};

}  // namespace serval
