#pragma once
// How many bytes of records wait between clients and the merge, and who waits for whom. Every source has
// an equal share of the limit; when it is used up, the source sleeps until the merge has passed half of
// it on. The merge sleeps until somebody has news.
//
// A source with many clients (a file of many sessions) must not sleep while the merge waits for one of
// them: it may then add one batch each time that the merge says so, beyond its share; most_bytes() shows
// it.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace serval {

class BackPressure;

// The share of one source. One thread enters; the merge calls the rest.
class SourceGate {
 public:
  explicit SourceGate(BackPressure& all) : all_(all) {}
  void enter(std::size_t bytes);  // Sleeps while the share is used up, and not at all once abandoned.
  void leave(std::size_t bytes);
  void let_one_in();  // The merge waits for a client of this source.
  void wake();

 private:
  bool may_enter();

  BackPressure& all_;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<bool> lets_one_in_ = false;
  std::atomic<bool> sleeps_ = false;
  std::mutex mutex_;
  std::condition_variable woken_;
};

class BackPressure {
 public:
  explicit BackPressure(std::size_t limit) : limit_(limit) {}

  SourceGate& open_source();  // Stays valid. Any thread.

  void tell();  // There is news: records, a promise, the end. Any thread.
  std::uint64_t news() const { return news_.load(); }
  // The merge: until there was news since `seen`, at most `span`.
  void await_news(std::uint64_t seen, std::chrono::nanoseconds span);

  void abandon();  // Nobody sleeps any more. Any thread.

  // Any thread.
  std::size_t waiting_bytes() const noexcept { return bytes_.load(); }
  std::size_t most_bytes() const noexcept { return most_bytes_.load(); }
  std::uint64_t blocked_times() const noexcept { return blocked_times_.load(); }
  std::chrono::nanoseconds blocked_time() const noexcept {
    return std::chrono::nanoseconds(blocked_ns_.load());
  }
  bool is_blocking() const noexcept { return sleepers_.load() > 0; }

 private:
  friend class SourceGate;

  const std::size_t limit_;
  std::atomic<std::size_t> share_ = 0;  // Of a source.
  std::atomic<std::size_t> bytes_ = 0, most_bytes_ = 0;
  std::atomic<std::uint64_t> blocked_times_ = 0;
  std::atomic<std::int64_t> blocked_ns_ = 0;
  std::atomic<int> sleepers_ = 0;
  std::atomic<bool> abandoned_ = false;

  std::atomic<std::uint64_t> news_ = 0;
  std::atomic<bool> merge_sleeps_ = false;
  std::mutex mutex_;  // For the merge's sleep, and for the sources.
  std::condition_variable told_;
  std::deque<SourceGate> sources_;
};

}  // namespace serval
