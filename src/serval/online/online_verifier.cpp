#include "serval/online/online_verifier.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/base/contract.h"

namespace serval::online {

using State = LiveTransaction::State;

OnlineVerifier::OnlineVerifier(const Profile& profile, OnlineOptions options)
    : profile_(profile),
      options_(options),
      keys_(options.partitions),
      intake_(profile, keys_),
      hot_keys_(options.hot_keys),
      mirror_(make_mirror(profile, keys_, options)) {}

void OnlineVerifier::accept(const Record& record) {
  ++statistics_.records;
  if (record.kind == RecordKind::Initial) {
    intake_.note_initial(record);
    return pass_facts();
  }
  expects(record.time.begin >= frontier_, "records arrive in order of their begin (R1)");
  if (record.time.begin > frontier_) advance(record.time.begin);
  if (record.kind == RecordKind::Heartbeat) return;
  LiveTransaction& transaction = open(record);
  if (record.kind == RecordKind::Operation) {
    ++statistics_.operations;
    intake_.note(record, transaction);
    if (!intake_.facts().empty()) pass_facts();
  } else if (ends_transaction(record.kind)) {
    end(record);
  }
}

void OnlineVerifier::pass_facts() {
  for (const KeyFact& fact : intake_.facts()) mirror_->note(fact);
  intake_.facts().clear();
}

// The open transaction of the record's session, or a new one.
LiveTransaction& OnlineVerifier::open(const Record& record) {
  if (record.session >= open_.size()) open_.resize(record.session + 1, nullptr);
  LiveTransaction* transaction = open_[record.session];
  if (transaction != nullptr && transaction->number == record.transaction) return *transaction;
  if (transaction != nullptr) lose(record.session);
  transaction = open_[record.session] = &take_slot();
  intake_.begin(record, *transaction);
  return *transaction;
}

// Its end is missing: it may have taken effect.
void OnlineVerifier::lose(std::uint32_t session) {
  const LiveTransaction& transaction = *open_[session];
  Record lost;
  lost.kind = RecordKind::Indeterminate;
  lost.session = session;
  lost.transaction = transaction.number;
  lost.time = {transaction.last_operation, kUnknownEnd};
  end(lost);
}

LiveTransaction& OnlineVerifier::take_slot() {
  if (free_slots_.empty()) collect();
  if (free_slots_.empty()) return slots_.emplace_back();
  LiveTransaction* transaction = free_slots_.back();
  free_slots_.pop_back();
  return *transaction;
}

void OnlineVerifier::end(const Record& record) {
  LiveTransaction& transaction = *std::exchange(open_[record.session], nullptr);
  intake_.close(record, transaction);
  transaction.ended = ends_ + 1;
  count_end(transaction);
  mirror_->install(transaction, horizon_);
  if (transaction.state == State::Indeterminate) {
    transaction.judged = judged_;
    mirror_->release(transaction);
  } else {
    waiting_.push_back({transaction.end.end, ends_, &transaction});
    std::ranges::push_heap(waiting_, std::greater<>{});
  }
  if (++ends_ % kEndsBetweenLooks == 0) look_for_garbage();
}

void OnlineVerifier::count_end(LiveTransaction& transaction) {
  switch (transaction.state) {
    case State::Committed:
      ++statistics_.committed;
      if (transaction.in_graph) transaction.participant = {++participants_};
      if (!unexplained_.empty()) look_for_late_writers(transaction);
      break;
    case State::Aborted:
      ++statistics_.aborted;
      note_aborted_writes(transaction);
      break;
    default:
      ++statistics_.indeterminate;
  }
}

// A read saw this value before its commit began: the clocks disagree, or the database showed uncommitted
// data.
void OnlineVerifier::look_for_late_writers(const LiveTransaction& transaction) {
  for (const Access& access : transaction.accesses) {
    if (access.kind != Access::Kind::Write) continue;
    std::erase_if(unexplained_, [&](const Report::Unwritten& read) {
      if (read.key != access.key || !(read.value == access.value)) return false;
      if (transaction.ended <= read.ended_before) return false;
      ++statistics_.reads_ahead;
      statistics_.largest_lead =
          std::max(statistics_.largest_lead, span_of({read.read_by, transaction.end.begin}));
      return true;
    });
  }
}

void OnlineVerifier::note_aborted_writes(const LiveTransaction& transaction) {
  for (const Access& access : transaction.accesses) {
    if (access.kind != Access::Kind::Write) continue;
    if (aborted_writes_.size() >= kRememberedAborts) aborted_writes_.pop_front();
    aborted_writes_.push_back(
        {access.key, access.value, transaction.number, transaction.session, access.time, transaction.ended});
  }
}

// Every record that begins before `frontier` has arrived.
void OnlineVerifier::advance(Time frontier) {
  frontier_ = frontier;
  if (waiting_.empty() || waiting_.front().end >= frontier) return;
  // Versions that may be installed before their commit begins must be known too.
  if (profile_.install == InstallPoint::Anytime) frontier = std::min(frontier, earliest_open());
  while (!waiting_.empty() && waiting_.front().end < frontier) {
    LiveTransaction& transaction = *waiting_.front().transaction;
    std::ranges::pop_heap(waiting_, std::greater<>{});
    waiting_.pop_back();
    transaction.judged = ++judged_;
    transaction.ended_before = ends_;
    mirror_->judge(transaction);
    if (options_.partitions == 1) collect();
  }
}

Time OnlineVerifier::earliest_open() const {
  Time earliest = kUnknownEnd;
  for (const LiveTransaction* transaction : open_)
    if (transaction != nullptr) earliest = std::min(earliest, transaction->begin);
  return earliest;
}

void OnlineVerifier::look_for_garbage() {
  if (!options_.forgets) return;
  Time horizon = std::min(frontier_, earliest_open());
  for (const Waiting& waiting : waiting_) horizon = std::min(horizon, waiting.transaction->begin);
  if (profile_.freshness == Freshness::Any)
    horizon = horizon < kUnknownBegin + options_.retention ? kUnknownBegin : horizon - options_.retention;
  horizon_ = std::max(horizon_, horizon);
  mirror_->forget_before(horizon_);
  if (keys_.size() > hot_keys_ || !retired_keys_.empty()) look_for_cold_keys();
}

// Of keys that only forgotten transactions have used, only the last value matters. Evicts a few at a
// time, and more if many new keys arrive.
void OnlineVerifier::look_for_cold_keys() {
  constexpr std::size_t kLooks = 32, kMostPasts = 4096;
  const std::uint64_t oldest = mirror_->oldest_participant();
  if (pasts_.size() < kMostPasts) pasts_.push_back({horizon_, participants_});
  for (; !pasts_.empty() && pasts_.front().participants < oldest; pasts_.pop_front())
    forgotten_ = pasts_.front().time;
  recycle_keys(oldest);
  const std::size_t more = keys_.size() > keys_at_last_look_ ? keys_.size() - keys_at_last_look_ : 0;
  if (keys_.size() > hot_keys_)
    keys_.evict(forgotten_, kLooks + 4 * more, [&](std::uint32_t key) {
      mirror_->note({.place = keys_.place(key), .name = keys_.names().hash(key), .is_evicted = true});
      retired_keys_.push_back({key, participants_});
      ++evicted_;
    });
  keys_at_last_look_ = keys_.size();
  adapt_hot_keys();
}

// The number of an evicted key is reused once nothing refers to it any more.
void OnlineVerifier::recycle_keys(std::uint64_t oldest) {
  if (retired_keys_.empty() || retired_keys_.front().participants >= oldest) return;
  collect();
  absl::flat_hash_set<std::uint32_t> recycled;
  for (; !retired_keys_.empty() && retired_keys_.front().participants < oldest; retired_keys_.pop_front())
    recycled.insert(retired_keys_.front().number);
  const auto is_recycled = [&](const auto& cited) { return recycled.contains(cited.key); };
  std::erase_if(aborted_writes_, is_recycled);
  std::erase_if(unexplained_, is_recycled);
  for (const std::uint32_t key : recycled) keys_.recycle(key);
}

// If evicted keys soon come back, the limit is too low.
void OnlineVerifier::adapt_hot_keys() {
  constexpr std::uint64_t kEnough = 4096;
  if (evicted_ - evicted_before_ < kEnough) return;
  const std::uint64_t returned = mirror_->returned_keys();
  if (2 * (returned - returned_before_) > evicted_ - evicted_before_) hot_keys_ *= 2;
  evicted_before_ = evicted_;
  returned_before_ = returned;
}

// Collects findings. Violations that read uncommitted values get the names of the writers, if still
// known.
void OnlineVerifier::collect() {
  const std::size_t before = free_slots_.size();
  mirror_->give_back(free_slots_, reports_);
  name_writers();
  for (Report& report : reports_) violations_.push_back(std::move(report.violation));
  reports_.clear();
  for (std::size_t i = before; i < free_slots_.size(); ++i) free_slots_[i]->restart();
}

// One pass over all open transactions, for any number of reports.
void OnlineVerifier::name_writers() {
  absl::flat_hash_map<std::pair<std::uint32_t, StoredValue>, std::vector<std::size_t>> asked;
  for (std::size_t i = 0; i < reports_.size(); ++i)
    if (const auto& read = reports_[i].unwritten) asked[{read->key, read->value}].push_back(i);
  if (asked.empty()) return;
  std::vector<std::vector<CitedRecord>> writers(reports_.size());
  const auto look_at = [&](const AbortedWrite& write, const auto& applies_to) {
    const auto found = asked.find({write.key, write.value});
    if (found == asked.end()) return;
    for (const std::size_t i : found->second) {
      const Report::Unwritten& read = *reports_[i].unwritten;
      if (write.time.begin > read.read_by || !applies_to(reports_[i])) continue;
      const char* and_then = write.ended <= read.ended_before ? ", and abort later" : "";
      writers[i].push_back(cite(
          write,
          fmt::format("write {} = {}{}", keys_.names().format(write.key), write.value.format(), and_then),
          write.time));
    }
  };
  for (const LiveTransaction& transaction : slots_) {
    if (transaction.state == State::Aborted) continue;
    const auto is_open = [&](const Report& report) {
      return transaction.judged == 0 || transaction.judged >= report.judged;
    };
    for (const Access& access : transaction.accesses)
      if (access.kind == Access::Kind::Write)
        look_at({access.key, access.value, transaction.number, transaction.session, access.time, kNotAborted},
                is_open);
  }
  for (const AbortedWrite& write : aborted_writes_) look_at(write, [](const Report&) { return true; });
  for (std::size_t i = 0; i < reports_.size(); ++i)
    if (reports_[i].unwritten) cite_writers(reports_[i], std::move(writers[i]));
  if (!unexplained_.empty()) look_for_past_writers();
}

// With several partitions, the writer may have committed since the read was judged.
void OnlineVerifier::look_for_past_writers() {
  std::vector<const LiveTransaction*> committed;
  for (const LiveTransaction& transaction : slots_)
    if (transaction.state == State::Committed) committed.push_back(&transaction);
  std::ranges::sort(committed, {}, &LiveTransaction::ended);
  for (const LiveTransaction* transaction : committed) look_for_late_writers(*transaction);
}

void OnlineVerifier::cite_writers(Report& report, std::vector<CitedRecord> writers) {
  if (writers.empty()) {
    if (unexplained_.size() >= kRememberedReads) unexplained_.pop_front();
    unexplained_.push_back(*report.unwritten);
  }
  std::ranges::sort(writers, {}, [](const CitedRecord& writer) {
    return std::pair(writer.time.begin, writer.transaction);
  });
  for (CitedRecord& writer : writers) {
    report.violation.kind = AnomalyKind::AbortedRead;
    report.violation.transactions.push_back(writer.transaction);
    report.violation.first.records.push_back(std::move(writer));
  }
}

std::span<const Violation> OnlineVerifier::violations() {
  mirror_->flush();
  collect();
  return violations_;
}

std::vector<Violation> OnlineVerifier::take_violations() {
  violations();
  return std::exchange(violations_, {});
}

std::uint64_t OnlineVerifier::violation_count() { return mirror_->violation_count(); }

OnlineStatistics OnlineVerifier::statistics() {
  OnlineStatistics out = mirror_->statistics();
  collect();
  add_to(out, statistics_);
  out.certifier = profile_.certifier;
  for (const LiveTransaction* transaction : open_) out.open_transactions += transaction != nullptr ? 1 : 0;
  return out;
}

OnlineResult OnlineVerifier::finish() {
  for (std::uint32_t session = 0; session < open_.size(); ++session)
    if (open_[session] != nullptr) lose(session);
  advance(kUnknownEnd);
  OnlineStatistics counted = statistics();
  return {.violations = violations_, .statistics = counted};
}

}  // namespace serval::online
