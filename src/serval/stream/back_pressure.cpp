#include "serval/stream/back_pressure.h"

#include <utility>

namespace serval {

// A thread announces its sleep before its last check, and a thread that changes something checks for
// sleepers afterwards. All accesses are sequentially consistent, so that one of the two notices the
// other.

SourceGate::SourceGate(BackPressure& all) : all_(all) { all_.add(*this); }
SourceGate::~SourceGate() {
  if (on_room_ && sleeps_.load()) end_pause();
  all_.remove(*this);
}

bool SourceGate::may_enter() {
  return bytes_.load() < all_.share_.load() || lets_one_in_.exchange(false) || all_.abandoned_.load();
}

void SourceGate::enter(std::size_t bytes) {
  if (!on_room_ && !may_enter()) {
    const auto start = Clock::now();
    ++all_.blocked_times_;
    ++all_.sleepers_;
    {
      std::unique_lock lock(mutex_);
      sleeps_ = true;
      woken_.wait(lock, [&] { return may_enter(); });
      sleeps_ = false;
    }
    --all_.sleepers_;
    all_.blocked_ns_ += std::chrono::nanoseconds(Clock::now() - start).count();
  }
  bytes_ += bytes;
  const std::size_t now = all_.bytes_.fetch_add(bytes) + bytes;
  std::size_t most = all_.most_bytes_.load(std::memory_order_relaxed);
  while (now > most && !all_.most_bytes_.compare_exchange_weak(most, now)) {
  }
}

bool SourceGate::must_pause() {
  if (may_enter()) return false;
  sleeps_ = true;
  if (may_enter()) {
    sleeps_ = false;
    return false;
  }
  paused_ = Clock::now();
  ++all_.blocked_times_;
  ++all_.sleepers_;
  return true;
}

bool SourceGate::may_resume() {
  if (!may_enter()) return false;
  end_pause();
  return true;
}

void SourceGate::end_pause() {
  sleeps_ = false;
  --all_.sleepers_;
  all_.blocked_ns_ += std::chrono::nanoseconds(Clock::now() - paused_).count();
}

// Wakes it only when half of its share is free, so that it does not sleep again at once.
void SourceGate::leave(std::size_t bytes) {
  all_.bytes_ -= bytes;
  const std::size_t left = bytes_.fetch_sub(bytes) - bytes;
  if (left <= all_.share_.load() / 2 && sleeps_.load()) wake();
}

void SourceGate::let_one_in() {
  lets_one_in_ = true;
  if (sleeps_.load()) wake();
}

void SourceGate::wake() {
  if (on_room_) return on_room_();
  const std::lock_guard lock(mutex_);
  woken_.notify_one();
}

void BackPressure::add(SourceGate& gate) {
  const std::lock_guard lock(mutex_);
  sources_.insert(&gate);
  share_out();
}

void BackPressure::remove(SourceGate& gate) {
  const std::lock_guard lock(mutex_);
  sources_.erase(&gate);
  share_out();
}

void BackPressure::share_out() { share_ = limit_ / (sources_.empty() ? 1 : sources_.size()) + 1; }

void BackPressure::tell() {
  ++news_;
  if (!merge_sleeps_.load()) return;
  const std::lock_guard lock(mutex_);
  told_.notify_one();
}

void BackPressure::report(std::shared_ptr<ClientFeed> feed) {
  const std::lock_guard lock(mutex_);
  reported_.push_back(std::move(feed));
}

std::vector<std::shared_ptr<ClientFeed>> BackPressure::take_reported() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reported_, {});
}

void BackPressure::await_news(std::uint64_t seen, std::chrono::nanoseconds span) {
  std::unique_lock lock(mutex_);
  merge_sleeps_ = true;
  told_.wait_for(lock, span, [&] { return news_.load() != seen || abandoned_.load(); });
  merge_sleeps_ = false;
}

void BackPressure::abandon() {
  abandoned_ = true;
  const std::lock_guard lock(mutex_);
  for (SourceGate* source : sources_) source->wake();
  told_.notify_all();
}

std::uint64_t BackPressure::arrive() {
  const std::lock_guard lock(arrivals_mutex_);
  arrivals_.push_back({Clock::now()});
  return first_arrival_ + arrivals_.size() - 1;
}

void BackPressure::depart(std::uint64_t ticket) {
  const std::lock_guard lock(arrivals_mutex_);
  arrivals_[ticket - first_arrival_].has_left = true;
  for (; !arrivals_.empty() && arrivals_.front().has_left; ++first_arrival_) arrivals_.pop_front();
}

std::optional<BackPressure::Clock::time_point> BackPressure::oldest_arrival() const {
  const std::lock_guard lock(arrivals_mutex_);
  if (arrivals_.empty()) return std::nullopt;
  return arrivals_.front().time;
}

}  // namespace serval
