#pragma once
// State that all sources of one watch share: the pipeline, the numbers of transactions, and the initial
// values of keys, which the first header determines.
//
//   Intake intake(pipeline);
//   intake.start_with([&](RecordBatch& batch) { ... }, "0", facts);     // The first caller decides.
//
// Thread-safe.

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "serval/stream/pipeline.h"

namespace serval {

class Intake {
 public:
  // The merge waits until start_with().
  explicit Intake(Pipeline& pipeline)
      : pipeline_(pipeline),
        initial_(
            pipeline.open_client("initial rows", pipeline.open_source(), ClientFeed::Role::InitialRows)) {}
  Intake(const Intake&) = delete;
  Intake& operator=(const Intake&) = delete;

  Pipeline& pipeline() noexcept { return pipeline_; }
  std::uint64_t next_transaction() { return ++last_transaction_; }

  using Facts = std::map<std::string, std::string>;
  // `meaning` describes the initial values; false: another source has given different ones.
  bool start_with(const std::function<void(RecordBatch&)>& add, const std::string& meaning,
                  const Facts& facts);
  // Later headers are ignored.
  void start_with_unknown();
  Facts facts() const;
  bool started() const;

  // Counts of received input, for monitoring.
  std::atomic<std::uint64_t> bytes = 0, lines = 0, sessions = 0, transactions = 0;

  // The latest end of a transaction so far.
  void note_end(Time end) {
    Time latest = latest_.load();
    while (end != kUnknownEnd && end > latest && !latest_.compare_exchange_weak(latest, end)) {
    }
  }
  Time latest() const noexcept { return latest_; }

 private:
  Pipeline& pipeline_;
  std::atomic<std::uint64_t> last_transaction_ = 0;
  std::atomic<Time> latest_ = kUnknownBegin;
  mutable std::mutex mutex_;  // Guards everything below.
  const std::shared_ptr<ClientFeed> initial_;
  std::optional<std::string> meaning_;
  bool overridden_ = false;
  Facts facts_;
};

}  // namespace serval
