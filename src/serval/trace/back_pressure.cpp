#include "serval/trace/back_pressure.h"

namespace serval {

// Who sleeps says so before looking a last time, and whoever changes something looks for sleepers
// afterwards; all of it sequentially consistent, so that one of the two notices.

bool SourceGate::may_enter() {
  return bytes_.load() < all_.share_.load() || lets_one_in_.exchange(false) || all_.abandoned_.load();
}

void SourceGate::enter(std::size_t bytes) {
  if (!may_enter()) {
    const auto start = std::chrono::steady_clock::now();
    ++all_.blocked_times_;
    ++all_.sleepers_;
    {
      std::unique_lock lock(mutex_);
      sleeps_ = true;
      woken_.wait(lock, [&] { return may_enter(); });
      sleeps_ = false;
    }
    --all_.sleepers_;
    all_.blocked_ns_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  }
  bytes_ += bytes;
  const std::size_t now = all_.bytes_.fetch_add(bytes) + bytes;
  std::size_t most = all_.most_bytes_.load(std::memory_order_relaxed);
  while (now > most && !all_.most_bytes_.compare_exchange_weak(most, now)) {
  }
}

// Woken only when half of its share is free, so that it does not go to sleep again at once.
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
  const std::lock_guard lock(mutex_);
  woken_.notify_one();
}

SourceGate& BackPressure::open_source() {
  const std::lock_guard lock(mutex_);
  SourceGate& gate = sources_.emplace_back(*this);
  share_ = limit_ / sources_.size() + 1;
  return gate;
}

void BackPressure::tell() {
  ++news_;
  if (!merge_sleeps_.load()) return;
  const std::lock_guard lock(mutex_);
  told_.notify_one();
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
  for (SourceGate& source : sources_) source.wake();
  told_.notify_all();
}

}  // namespace serval
