#pragma once
// The client side of the pipeline (Leopard's local buffer). The client fills a batch without a lock and
// hands it over when it is full or when it has nothing more for now. The merge fetches batches and
// returns their memory.
//
//   const std::shared_ptr<ClientFeed> feed = pipeline.open_client("session 3");
//   Record& read = feed->batch().add();        // In program order; the feed sets the session.
//   read.time = {10, 12};
//   feed->advance();                           // Hands over full batches; may wait for the merge.
//   feed->promise(20);                         // Heartbeat: the next record begins at 20 or later.
//   feed->close();
//
// The pipeline keeps the feed until it is closed and empty.
//
// Clocks: with a clock error D, [begin, end] becomes [begin - D, end + D]. A later record in program
// order began later, so a begin before that of its predecessor is raised to it. A begin more than 2 D
// earlier is impossible for a clock with an error of at most D, and so is an end that much before its
// begin; then flush() throws InputError, which names the client.
//
// Used by one thread, except for the functions that the merge calls.

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
  // A session has records. A herald has none: it holds the merge back for sessions that are not known
  // yet. The initial rows belong to no client.
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
  void flush();  // Hands over the current batch. Throws InputError if the client's clock contradicts itself.
  void promise(Time begin);
  void close();
  // Its source will certainly announce its next record, so it is never considered idle.
  void promise_to_come() noexcept { patient_ = true; }
  bool promises_to_come() const noexcept { return patient_; }
  // For a herald: its sessions use the database. Before this call its silence causes no doubt.
  void take_part() noexcept { takes_part_ = true; }
  bool takes_part() const noexcept { return takes_part_; }
  Time promised() const noexcept { return last_begin_; }  // The next record begins then or later.

  // For the merge.
  struct State {
    Time promise = kUnknownBegin;  // The next record begins then or later.
    bool closed = false;
  };
  // Moves batches to `run`: one, and the following ones that begin at or before `bound`.
  State fetch(Time bound, std::vector<RecordBatch>& run);
  void give_back(RecordBatch&& batch);
  // Requests a single notification of news (BackPressure::take_reported).
  void rest() noexcept { rests_ = true; }
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFFu, kGone = 0xFFFFFFFEu;
  std::uint32_t slot = kNowhere;  // Its place in the merge.
  Clock::time_point opened() const noexcept { return opened_; }
  // Any news, including a repeated promise.
  Clock::time_point last_news() const noexcept {
    return Clock::time_point(Clock::duration(last_news_.load()));
  }
  // Records, or a later promise.
  Clock::time_point last_progress() const noexcept {
    return Clock::time_point(Clock::duration(last_progress_.load()));
  }

 private:
  void tell();
  void prepare_times();
  [[noreturn]] void refuse_clock(Time known, Time begin);

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

  std::mutex mutex_;  // Guards everything below.
  std::deque<RecordBatch> ready_;
  std::vector<RecordBatch> spare_;
  State state_;
};

}  // namespace serval
