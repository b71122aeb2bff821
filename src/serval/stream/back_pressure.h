#pragma once
// How many bytes of records wait between clients and the merge, for how long, and who waits for whom. Every
// source has an equal share of the limit; when it is used up, the source waits until the merge has passed
// half of it on. The merge sleeps until somebody has news.
//
// A source with a thread of its own sleeps in enter(). One of many that a single thread serves must not: it
// says what is to be done once there is room (SourceGate::on_room), and looks at must_pause() itself.
//
// A source with many clients (a file of many sessions) must not wait while the merge waits for one of
// them: it may then add one batch each time that the merge says so, beyond its share; most_bytes() shows
// it.

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

// The share of one source, given back with it. One thread enters; the merge calls the rest.
class SourceGate {
 public:
  using Clock = std::chrono::steady_clock;
  explicit SourceGate(BackPressure& all);
  ~SourceGate();
  SourceGate(const SourceGate&) = delete;
  SourceGate& operator=(const SourceGate&) = delete;

  void enter(std::size_t bytes);  // Sleeps while the share is used up, and not at all once abandoned.
  void leave(std::size_t bytes);
  void let_one_in();  // The merge waits for a client of this source.
  void wake();

  // Before the first record. From now on enter() never sleeps; `tell`, called by the merge, is to be quick.
  void on_room(std::function<void()> tell) { on_room_ = std::move(tell); }
  bool must_pause();  // The share is used up: nothing more until may_resume().
  bool may_resume();
  void end_pause();  // Requires is_paused().
  bool is_paused() const noexcept { return sleeps_.load(); }

  // When the source last looked for news of its clients and had passed on all there was; without that, only
  // the merge knows how long it has been waiting. `looked` outlives the gate.
  void observe(const std::atomic<Clock::rep>& looked) noexcept { looked_ = &looked; }
  std::optional<Clock::time_point> looked() const noexcept {
    if (looked_ == nullptr) return std::nullopt;
    return Clock::time_point(Clock::duration(looked_->load()));
  }

  // Of the merge alone.
  std::uint32_t clients = 0;
  bool has_delivered = false;  // A record.

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

  void tell();  // There is news: records, a promise, the end. Any thread.
  std::uint64_t news() const { return news_.load(); }
  // The merge: until there was news since `seen`, at most `span`.
  void await_news(std::uint64_t seen, std::chrono::nanoseconds span);
  // One that was taken for idle has news, or one was closed. Any thread.
  void report(std::shared_ptr<ClientFeed> feed);
  std::vector<std::shared_ptr<ClientFeed>> take_reported();

  void abandon();  // Nobody sleeps any more. Any thread.

  // A batch comes, and has wholly left. Any thread.
  std::uint64_t arrive();
  void depart(std::uint64_t ticket);
  // When the oldest of those that have not left arrived.
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
  std::atomic<std::size_t> share_ = 0;  // Of a source.
  std::atomic<std::size_t> bytes_ = 0, most_bytes_ = 0;
  std::atomic<std::uint64_t> blocked_times_ = 0;
  std::atomic<std::int64_t> blocked_ns_ = 0;
  std::atomic<int> sleepers_ = 0;
  std::atomic<bool> abandoned_ = false;

  std::atomic<std::uint64_t> news_ = 0;
  std::atomic<bool> merge_sleeps_ = false;
  std::mutex mutex_;  // For the merge's sleep, and for the next few.
  std::condition_variable told_;
  std::unordered_set<SourceGate*> sources_;
  std::vector<std::shared_ptr<ClientFeed>> reported_;

  mutable std::mutex arrivals_mutex_;  // For the next few.
  std::deque<Arrival> arrivals_;
  std::uint64_t first_arrival_ = 0;  // The ticket of the first of them.
};

}  // namespace serval
