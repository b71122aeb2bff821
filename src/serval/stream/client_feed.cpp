#include "serval/stream/client_feed.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"

namespace serval {
namespace {

constexpr std::size_t kMostSpare = 8, kLargestSpare = std::size_t{1} << 18;
constexpr std::size_t kOverhead = 4096;  // Of any batch.

Time earlier(Time time, Time span) { return time < kUnknownBegin + span ? kUnknownBegin : time - span; }
Time later(Time time, Time span) { return time > kUnknownEnd - span ? kUnknownEnd : time + span; }

}  // namespace

void ClientFeed::refuse_clock(Time known, Time begin) {
  batch_.clear();  // The client is not trusted any more, but can still be closed.
  throw InputError(
      {name_},
      fmt::format("the clock of this client ran backwards by {} ns, from {} to {}",
                  static_cast<std::uint64_t>(known) - static_cast<std::uint64_t>(begin), known, begin),
      {}, "--clock-error TIME allows for clocks that are wrong by at most TIME");
}

// Sets the session number, and makes the times comparable with those of other clients.
void ClientFeed::prepare_times() {
  const Time error = setting_.clock_error;
  for (Record& record : batch_.records()) {
    record.session = number_;
    const Time begin = earlier(record.time.begin, error);
    if (begin < last_begin_ && begin < earlier(last_begin_, 2 * error))
      refuse_clock(later(last_begin_, error), record.time.begin);
    if (record.time.end < earlier(record.time.begin, 2 * error))
      refuse_clock(record.time.begin, record.time.end);
    last_begin_ = std::max(last_begin_, begin);
    record.time.begin = last_begin_;
    record.time.end = later(record.time.end, error);
    record.time.end = std::max(record.time.end, record.time.begin);
  }
}

void ClientFeed::tell() {
  last_news_ = last_progress_ = Clock::now().time_since_epoch().count();
  if (rests_.load() && rests_.exchange(false)) pressure_.report(shared_from_this());
  pressure_.tell();
}

void ClientFeed::flush() {
  if (batch_.empty()) return;
  prepare_times();
  batch_.weight = batch_.bytes() + kOverhead;
  source_->enter(batch_.weight);
  batch_.ticket = pressure_.arrive();
  {
    const std::lock_guard lock(mutex_);
    state_.promise = std::max(state_.promise, last_begin_);
    ready_.push_back(std::move(batch_));
    if (spare_.empty()) {
      batch_ = RecordBatch();
    } else {
      batch_ = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  tell();
}

void ClientFeed::promise(Time begin) {
  flush();
  last_begin_ = std::max(last_begin_, earlier(begin, setting_.clock_error));
  {
    const std::lock_guard lock(mutex_);
    if (last_begin_ <= state_.promise) {
      last_news_ = Clock::now().time_since_epoch().count();  // It is alive, in a long transaction.
      return;
    }
    state_.promise = last_begin_;
  }
  tell();
}

void ClientFeed::close() {
  const std::shared_ptr<ClientFeed> self =
      shared_from_this();  // The merge may release it before the notification.
  flush();
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(state_.closed, true)) return;
  }
  pressure_.report(self);
  tell();
}

ClientFeed::State ClientFeed::fetch(Time bound, std::vector<RecordBatch>& run) {
  const std::lock_guard lock(mutex_);
  bool first = true;
  while (!ready_.empty() && (first || ready_.front().records().front().time.begin <= bound)) {
    run.push_back(std::move(ready_.front()));
    ready_.pop_front();
    first = false;
  }
  return {ready_.empty() ? state_.promise : ready_.front().records().front().time.begin,
          state_.closed && ready_.empty()};
}

void ClientFeed::give_back(RecordBatch&& batch) {
  pressure_.depart(batch.ticket);
  source_->leave(batch.weight);
  if (batch.weight > kLargestSpare) return;
  batch.clear();
  const std::lock_guard lock(mutex_);
  if (spare_.size() < kMostSpare) spare_.push_back(std::move(batch));
}

}  // namespace serval
