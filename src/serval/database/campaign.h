#pragma once
// Runs a workload on a database with one thread per session. Each session executes transactions and logs
// requests and responses. Nothing is retried: after an abort the next transaction is a new one. A session
// that loses its connection continues as a new session with a new connection, on another node if its own
// is gone. At the end one more session reads all lists that were appended to.
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
  std::uint64_t transactions = 0;  // Of all sessions together; 0: no limit.
  double rate = 0;                 // Transactions per second of all sessions together; 0: no limit.
  std::uint64_t seed = 1;
  double abort_share = 0.02;  // Share of transactions that the client rolls back.
  // Time for open transactions after the end or stop(); then they are interrupted.
  std::chrono::nanoseconds grace = std::chrono::seconds(5);
};

struct CampaignCounts {
  std::uint64_t committed = 0, rolled_back = 0, indeterminate = 0, operations = 0, reconnections = 0;
  std::map<FailureCause, std::uint64_t> aborted;  // Aborted by the server, by cause.
  Latency latency;                                // Of committed transactions.

  std::uint64_t aborted_in_all() const;
  std::uint64_t transactions() const { return committed + rolled_back + indeterminate + aborted_in_all(); }
};

class Campaign {
 public:
  Campaign(Database& database, Generator& generator, Recorder& recorder, const CampaignOptions& options);
  ~Campaign();

  // Blocks. Throws DatabaseError if a session cannot be opened at the start.
  void run();
  // Why sessions ended early or the lists were not read at the end, because the database is gone. Empty
  // if all went well. The recording up to then is valid.
  std::optional<DatabaseError> loss() const;
  void stop();                    // From any thread: sessions finish their transaction and begin no new one.
  CampaignCounts counts() const;  // Also during the run.

 private:
  class Player;
  bool is_over() const;
  void wait_until(std::chrono::steady_clock::time_point time);  // Or until stop().
  void pause(std::chrono::nanoseconds span);                    // Also after stop().
  bool claim_transaction();                                     // False when the requested number has begun.
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
  std::vector<std::unique_ptr<Player>>
      players_;              // One per session, and the last one to read the lists at the end.
  std::size_t playing_ = 0;  // Guarded by waiting_.
  mutable std::mutex problem_mutex_;
  std::optional<DatabaseError> loss_;
  std::exception_ptr bug_;
};

}  // namespace serval
