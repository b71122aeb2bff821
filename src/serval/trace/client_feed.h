#pragma once
// One client's side of the pipeline: Leopard's local buffer. The client fills a batch, without a lock,
// and hands it over when it is full or when nothing more comes for a while; the merge fetches batches and
// gives their memory back.
//
//   ClientFeed& feed = pipeline.open_client("session 3");
//   Record& read = feed.batch().add();         // In program order; its session is set by the feed.
//   read.time = {10, 12};
//   feed.advance();                            // Hands over full batches; may wait for the merge.
//   feed.promise(20);                          // Heartbeat: whatever comes next begins at 20 or later.
//   feed.close();
//
// Clocks: with a clock error D, [begin, end] becomes [begin - D, end + D]. What comes later in program
// order truly began later, so a begin that lies before the one of its predecessor is lifted to that; more
// than 2 D before it, no clock that is right within D can have said so, and flush() throws InputError,
// which names the client.
//
// One thread, but for what the merge calls.

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "serval/trace/back_pressure.h"
#include "serval/trace/record_batch.h"

namespace serval {

class ClientFeed {
 public:
  struct Setting {
    std::size_t batch_records;
    Time clock_error;
  };
  ClientFeed(std::string name, std::uint32_t number, SourceGate& source, const Setting& setting,
             BackPressure& pressure)
      : name_(std::move(name)), number_(number), source_(source), setting_(setting), pressure_(pressure) {}
  ClientFeed(const ClientFeed&) = delete;
  ClientFeed& operator=(const ClientFeed&) = delete;

  const std::string& name() const noexcept { return name_; }
  std::uint32_t number() const noexcept { return number_; }
  SourceGate& source() const noexcept { return source_; }

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

  // Of the merge.
  struct State {
    Time promise = kUnknownBegin;  // What comes next begins then or later.
    bool closed = false;
  };
  // Moves batches to `run`: one, and those behind it that begin at `bound` or before.
  State fetch(Time bound, std::vector<RecordBatch>& run);
  void give_back(RecordBatch&& batch);

 private:
  void prepare_times();
  [[noreturn]] void refuse_clock(Time begin) const;

  const std::string name_;
  const std::uint32_t number_;
  SourceGate& source_;
  const Setting setting_;
  BackPressure& pressure_;

  RecordBatch batch_;  // Being filled.
  Time last_begin_ = kUnknownBegin;
  std::atomic<bool> patient_ = false;

  std::mutex mutex_;  // For all below.
  std::deque<RecordBatch> ready_;
  std::vector<RecordBatch> spare_;
  State state_;
};

}  // namespace serval
