#include "serval/online/partitioned_mirror.h"

#include <algorithm>
#include <bit>

#include "serval/base/contract.h"

namespace serval::online {
namespace {

constexpr std::uint32_t kNoMeeting = 0xFFFFFFFFu;

constexpr int kStepsAtOnce = 128;
constexpr int kLooksBeforeYielding = 64;

// Whether different partitions hold reads of one snapshot, or such a read and a write that
// first-updater-wins compares with it.
bool spans(const LiveTransaction& transaction, const KeyCatalog& keys) {
  const Profile& profile = *transaction.profile;
  if (transaction.state != LiveTransaction::State::Committed) return false;
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t of_snapshot = kNone, of_statement = kNone, statement = kNone;
  for (const Access& access : transaction.accesses) {
    const std::uint32_t partition = keys.place(access.key).partition;
    const bool by_statement =
        profile.snapshot == SnapshotPoint::Statement || access.mode == ReadMode::Locking;
    if (access.kind == Access::Kind::Read && by_statement) {
      if (statement == access.statement && partition != of_statement) return true;
      statement = access.statement;
      of_statement = partition;
    } else if (profile.one_clock && access.kind != Access::Kind::Lock) {
      if (access.kind == Access::Kind::Write && !profile.first_updater_wins) continue;
      if (of_snapshot != kNone && partition != of_snapshot) return true;
      of_snapshot = partition;
    }
  }
  return false;
}

}  // namespace

void PartitionedMirror::Batch::clear() {
  events.clear();
  facts.clear();
  meeting_count = 0;
  accesses = 0;
  done.clear();
  for (Found& part : found) {
    part.findings.clear();
    part.ends.clear();
  }
}

PartitionedMirror::PartitionedMirror(const Profile& profile, const KeyCatalog& keys,
                                     const OnlineOptions& options)
    : keys_(keys), join_(profile, keys.names(), options) {
  expects(keys.partitions() <= 32, "one bit per partition");
  for (std::uint32_t i = 0; i < keys.partitions(); ++i)
    lanes_.emplace_back().keys =
        std::make_unique<KeyPartition>(profile, keys.names(), join_.oldest_participant(), options);
  for (Batch& batch : batches_) batch.found.resize(lanes_.size());
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) threads_.emplace_back([this, i] { run(i); });
}

PartitionedMirror::~PartitionedMirror() {
  stopping_ = true;
  signal_.fetch_add(1);
  signal_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Waits for a free batch, which bounds the work in progress.
PartitionedMirror::Batch& PartitionedMirror::open_batch() {
  const std::uint64_t number = published_.load(std::memory_order_relaxed);
  if (is_open_) return batch(number);
  while (number >= joined_.load(std::memory_order_acquire) + kMostBatches)
    if (work_anywhere(0) != Progress::Moved) std::this_thread::yield();
  is_open_ = true;
  return batch(number);
}

void PartitionedMirror::note(const KeyFact& fact) {
  Batch& batch = open_batch();
  batch.events.push_back(
      {.kind = Event::Kind::Note, .number = static_cast<std::uint32_t>(batch.facts.size())});
  batch.facts.push_back(fact);
}

void PartitionedMirror::split(LiveTransaction& transaction) const {
  transaction.parts.resize(lanes_.size());
  for (std::uint32_t i = 0; i < transaction.accesses.size(); ++i)
    transaction.parts[keys_.place(transaction.accesses[i].key).partition].push_back(i);
  transaction.spans_partitions = spans(transaction, keys_);
}

void PartitionedMirror::install(LiveTransaction& transaction, Time horizon) {
  split(transaction);
  Batch& batch = open_batch();
  batch.events.push_back({.kind = Event::Kind::Install, .transaction = &transaction, .horizon = horizon});
}

void PartitionedMirror::judge(LiveTransaction& transaction) {
  Batch& batch = open_batch();
  Event event{.kind = Event::Kind::Judge, .number = kNoMeeting, .transaction = &transaction};
  if (transaction.spans_partitions) {
    event.number = static_cast<std::uint32_t>(batch.meeting_count++);
    if (event.number == batch.meetings.size()) batch.meetings.emplace_back();
    Meeting& meeting = batch.meetings[event.number];
    meeting.arrived.store(0, std::memory_order_relaxed);
    meeting.disturbed.store(0, std::memory_order_relaxed);
    meeting.over.store(false, std::memory_order_relaxed);
    meeting.expected = 0;
    for (std::uint32_t i = 0; i < transaction.parts.size(); ++i)
      if (!transaction.parts[i].empty()) meeting.expected |= 1u << i;
  }
  batch.events.push_back(event);
  batch.accesses += transaction.accesses.size();
  release(transaction);
  if (batch.accesses >= kBatchAccesses) flush();
}

void PartitionedMirror::release(LiveTransaction& transaction) { open_batch().done.push_back(&transaction); }

void PartitionedMirror::forget_before(Time horizon) {
  open_batch().events.push_back({.kind = Event::Kind::Forget, .horizon = horizon});
}

void PartitionedMirror::flush() {
  if (!is_open_) return;
  is_open_ = false;
  Batch& filled = batch(published_.load(std::memory_order_relaxed));
  filled.working.store(static_cast<std::uint32_t>(lanes_.size()), std::memory_order_relaxed);
  published_.fetch_add(1, std::memory_order_release);
  signal_.fetch_add(1);
  signal_.notify_all();
}

void PartitionedMirror::settle() {
  flush();
  while (joined_.load(std::memory_order_acquire) != published_.load(std::memory_order_relaxed))
    if (work_anywhere(0) != Progress::Moved) std::this_thread::yield();
}

void PartitionedMirror::give_back(std::vector<LiveTransaction*>& done, std::vector<Report>& found) {
  const std::lock_guard lock(result_mutex_);
  done.insert(done.end(), done_.begin(), done_.end());
  done_.clear();
  for (Report& report : reports_) found.push_back(std::move(report));
  reports_.clear();
}

std::uint64_t PartitionedMirror::returned_keys() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.keys->returned_keys();
  return sum;
}

OnlineStatistics PartitionedMirror::statistics() {
  settle();
  OnlineStatistics out = join_.statistics();
  for (const Lane& lane : lanes_) add_to(out, lane.keys->statistics());
  return out;
}

void PartitionedMirror::run(std::uint32_t own) noexcept {
  int looks = 0;
  while (!stopping_) {
    const std::uint32_t signal = signal_.load();
    switch (work_anywhere(own)) {
      case Progress::Moved:
        looks = 0;
        break;
      case Progress::Blocked:
        if (++looks > kLooksBeforeYielding) std::this_thread::yield();
        break;
      case Progress::Idle:
        signal_.wait(signal);
        break;
    }
  }
}

PartitionedMirror::Progress PartitionedMirror::work_anywhere(std::uint32_t own) {
  Progress all = Progress::Idle;
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    const Progress there = work((own + i) % static_cast<std::uint32_t>(lanes_.size()));
    if (there == Progress::Moved) return there;
    if (there == Progress::Blocked) all = there;
  }
  return all;
}

PartitionedMirror::Progress PartitionedMirror::work(std::uint32_t number) {
  Lane& lane = lanes_[number];
  const std::unique_lock lock(lane.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return Progress::Blocked;
  bool moved = false;
  for (int i = 0; i < kStepsAtOnce; ++i) {
    const Progress progress = step(lane, number);
    if (progress != Progress::Moved) return moved ? Progress::Moved : progress;
    moved = true;
  }
  return Progress::Moved;
}

PartitionedMirror::Progress PartitionedMirror::step(Lane& lane, std::uint32_t number) {
  if (lane.batch == published_.load(std::memory_order_acquire)) return Progress::Idle;
  Batch& current = batch(lane.batch);
  if (lane.event == 0 && !lane.met) std::swap(current.found[number].findings, lane.keys->found());
  if (lane.event == current.events.size()) {
    finish_batch(lane, number, current);
    return Progress::Moved;
  }
  const Event& event = current.events[lane.event];
  if (event.kind == Event::Kind::Judge) {
    if (!judge(lane, number, event, current)) return Progress::Blocked;
    current.found[number].ends.push_back(lane.keys->found().all().size());
  } else {
    pass(lane, number, event, current);
  }
  ++lane.event;
  return Progress::Moved;
}

void PartitionedMirror::pass(Lane& lane, std::uint32_t number, const Event& event, Batch& batch) {
  if (event.kind == Event::Kind::Install)
    lane.keys->install(*event.transaction, event.transaction->parts[number], event.horizon);
  if (event.kind == Event::Kind::Note && batch.facts[event.number].place.partition == number)
    lane.keys->note(batch.facts[event.number]);
}

// False: not yet.
bool PartitionedMirror::judge(Lane& lane, std::uint32_t number, const Event& event, Batch& batch) {
  const LiveTransaction& transaction = *event.transaction;
  if (transaction.parts[number].empty()) return true;
  if (event.number != kNoMeeting) return meet(lane, number, transaction, batch.meetings[event.number]);
  lane.keys->judge(transaction, transaction.parts[number]);
  return true;
}

bool PartitionedMirror::meet(Lane& lane, std::uint32_t number, const LiveTransaction& transaction,
                             Meeting& meeting) {
  const std::uint32_t me = 1u << number;
  const std::vector<std::uint32_t>& part = transaction.parts[number];
  if (!lane.met) {
    lane.met = lane.keys->is_disturbed(transaction, part);
    if (lane.met) meeting.disturbed.fetch_or(me, std::memory_order_relaxed);
    meeting.arrived.fetch_or(me, std::memory_order_acq_rel);
    if (!lane.met) {
      lane.keys->judge_prepared(transaction, part);
      return true;
    }
  }
  if (meeting.arrived.load(std::memory_order_acquire) != meeting.expected) return false;
  const std::uint32_t disturbed = meeting.disturbed.load(std::memory_order_relaxed);
  if (disturbed == me) {
    lane.keys->judge_prepared(transaction, part);
  } else if (std::countr_zero(disturbed) == static_cast<int>(number)) {
    judge_for_all(transaction, disturbed, number);
    meeting.over.store(true, std::memory_order_release);
  } else if (!meeting.over.load(std::memory_order_acquire)) {
    return false;
  }
  lane.met = false;
  return true;
}

// The others wait at the same transaction until this is over.
void PartitionedMirror::judge_for_all(const LiveTransaction& transaction, std::uint32_t disturbed,
                                      std::uint32_t number) {
  std::vector<KeyPartition*> others;
  std::vector<std::uint32_t> accesses;
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    if ((disturbed >> i & 1u) == 0) continue;
    if (i != number) others.push_back(lanes_[i].keys.get());
    accesses.insert(accesses.end(), transaction.parts[i].begin(), transaction.parts[i].end());
  }
  std::ranges::sort(accesses);
  lanes_[number].keys->judge_for(others, transaction, accesses);
}

void PartitionedMirror::finish_batch(Lane& lane, std::uint32_t number, Batch& batch) {
  std::swap(batch.found[number].findings, lane.keys->found());
  ++lane.batch;
  lane.event = 0;
  if (batch.working.fetch_sub(1, std::memory_order_acq_rel) == 1) join_what_is_through();
}

// Batches finish in order, because each partition processes them in order. If another thread is joining
// already, leaves it to that thread, which checks again afterwards.
void PartitionedMirror::join_what_is_through() {
  const auto is_through = [&] {
    const std::uint64_t next = joined_.load(std::memory_order_acquire);
    return next != published_.load(std::memory_order_acquire) &&
           batch(next).working.load(std::memory_order_acquire) == 0;
  };
  while (is_through()) {
    const std::unique_lock lock(join_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    while (is_through()) {
      Batch& next = batch(joined_.load(std::memory_order_relaxed));
      join(next);
      std::vector<Report> reports = join_.take_reports();
      const std::lock_guard results(result_mutex_);
      done_.insert(done_.end(), next.done.begin(), next.done.end());
      for (Report& report : reports) reports_.push_back(std::move(report));
      next.clear();
      joined_.fetch_add(1, std::memory_order_release);
    }
  }
}

void PartitionedMirror::join(Batch& batch) {
  std::vector<std::size_t> from(lanes_.size(), 0);
  std::size_t judged = 0;
  for (const Event& event : batch.events) {
    switch (event.kind) {
      case Event::Kind::Note:
        break;
      case Event::Kind::Install:
        join_.add(*event.transaction);
        break;
      case Event::Kind::Judge:
        join_findings(batch, *event.transaction, judged++, from);
        join_.complete(*event.transaction);
        break;
      case Event::Kind::Forget:
        join_.forget_before(event.horizon);
        break;
    }
  }
}

// The findings of each partition are in order.
void PartitionedMirror::join_findings(Batch& batch, const LiveTransaction& transaction, std::size_t judged,
                                      std::vector<std::size_t>& from) {
  for (;;) {
    std::size_t first = batch.found.size();
    std::uint64_t order = 0;
    for (std::size_t i = 0; i < batch.found.size(); ++i) {
      if (from[i] == batch.found[i].ends[judged]) continue;
      const std::uint64_t next = batch.found[i].findings.all()[from[i]].order;
      if (first != batch.found.size() && next >= order) continue;
      first = i;
      order = next;
    }
    if (first == batch.found.size()) return;
    Findings& findings = batch.found[first].findings;
    join_.take(transaction, findings.all()[from[first]++], findings);
  }
}

}  // namespace serval::online
