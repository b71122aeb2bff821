#pragma once
// One client's side of the pipeline: Leopard's local buffer. The client fills a batch, without a lock,
// and hands it over when it is full or when nothing more comes for a while; the merge fetches batches and
// gives their memory back.
//
//   const std::shared_ptr<ClientFeed> feed = pipeline.open_client("session 3");
//   Record& read = feed->batch().add();        // In program order; its session is set by the feed.
//   read.time = {10, 12};
//   feed->advance();                           // Hands over full batches; may wait for the merge.
//   feed->promise(20);                         // Heartbeat: whatever comes next begins at 20 or later.
//   feed->close();
//
// The pipeline keeps it until it is closed and everything has left.
//
// Clocks: with a clock error D, [begin, end] becomes [begin - D, end + D]. What comes later in program
// order truly began later, so a begin that lies before the one of its predecessor is lifted to that; more
// than 2 D before it, no clock that is right within D can have said so, and flush() throws InputError,
// which names the client.
//
// One thread, but for what the merge calls.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serval/stream/back_pressure.h"
#include "serval/stream/record_batch.h"

namespace serval {

class ClientFeed : public std::enable_shared_from_this<ClientFeed> {
 public:
  using Clock = std::chrono::steady_clock;
  struct Setting {
    std::size_t batch_records;
    Time clock_error;
  };
  // A session has records. A herald has none: it holds the merge back for sessions that are not known yet.
  // The initial rows come from nobody.
  enum class Role : std::uint8_t { Session, Herald, InitialRows };
  ClientFeed(std::string name, std::uint32_t number, std::shared_ptr<SourceGate> source,
             const Setting& setting, BackPressure& pressure, Role role)
      : name_(std::move(name)),
        number_(number),
        source_(std::move(source)),
        setting_(setting),
        pressure_(pressure),
        role_(role),
        takes_part_(role == Role::Session) {}
  ClientFeed(const ClientFeed&) = delete;
  ClientFeed& operator=(const ClientFeed&) = delete;

  const std::string& name() const noexcept { return name_; }
  std::uint32_t number() const noexcept { return number_; }
  Role role() const noexcept { return role_; }
  SourceGate& source() const noexcept { return *source_; }

  // Of the client.
  RecordBatch& batch() noexcept { return batch_; }
  void advance() {
    if (batch_.size() >= setting_.batch_records) flush();
  }
  void flush();  // What there is. Throws InputError when the client's clock contradicts itself.
  void promise(Time begin);
  void close();
  // Its source says for certain when it goes on: however long that takes, it is not taken for idle.
  void promise_to_come() noexcept { patient_ = true; }
  bool promises_to_come() const noexcept { return patient_; }
  // Of a herald: those whom it speaks for use the database. Before that nobody misses what it does not say.
  void take_part() noexcept { takes_part_ = true; }
  bool takes_part() const noexcept { return takes_part_; }
  Time promised() const noexcept { return last_begin_; }  // What comes next begins then or later.

  // Of the merge.
  struct State {
    Time promise = kUnknownBegin;  // What comes next begins then or later.
    bool closed = false;
  };
  // Moves batches to `run`: one, and those behind it that begin at `bound` or before.
  State fetch(Time bound, std::vector<RecordBatch>& run);
  void give_back(RecordBatch&& batch);
  // From now on the merge is told of news (BackPressure::take_reported), once.
  void rest() noexcept { rests_ = true; }
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFFu, kGone = 0xFFFFFFFEu;
  std::uint32_t slot = kNowhere;  // Its place in the merge.
  Clock::time_point opened() const noexcept { return opened_; }
  // Anything, also a promise that was given before.
  Clock::time_point last_news() const noexcept {
    return Clock::time_point(Clock::duration(last_news_.load()));
  }
  // Records, or a promise that goes further.
  Clock::time_point last_progress() const noexcept {
    return Clock::time_point(Clock::duration(last_progress_.load()));
  }

 private:
  void tell();
  void prepare_times();
  [[noreturn]] void refuse_clock(Time begin) const;

  const std::string name_;
  const std::uint32_t number_;
  const std::shared_ptr<SourceGate> source_;
  const Setting setting_;
  BackPressure& pressure_;
  const Role role_;

  RecordBatch batch_;  // Being filled.
  Time last_begin_ = kUnknownBegin;
  std::atomic<bool> patient_ = false, takes_part_, rests_ = false;
  const Clock::time_point opened_ = Clock::now();
  std::atomic<Clock::rep> last_news_ = opened_.time_since_epoch().count();
  std::atomic<Clock::rep> last_progress_ = last_news_.load();

  std::mutex mutex_;  // For all below.
  std::deque<RecordBatch> ready_;
  std::vector<RecordBatch> spare_;
  State state_;
};

}  // namespace serval
