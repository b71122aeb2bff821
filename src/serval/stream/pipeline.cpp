#include "serval/stream/pipeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "serval/base/contract.h"

namespace serval {
namespace {

constexpr std::size_t kFewestSlots = 16;
constexpr std::size_t kMostNames = 20;  // Names of clients in a status.
constexpr std::size_t kMostStrikes = 3;
constexpr std::chrono::minutes kGrudge{1};

bool writes(OperationKind kind) {
  switch (kind) {
    case OperationKind::Read:
    case OperationKind::ReadList:
    case OperationKind::InsertMiss:
    case OperationKind::CompareAndSetMiss:
    case OperationKind::PredicateRead:
      return false;
    default:
      return true;
  }
}

std::chrono::nanoseconds longest_wait(std::chrono::nanoseconds idle_after) {
  constexpr std::chrono::nanoseconds kMost = std::chrono::nanoseconds::max() / 4;
  return idle_after > kMost / Pipeline::kLongestWait ? kMost : idle_after * Pipeline::kLongestWait;
}

std::vector<std::string> some_of(const std::map<std::uint32_t, std::string>& names) {
  std::vector<std::string> out;
  for (const auto& [client, name] : names) {
    if (out.size() == kMostNames) break;
    out.push_back(name);
  }
  return out;
}

}  // namespace

Pipeline::Pipeline(const PipelineOptions& options) : options_(options), pressure_(options.memory_limit) {
  expects(options.batch_records > 0 && options.clock_error >= 0,
          "batches are not empty and the clock error is not negative");
}

// Heralds are numbered from the end, so that sessions count from zero and come before heralds.
std::shared_ptr<ClientFeed> Pipeline::open_client(std::string name, std::shared_ptr<SourceGate> source,
                                                  Role role) {
  constexpr std::uint32_t kLastHerald = 0xFFFFFFFEu;
  std::shared_ptr<ClientFeed> feed;
  {
    const std::lock_guard lock(mutex_);
    const std::uint32_t number = role == Role::Herald ? kLastHerald - heralds_++ % (1u << 30) : sessions_++;
    if (role == Role::InitialRows) ++uncounted_;
    feed = std::make_shared<ClientFeed>(std::move(name), number, std::move(source),
                                        ClientFeed::Setting{options_.batch_records, options_.clock_error},
                                        pressure_, role);
    new_clients_.push_back(feed);
    has_new_clients_ = true;
  }
  pressure_.tell();
  return feed;
}

void Pipeline::no_more_clients() {
  {
    const std::lock_guard lock(mutex_);
    complete_ = true;
  }
  pressure_.tell();
}

PipelineStatus Pipeline::status() const {
  PipelineStatus status;
  status.open_clients = open_sessions_;
  status.dispatched = dispatched_;
  status.frontier = frontier_;
  status.waiting_bytes = pressure_.waiting_bytes();
  status.most_bytes = pressure_.most_bytes();
  status.is_blocking = pressure_.is_blocking();
  status.blocked_times = pressure_.blocked_times();
  status.blocked_time = pressure_.blocked_time();
  status.oldest_arrival = pressure_.oldest_arrival();
  const std::lock_guard lock(mutex_);
  status.clients = sessions_ - uncounted_;
  status.held_back_by = held_back_by_;
  status.idle_clients = static_cast<std::uint32_t>(idle_names_.size());
  status.idle = some_of(idle_names_);
  status.late = some_of(late_names_);
  status.late_transactions = late_transactions_;
  return status;
}

Time Pipeline::idle_since() const {
  Time since = kUnknownEnd;
  for (const auto& [feed, lane] : idle_)
    if (feed->takes_part()) since = std::min(since, lane->promise);
  return since;
}

void Pipeline::Lane::look_at_batch() {
  const bool more = batch < run.size();
  next = more ? run[batch].records().data() : nullptr;
  end = more ? next + run[batch].size() : nullptr;
}

void Pipeline::admit_new_clients() {
  if (!has_new_clients_.load()) return;
  std::vector<std::shared_ptr<ClientFeed>> admitted;
  {
    const std::lock_guard lock(mutex_);
    admitted = std::exchange(new_clients_, {});
    has_new_clients_ = false;
  }
  if (free_slots_.size() < admitted.size()) make_room(2 * (lane_count_ + admitted.size()));
  for (std::shared_ptr<ClientFeed>& feed : admitted) {
    auto lane = std::make_unique<Lane>();
    lane->feed = std::move(feed);
    ++lane->feed->source().clients;
    if (lane->feed->role() == Role::Session) ++open_sessions_;
    add(std::move(lane));
  }
}

void Pipeline::add(std::unique_ptr<Lane> lane) {
  if (free_slots_.empty()) make_room(2 * lane_count_ + 1);
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  ++lane_count_;
  tree_.set({lane->time(), lane->feed->number(), slot});
  lane->feed->slot = slot;
  lanes_[slot] = std::move(lane);
}

std::unique_ptr<Pipeline::Lane> Pipeline::take_out(std::uint32_t slot) {
  std::unique_ptr<Lane> lane = std::move(lanes_[slot]);
  lane->feed->slot = ClientFeed::kNowhere;
  tree_.set(MergeKey::none(slot));
  free_slots_.push_back(slot);
  --lane_count_;
  if (lanes_.size() > kFewestSlots && lane_count_ < lanes_.size() / 8) make_room(2 * lane_count_);
  return lane;
}

// It is closed and empty.
void Pipeline::forget(std::unique_ptr<Lane> lane) {
  lane->feed->slot = ClientFeed::kGone;
  --lane->feed->source().clients;
  if (lane->feed->role() == Role::Session) --open_sessions_;
}

void Pipeline::make_room(std::size_t lanes) {
  std::vector<std::unique_ptr<Lane>> kept;
  for (std::unique_ptr<Lane>& lane : lanes_)
    if (lane) kept.push_back(std::move(lane));
  kept.resize(std::max(lanes, kFewestSlots));
  lanes_ = std::move(kept);
  std::vector<MergeKey> keys;
  keys.reserve(lanes_.size());
  free_slots_.clear();
  for (std::uint32_t slot = 0; slot < lanes_.size(); ++slot) {
    const Lane* const lane = lanes_[slot].get();
    if (lane == nullptr)
      free_slots_.push_back(slot);
    else
      lane->feed->slot = slot;
    keys.push_back(lane != nullptr ? MergeKey{lane->time(), lane->feed->number(), slot}
                                   : MergeKey::none(slot));
  }
  tree_.rebuild(keys);
}

Pipeline::Progress Pipeline::dispatch(const Sink& sink, std::uint64_t most) {
  seen_news_ = pressure_.news();
  bool complete = false;
  {
    const std::lock_guard lock(mutex_);
    complete = complete_;  // Read before looking for clients, since none is opened after it was set.
  }
  admit_new_clients();
  look_at_reported_clients();
  std::uint64_t passed = 0;
  bool waits = false;
  while (passed < most && !waits) {
    // A promise that was just fetched may rely on a client that was opened before the promise.
    admit_new_clients();
    if (lane_count_ == 0) break;
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
  if (passed > 0 || pressure_.waiting_bytes() == 0)
    held_since_.reset();
  else if (!held_since_)
    held_since_ = Clock::now();
  if (passed > 0) return Progress::Moved;
  return lane_count_ == 0 && idle_.empty() && complete ? Progress::Done : Progress::Waiting;
}

// Fetches only batches that can leave before the next client's records; others can stay where they are.
Pipeline::Fetched Pipeline::fetch(Lane& lane, Time bound) {
  lane.run.clear();
  lane.batch = 0;
  const ClientFeed::State state = lane.feed->fetch(bound, lane.run);
  lane.promise = std::max(lane.promise, state.promise);
  take_late(lane);
  lane.look_at_batch();
  if (!lane.empty()) return Fetched::Something;
  return state.closed ? Fetched::End : Fetched::Nothing;
}

// Batches are sorted, so late ones come first.
void Pipeline::take_late(Lane& lane) {
  for (RecordBatch& batch : lane.run) {
    const Record& first = batch.records().front();
    const bool follows = first.transaction == lane.late_transaction && first.transaction != 0;
    if (!follows && first.time.begin >= last_begin_) return;
    batch.erase_if([&](Record& record) { return !weaken(lane, record); });
    if (!batch.empty()) continue;
    lane.feed->give_back(std::move(batch));
  }
  std::erase_if(lane.run, [](const RecordBatch& batch) { return batch.empty(); });
}

bool Pipeline::weaken(Lane& lane, Record& record) {
  const bool follows = record.transaction == lane.late_transaction && record.transaction != 0;
  if (!follows && record.time.begin >= last_begin_) return true;
  if (!follows) note_late(lane, record);
  if (record.kind == RecordKind::Operation && !writes(record.operation)) return false;
  record.time = {std::max(record.time.begin, last_begin_), kUnknownEnd};
  if (ends_transaction(record.kind)) record.kind = RecordKind::Indeterminate;
  return true;
}

void Pipeline::note_late(Lane& lane, const Record& record) {
  lane.late_transaction = record.transaction;
  late_.since = std::min(late_.since, record.time.begin);
  late_.until = std::max(late_.until, last_begin_);
  const std::lock_guard lock(mutex_);
  ++late_transactions_;
  if (late_names_.size() < kMostNames) late_names_.emplace(lane.feed->number(), lane.feed->name());
}

bool Pipeline::must_wait(Lane& lane) {
  const Time promised = lane.promise;
  const Fetched fetched = fetch(lane, tree_.runner_up().time);
  if (fetched == Fetched::Nothing && lane.promise == promised) {
    lane.feed->source().let_one_in();
    if (waits_for_ != lane.feed.get()) {
      set_held_back_by(lane.feed.get());
      waits_since_ = Clock::now();
    }
    return !taken_for_idle(lane);
  }
  set_held_back_by(nullptr);
  if (fetched == Fetched::End)
    forget(take_out(tree_.winner().lane));
  else
    tree_.replace_winner(lane.time());
  return false;
}

// One record; if the same client won before, all records of its batch that no other client can precede.
std::uint64_t Pipeline::pass_on(Lane& lane, const Sink& sink) {
  lane.feed->source().has_delivered = true;
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

// The next record begins no earlier than the last one that left.
void Pipeline::finish_batch(Lane& lane) {
  lane.promise = last_begin_;
  lane.feed->give_back(std::move(lane.run[lane.batch]));
  ++lane.batch;
  lane.look_at_batch();
}

void Pipeline::set_held_back_by(const ClientFeed* feed) {
  if (waits_for_ == feed) return;
  waits_for_ = feed;
  const std::lock_guard lock(mutex_);
  held_back_by_ = feed != nullptr ? feed->name() : std::string();
}

bool Pipeline::trusts_newcomers() const {
  const auto recent = [now = Clock::now()](Clock::time_point strike) { return now - strike < kGrudge; };
  return std::ranges::count_if(strikes_, recent) < static_cast<std::ptrdiff_t>(kMostStrikes);
}

// A source that polls its clients knows best how long they have been silent: the merge may have waited
// for others, and the source may have had no room or no processor time.
bool Pipeline::has_been_silent(const Lane& lane) const {
  if (lane.feed->promises_to_come()) return false;
  const SourceGate& source = lane.feed->source();
  const auto looked = source.looked();
  if (looked && source.is_paused()) return false;
  if (looked && !source.has_delivered && (!trusts_newcomers() || newcomers_hold_all(*lane.feed))) return true;
  const Clock::time_point now = looked ? *looked : Clock::now();
  const Clock::time_point earliest = looked ? Clock::time_point::min() : waits_since_;
  if (now - std::max(earliest, lane.feed->last_news()) >= options_.idle_after) return true;
  const auto most = pressure_.is_blocking() ? options_.idle_after : longest_wait(options_.idle_after);
  return now - std::max(earliest, lane.feed->last_progress()) >= most ||
         has_been_held_for(longest_wait(options_.idle_after));
}

bool Pipeline::has_been_held_for(std::chrono::nanoseconds span) const {
  return held_since_ && Clock::now() - *held_since_ >= span;
}

// Each of them perhaps only briefly, but one after the other. A client that was there before the others
// had to wait does not count.
bool Pipeline::newcomers_hold_all(const ClientFeed& feed) const {
  return pressure_.waiting_bytes() > options_.memory_limit ||
         (has_been_held_for(options_.idle_after) && feed.opened() > *held_since_);
}

// Only if another client has something to pass on. If a source feeds several clients, the others do not
// wait for the merge while the merge waits for this one, so memory usage must end the wait.
bool Pipeline::taken_for_idle(Lane& lane) {
  const bool others_wait = pressure_.waiting_bytes() > 0;
  const bool too_much =
      lane.feed->source().clients > 1 && pressure_.waiting_bytes() > 2 * options_.memory_limit;
  if (!others_wait || (!too_much && !has_been_silent(lane))) return false;
  ClientFeed& feed = *lane.feed;
  feed.rest();
  const Time promised = lane.promise;
  if (fetch(lane, last_begin_) != Fetched::Nothing || lane.promise != promised) {  // Just now.
    tree_.replace_winner(lane.time());
    return true;
  }
  if (!feed.source().has_delivered && feed.source().looked()) {
    strikes_.push_back(Clock::now());
    if (strikes_.size() > kMostStrikes) strikes_.pop_front();
  }
  {
    const std::lock_guard lock(mutex_);
    idle_names_.emplace(feed.number(), feed.name());
  }
  idle_.emplace(&feed, take_out(tree_.winner().lane));
  set_held_back_by(nullptr);
  return true;
}

// Closed clients are removed at once, even if the merge waits for others.
void Pipeline::look_at_reported_clients() {
  std::vector<std::shared_ptr<ClientFeed>> reported = pressure_.take_reported();
  std::ranges::move(std::exchange(reported_, {}), std::back_inserter(reported));
  for (std::shared_ptr<ClientFeed>& feed : reported) {
    const auto idle = idle_.find(feed.get());
    if (idle != idle_.end())
      look_at_idle(*idle->second);
    else if (feed->slot == ClientFeed::kNowhere)
      reported_.push_back(std::move(feed));
    else if (feed->slot != ClientFeed::kGone)
      look_at_closed(*lanes_[feed->slot]);
  }
}

void Pipeline::look_at_closed(Lane& lane) {
  if (!lane.empty()) return;  // It will be polled again.
  const Fetched fetched = fetch(lane, last_begin_);
  if (fetched == Fetched::End)
    forget(take_out(lane.feed->slot));
  else
    tree_.set({lane.time(), lane.feed->number(), lane.feed->slot});
}

// With records, or a promise that does not hold the merge back, it takes part again.
void Pipeline::look_at_idle(Lane& lane) {
  lane.feed->rest();
  const Fetched fetched = fetch(lane, last_begin_);
  if (fetched == Fetched::Nothing && lane.promise <= last_begin_) return;
  {
    const std::lock_guard lock(mutex_);
    idle_names_.erase(lane.feed->number());
  }
  const auto found = idle_.find(lane.feed.get());
  std::unique_ptr<Lane> woken = std::move(found->second);
  idle_.erase(found);
  if (fetched == Fetched::End)
    forget(std::move(woken));
  else
    add(std::move(woken));
}

}  // namespace serval
