#pragma once
// A client with its own thread, so that a schedule can continue while one of its steps waits for a lock.
//
//   SteppedClient client(database.connect(0));
//   client.order(0, {.what = ProbeStep::What::Begin});
//   if (!client.wait_until_idle(deadline)) ...                // It waits; later orders are queued.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serval/database/client.h"
#include "serval/database/probe/probe_anomaly.h"

namespace serval {

class SteppedClient {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  explicit SteppedClient(std::unique_ptr<Client> client);
  ~SteppedClient();  // Waits for the current step and drops queued ones.
  SteppedClient(const SteppedClient&) = delete;
  SteppedClient& operator=(const SteppedClient&) = delete;

  void order(std::size_t number, const ProbeStep& step);
  bool wait_until_idle(Deadline deadline);

  // The following require that it is idle.
  struct Heard {
    std::size_t step;
    Answer answer;
  };
  const std::vector<Heard>& heard() const { return heard_; }
  bool has_committed() const { return committed_; }
  bool has_ended() const { return committed_ || ended_ || failure_.has_value(); }
  // The transaction failed; later steps were skipped.
  struct Failure {
    FailureCause cause;
    std::string message;
  };
  const std::optional<Failure>& failure() const { return failure_; }
  bool lacks_ranges() const { return lacks_ranges_; }
  void rethrow_what_went_wrong() const;  // Rethrows any exception except TransactionFailure.

 private:
  struct Order {
    std::size_t number;
    ProbeStep step;
  };
  void work();
  void act(const Order& order);
  void abandon() noexcept;
  bool is_over() const { return has_ended() || lacks_ranges_ || wrong_; }

  std::unique_ptr<Client> client_;
  std::vector<Heard> heard_;
  bool committed_ = false, ended_ = false, lacks_ranges_ = false;
  std::optional<Failure> failure_;
  std::exception_ptr wrong_;

  std::mutex mutex_;  // Guards everything below, and hands over what is above.
  std::condition_variable changed_;
  std::deque<Order> orders_;
  bool busy_ = false, closing_ = false;
  std::thread thread_;  // Last, because it uses the others.
};

}  // namespace serval
