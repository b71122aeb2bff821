#include "serval/database/probe/stepped_client.h"

#include <utility>

#include "serval/database/database.h"

namespace serval {

SteppedClient::SteppedClient(std::unique_ptr<Client> client)
    : client_(std::move(client)), thread_([this] { work(); }) {}

SteppedClient::~SteppedClient() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    orders_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void SteppedClient::order(std::size_t number, const ProbeStep& step) {
  {
    const std::lock_guard lock(mutex_);
    orders_.push_back({number, step});
  }
  changed_.notify_all();
}

bool SteppedClient::wait_until_idle(Deadline deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return orders_.empty() && !busy_; });
}

void SteppedClient::rethrow_what_went_wrong() const {
  if (wrong_) std::rethrow_exception(wrong_);
}

void SteppedClient::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || !orders_.empty(); });
    if (orders_.empty()) break;
    const Order order = std::move(orders_.front());
    orders_.pop_front();
    busy_ = true;
    lock.unlock();
    act(order);
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
  lock.unlock();
  if (!is_over()) abandon();
  client_.reset();
}

void SteppedClient::abandon() noexcept {
  try {
    client_->roll_back();
  } catch (const std::exception&) {  // The connection is closed next, which rolls back as well.
  }
}

void SteppedClient::act(const Order& order) {
  if (is_over()) return;
  try {
    switch (order.step.what) {
      case ProbeStep::What::Begin:
        client_->begin();
        break;
      case ProbeStep::What::Perform:
        heard_.push_back({order.number, client_->perform(order.step.request)});
        break;
      case ProbeStep::What::Commit:
        committed_ = client_->commit() == Outcome::Committed;
        ended_ = true;
        break;
      case ProbeStep::What::RollBack:
        client_->roll_back();
        ended_ = true;
        break;
    }
  } catch (const TransactionFailure& failure) {
    failure_ = {failure.cause(), failure.what()};
  } catch (const DatabaseError&) {
    if (order.step.what == ProbeStep::What::Perform && is_range(order.step.request.kind)) {
      lacks_ranges_ = true;
      abandon();
    } else {
      wrong_ = std::current_exception();
    }
  } catch (...) {
    wrong_ = std::current_exception();
  }
}

}  // namespace serval
