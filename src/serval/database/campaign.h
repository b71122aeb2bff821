#pragma once
// Runs a workload on a database: one thread a session, each playing one transaction after another and logging
// what it asked and heard. Nothing is tried again: an aborted transaction is one that aborted, and the next
// one is new. A session whose connection is lost goes on as a new session with a new connection, at another
// node where its own is gone. At the end one more session reads all lists that were appended to.
//
//   Campaign campaign(*database, *generator, recorder, {.sessions = 8, .time = 10s});
//   campaign.run();                                   // Until time, transactions or stop() end it.
//   campaign.counts().committed;

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serval/database/database.h"
#include "serval/database/latency.h"
#include "serval/recording/recorder.h"
#include "serval/workload/generator.h"

namespace serval {

struct CampaignOptions {
  std::uint32_t sessions = 8;
  std::optional<std::chrono::nanoseconds> time;
  std::uint64_t transactions = 0;  // In all sessions together; 0: no limit.
  double rate = 0;                 // Transactions a second of all sessions together; 0: no limit.
  std::uint64_t seed = 1;
  double abort_share = 0.02;  // Of the transactions, that roll back of their own will.
  // For the transactions under way when time is up or stop() was called; then what they wait for is
  // interrupted.
  std::chrono::nanoseconds grace = std::chrono::seconds(5);
};

struct CampaignCounts {
  std::uint64_t committed = 0, rolled_back = 0, indeterminate = 0, operations = 0, reconnections = 0;
  std::map<FailureCause, std::uint64_t> aborted;  // By the server, by cause.
  Latency latency;                                // Of committed transactions.

  std::uint64_t aborted_in_all() const;
  std::uint64_t transactions() const { return committed + rolled_back + indeterminate + aborted_in_all(); }
};

class Campaign {
 public:
  Campaign(Database& database, Generator& generator, Recorder& recorder, const CampaignOptions& options);
  ~Campaign();

  // Blocks. Throws DatabaseError when a session cannot be opened at the start.
  void run();
  // Why sessions ended before their time, or why the lists were not read once more: the database is gone.
  // What was recorded until then stands.
  std::optional<DatabaseError> loss() const;
  void stop();  // From another thread: sessions end their transaction, and no new one begins.
  CampaignCounts counts() const;  // Also while it runs.

 private:
  class Player;
  bool is_over() const;
  void wait_until(std::chrono::steady_clock::time_point time);  // Or until stop().
  void pause(std::chrono::nanoseconds span);                    // Also while stop() is waited for.
  bool claim_transaction();  // False once as many have begun as were asked for.
  void play(Player& player) noexcept;
  void wait_for_sessions();
  void read_lists_once_more();
  void note_loss(const std::string& problem);
  void note_bug();

  Database& database_;
  Generator& generator_;
  std::mutex generating_;
  Recorder& recorder_;
  CampaignOptions options_;
  std::atomic<bool> stopping_ = false;
  std::mutex waiting_;
  std::condition_variable woken_;
  std::atomic<std::uint64_t> begun_ = 0;
  std::chrono::steady_clock::time_point deadline_;
  std::vector<std::unique_ptr<Player>> players_;  // One a session, and the last for reading lists once more.
  std::size_t playing_ = 0;                       // Under waiting_.
  mutable std::mutex problem_mutex_;
  std::optional<DatabaseError> loss_;
  std::exception_ptr bug_;
};

}  // namespace serval
