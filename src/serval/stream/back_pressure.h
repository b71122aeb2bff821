#pragma once
// Limits the bytes of records that wait between clients and the merge. Every source has an equal share of
// the limit; when it is used up, the source waits until the merge has passed on half of it. The merge
// sleeps until there is news.
//
// A source with its own thread sleeps in enter(). A source that shares its thread with others must not
// sleep: it registers a callback for when there is room (SourceGate::on_room) and polls must_pause().
//
// A source with many clients (a file with many sessions) must not wait while the merge waits for one of
// them. It may then add one batch beyond its share each time the merge permits it; most_bytes() includes
// these.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

namespace serval {

class BackPressure;
class ClientFeed;

// The share of one source, released by the destructor. One thread enters; the merge calls the rest.
class SourceGate {
 public:
  using Clock = std::chrono::steady_clock;
  explicit SourceGate(BackPressure& all);
  ~SourceGate();
  SourceGate(const SourceGate&) = delete;
  SourceGate& operator=(const SourceGate&) = delete;

  void enter(std::size_t bytes);  // Sleeps while the share is used up, unless abandoned.
  void leave(std::size_t bytes);
  void let_one_in();  // The merge waits for a client of this source.
  void wake();

  // Call before the first record. Then enter() never sleeps. The merge calls `tell`, which must be fast.
  void on_room(std::function<void()> tell) { on_room_ = std::move(tell); }
  bool must_pause();  // The share is used up: send nothing until may_resume().
  bool may_resume();
  void end_pause();  // Requires is_paused().
  bool is_paused() const noexcept { return sleeps_.load(); }

  // The time when the source last polled its clients and had passed on everything. Without it the merge
  // counts only its own waiting time. `looked` must outlive the gate.
  void observe(const std::atomic<Clock::rep>& looked) noexcept { looked_ = &looked; }
  std::optional<Clock::time_point> looked() const noexcept {
    if (looked_ == nullptr) return std::nullopt;
    return Clock::time_point(Clock::duration(looked_->load()));
  }

  // Used only by the merge.
  std::uint32_t clients = 0;
  bool has_delivered = false;  // At least one record.

 private:
  bool may_enter();

  BackPressure& all_;
  std::function<void()> on_room_;
  const std::atomic<Clock::rep>* looked_ = nullptr;
  Clock::time_point paused_;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<bool> lets_one_in_ = false;
  std::atomic<bool> sleeps_ = false;
  std::mutex mutex_;
  std::condition_variable woken_;
};

class BackPressure {
 public:
  using Clock = std::chrono::steady_clock;
  explicit BackPressure(std::size_t limit) : limit_(limit) {}

  std::shared_ptr<SourceGate> open_source() { return std::make_shared<SourceGate>(*this); }  // Any thread.

  void tell();  // There is news: records, a promise, the end. Callable from any thread.
  std::uint64_t news() const { return news_.load(); }
  // Called by the merge: waits for news since `seen`, at most for `span`.
  void await_news(std::uint64_t seen, std::chrono::nanoseconds span);
  // A client considered idle has news, or a client was closed. Callable from any thread.
  void report(std::shared_ptr<ClientFeed> feed);
  std::vector<std::shared_ptr<ClientFeed>> take_reported();

  void abandon();  // Wakes everyone, for good. Callable from any thread.

  // A batch arrives, and has left completely. Callable from any thread.
  std::uint64_t arrive();
  void depart(std::uint64_t ticket);
  // Arrival of the oldest batch that has not left.
  std::optional<Clock::time_point> oldest_arrival() const;

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
  void add(SourceGate& gate);
  void remove(SourceGate& gate);
  void share_out();

  struct Arrival {
    Clock::time_point time;
    bool has_left = false;
  };

  const std::size_t limit_;
  std::atomic<std::size_t> share_ = 0;  // Per source.
  std::atomic<std::size_t> bytes_ = 0, most_bytes_ = 0;
  std::atomic<std::uint64_t> blocked_times_ = 0;
  std::atomic<std::int64_t> blocked_ns_ = 0;
  std::atomic<int> sleepers_ = 0;
  std::atomic<bool> abandoned_ = false;

  std::atomic<std::uint64_t> news_ = 0;
  std::atomic<bool> merge_sleeps_ = false;
  std::mutex mutex_;  // For the sleep of the merge; guards the next few.
  std::condition_variable told_;
  std::unordered_set<SourceGate*> sources_;
  std::vector<std::shared_ptr<ClientFeed>> reported_;

  mutable std::mutex arrivals_mutex_;  // Guards the next few.
  std::deque<Arrival> arrivals_;
  std::uint64_t first_arrival_ = 0;  // The ticket of the first of them.
};

}  // namespace serval
