#include "serval/trace/pipeline.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/base/error.h"

namespace serval {

Pipeline::Pipeline(const PipelineOptions& options) : options_(options), pressure_(options.memory_limit) {
  expects(options.batch_records > 0 && options.clock_error >= 0, "a batch holds records, an error is a span");
}
Pipeline::~Pipeline() = default;

ClientFeed& Pipeline::open_client(std::string name, SourceGate& source) {
  ClientFeed* feed = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto number = static_cast<std::uint32_t>(clients_.size());
    feed =
        &clients_.emplace_back(std::move(name), number, source,
                               ClientFeed::Setting{options_.batch_records, options_.clock_error}, pressure_);
    known_clients_ = clients_.size();
  }
  pressure_.tell();
  return *feed;
}
ClientFeed& Pipeline::open_client(std::string name) { return open_client(std::move(name), open_source()); }

void Pipeline::no_more_clients() {
  {
    const std::lock_guard lock(mutex_);
    complete_ = true;
  }
  pressure_.tell();
}

void Pipeline::abandon() { pressure_.abandon(); }

std::string Pipeline::client_name(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return number < clients_.size() ? clients_[number].name() : std::string();
}

PipelineStatus Pipeline::status() const {
  PipelineStatus status;
  status.open_clients = open_lanes_;
  status.dispatched = dispatched_;
  status.frontier = frontier_;
  status.waiting_bytes = pressure_.waiting_bytes();
  status.most_bytes = pressure_.most_bytes();
  status.is_blocking = pressure_.is_blocking();
  status.blocked_times = pressure_.blocked_times();
  status.blocked_time = pressure_.blocked_time();
  const std::lock_guard lock(mutex_);
  status.clients = static_cast<std::uint32_t>(clients_.size());
  status.held_back_by = held_back_by_;
  status.idle = idle_names_;
  return status;
}

void Pipeline::Lane::look_at_batch() {
  const bool more = batch < run.size();
  next = more ? run[batch].records().data() : nullptr;
  end = more ? next + run[batch].size() : nullptr;
}

void Pipeline::admit_new_clients() {
  if (known_clients_.load() == admitted_) return;
  {
    const std::lock_guard lock(mutex_);
    for (; admitted_ < clients_.size(); ++admitted_) {
      lanes_.push_back(std::make_unique<Lane>());
      lanes_.back()->feed = &clients_[admitted_];
      ++clients_of_source_[&clients_[admitted_].source()];
    }
  }
  rebuild();
}

void Pipeline::rebuild() {
  std::vector<MergeKey> keys;
  keys.reserve(lanes_.size());
  for (const auto& lane : lanes_)
    keys.push_back({lane->time(), lane->feed->number(), static_cast<std::uint32_t>(keys.size())});
  tree_.rebuild(keys);
  open_lanes_ = static_cast<std::uint32_t>(lanes_.size() + idle_.size());
}

Pipeline::Progress Pipeline::dispatch(const Sink& sink, std::uint64_t most) {
  seen_news_ = pressure_.news();
  bool complete = false;
  {
    const std::lock_guard lock(mutex_);
    complete = complete_;  // Before looking for clients: none comes after it was set.
  }
  admit_new_clients();
  look_at_idle_clients();
  std::uint64_t passed = 0;
  bool waits = false;
  while (passed < most && !waits) {
    // A promise that was just fetched may count on a client that was opened before it was given.
    admit_new_clients();
    if (lanes_.empty()) break;
    Lane& lane = *lanes_[tree_.winner().lane];
    if (lane.empty()) {
      waits = must_wait(lane);
    } else {
      passed += pass_on(lane, sink);
      tree_.replace_winner(lane.time());
    }
  }
  dispatched_ += passed;
  frontier_ = last_begin_;
  if (!waits) set_held_back_by(nullptr);
  if (passed > 0) return Progress::Moved;
  return lanes_.empty() && idle_.empty() && complete ? Progress::Done : Progress::Waiting;
}

void Pipeline::wait(std::chrono::nanoseconds span) { pressure_.await_news(seen_news_, span); }

// As many batches as others leave room for: those that begin after the next client's records can wait
// where they are.
Pipeline::Fetched Pipeline::fetch(Lane& lane, Time bound) {
  lane.run.clear();
  lane.batch = 0;
  const ClientFeed::State state = lane.feed->fetch(bound, lane.run);
  lane.promise = std::max(lane.promise, state.promise);
  lane.look_at_batch();
  if (lane.empty()) return state.closed ? Fetched::End : Fetched::Nothing;
  if (lane.time() < last_begin_)
    throw InputError(
        {lane.feed->name()},
        fmt::format("a record of this client begins at {}, but comes when others of {} have been "
                    "passed on",
                    lane.time(), last_begin_),
        {}, "heartbeats, a longer --idle, a larger --memory-limit or a --clock-error help");
  return Fetched::Something;
}

bool Pipeline::must_wait(Lane& lane) {
  const Time promised = lane.promise;
  const Fetched fetched = fetch(lane, tree_.runner_up().time);
  if (fetched == Fetched::Nothing && lane.promise == promised) {
    lane.feed->source().let_one_in();
    if (waits_for_ != lane.feed) {
      set_held_back_by(lane.feed);
      waits_since_ = Clock::now();
    }
    return !taken_for_idle(lane);
  }
  set_held_back_by(nullptr);
  if (fetched == Fetched::End)
    remove(lane);
  else
    tree_.replace_winner(lane.time());
  return false;
}

// One record; where the same client won before, all of its batch that nobody else can precede.
std::uint64_t Pipeline::pass_on(Lane& lane, const Sink& sink) {
  const Record* const first = lane.next++;
  if (tree_.winner().client == last_winner_) {
    const MergeKey other = tree_.runner_up();
    const Time last = other.client > last_winner_ ? other.time : other.time - 1;
    while (lane.next != lane.end && lane.next->time.begin <= last) ++lane.next;
  }
  last_winner_ = tree_.winner().client;
  last_begin_ = lane.next[-1].time.begin;
  const auto count = static_cast<std::size_t>(lane.next - first);
  sink({first, count});
  if (lane.empty())
    finish_batch(lane);
  else
    lane.prefetch();
  return count;
}

// What comes next begins no earlier than what has just left.
void Pipeline::finish_batch(Lane& lane) {
  lane.promise = last_begin_;
  lane.feed->give_back(std::move(lane.run[lane.batch]));
  ++lane.batch;
  lane.look_at_batch();
}

void Pipeline::remove(Lane& lane) {
  std::erase_if(lanes_, [&](const auto& one) { return one.get() == &lane; });
  rebuild();
}

void Pipeline::set_held_back_by(const ClientFeed* feed) {
  if (waits_for_ == feed) return;
  waits_for_ = feed;
  const std::lock_guard lock(mutex_);
  held_back_by_ = feed != nullptr ? feed->name() : std::string();
}

// Only where somebody else has something to say. Where a source feeds several clients, the others of it
// do not wait for the merge while the merge waits for this one, so that the memory in use has to end it.
bool Pipeline::taken_for_idle(const Lane& lane) {
  const bool others_wait = pressure_.waiting_bytes() > 0;
  const bool too_much =
      clients_of_source_[&lane.feed->source()] > 1 && pressure_.waiting_bytes() > 2 * options_.memory_limit;
  const bool silent = !lane.feed->promises_to_come() && Clock::now() - waits_since_ >= options_.idle_after;
  if (!others_wait || (!too_much && !silent)) return false;
  {
    const std::lock_guard lock(mutex_);
    idle_names_.push_back(lane.feed->name());
  }
  const auto found = std::ranges::find(lanes_, &lane, &std::unique_ptr<Lane>::get);
  idle_.push_back(std::move(*found));
  lanes_.erase(found);
  rebuild();
  set_held_back_by(nullptr);
  return true;
}

// Those with records, or a promise that holds nobody back, take part again.
void Pipeline::look_at_idle_clients() {
  for (std::size_t i = 0; i < idle_.size();) {
    Lane& lane = *idle_[i];
    const Fetched fetched = fetch(lane, last_begin_);
    if (fetched == Fetched::Nothing && lane.promise <= last_begin_) {
      ++i;
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      std::erase(idle_names_, lane.feed->name());
    }
    std::unique_ptr<Lane> woken = std::move(idle_[i]);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    if (fetched != Fetched::End) lanes_.push_back(std::move(woken));
    rebuild();
  }
}

}  // namespace serval
