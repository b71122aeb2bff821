#pragma once
// Looks at a workload's invariants while its sessions run, and once more when they have ended: what is broken
// in between may be mended by the end. Each look is a transaction of its own, by an observer
// (Database::connect_observer), which sees one committed state and leaves the sessions alone. Any such state
// must keep the invariant: what two transactions broke together stays broken in every state that has both.
// Where the database has no observers, only the end is looked at.
//
//   InvariantWatch watch(*database, *generator);
//   campaign.run();
//   watch.look_at_the_end();
//   watch.findings().broken;
//
// After a look the watch rests four times as long as it took.

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
  std::uint64_t looks = 0;          // That saw all the rows.
  std::uint64_t broken_in_all = 0;  // Different sentences.
  std::vector<std::string> broken;  // The first of them (kMostKept).
  std::string problem;              // Why the end could not be looked at, or empty.
};

class InvariantWatch {
 public:
  static constexpr std::size_t kMostKept = 1000;

  // After create(). The thread begins at once.
  InvariantWatch(Database& database, const Generator& generator);
  ~InvariantWatch() { stop(); }
  InvariantWatch(const InvariantWatch&) = delete;
  InvariantWatch& operator=(const InvariantWatch&) = delete;

  void stop() noexcept;    // Also in the middle of a look.
  void look_at_the_end();  // When the sessions have ended; stops first.
  InvariantFindings findings() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Keep = std::function<bool()>;  // Whether to go on looking.
  void run() noexcept;
  bool rest(Clock::duration span);  // False: stopped meanwhile.
  void pause(Clock::duration span);
  bool look(Client& client, const Keep& goes_on);
  void learn(std::vector<std::string> broken);

  Database& database_;
  const Generator& generator_;
  std::atomic<bool> stopping_ = false;

  mutable std::mutex mutex_;  // For all below.
  std::condition_variable woken_;
  InvariantFindings findings_;
  std::set<std::string> known_;  // Sentences.

  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace serval
