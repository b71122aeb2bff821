#include "serval/watch/watch_doubts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace serval::watch {
namespace {

using online::CitedRecord;
using online::Derivation;
using online::Mechanism;
using online::Violation;

constexpr std::size_t kByThemselves = 20;

Time later(Time time, Time span) { return time > kUnknownEnd - span ? kUnknownEnd : time + span; }

template <typename Test>
bool all_records(const Violation& violation, const Test& test) {
  return std::ranges::all_of(violation.first.records, test) &&
         std::ranges::all_of(violation.second.records, test);
}

// A snapshot was taken before the first response, unless later reads narrow it further.
bool is_known_by_time(const CitedRecord& record, const WatchLabels& labels) {
  if (record.action != "snapshot") return true;
  const WatchLabels::Transaction* const transaction = labels.find(record.transaction);
  return transaction != nullptr && transaction->first_answer <= record.time.end;
}

// D1
bool depends_on_others(const Violation& violation, const WatchLabels& labels) {
  if (violation.mechanism == Mechanism::MutualExclusion || violation.kind == AnomalyKind::NotMyOwnWrite)
    return false;
  if (violation.mechanism != Mechanism::FirstUpdaterWins) return true;
  return !all_records(violation, [&](const CitedRecord& record) { return is_known_by_time(record, labels); });
}

bool is_of_reader(const CitedRecord& record, const Violation& violation) {
  return !violation.transactions.empty() && record.transaction == violation.transactions.front();
}

// D2
bool was_read_before(Time since, const Violation& violation) {
  const bool reads = violation.mechanism == Mechanism::ConsistentRead;
  return all_records(violation, [&](const CitedRecord& record) {
    return (reads && !is_of_reader(record, violation)) || record.time.end <= since;
  });
}

Time begin_of_reads(const Violation& violation) {
  Time begin = kUnknownEnd;
  for (const Derivation* derivation : {&violation.first, &violation.second})
    for (const CitedRecord& record : derivation->records)
      if (is_of_reader(record, violation)) begin = std::min(begin, record.time.begin);
  return begin;
}

// D3
bool was_replaced_after(Time until, const Violation& violation) {
  if (violation.mechanism != Mechanism::ConsistentRead)
    return all_records(violation, [&](const CitedRecord& record) { return record.time.begin > until; });
  const Time begin = begin_of_reads(violation);
  const auto is_firm = [&](const CitedRecord& record) {
    return !is_of_reader(record, violation) && record.time.begin > until && record.time.end < begin;
  };
  const bool first = std::ranges::any_of(violation.first.records, is_firm);
  const bool second = std::ranges::any_of(violation.second.records, is_firm);
  const bool is_about_one_key = violation.kind != AnomalyKind::ReadSkewRealTime;
  return is_about_one_key ? first || second : first && second;
}

// D4
bool began_after(Time known, const Violation& violation, const WatchLabels& labels) {
  const auto is_later = [&](std::uint64_t number) {
    const WatchLabels::Transaction* const transaction = labels.find(number);
    return transaction != nullptr && transaction->begin >= known;
  };
  if (violation.mechanism == Mechanism::ConsistentRead) return is_later(violation.transactions.front());
  return std::ranges::all_of(violation.transactions, is_later);
}

}  // namespace

bool may_explain(const Doubt& doubt, const Violation& violation, const DoubtContext& context) {
  return depends_on_others(violation, context.labels) && !was_read_before(doubt.since, violation) &&
         (context.reads_of_any_age || !was_replaced_after(doubt.until, violation)) &&
         !began_after(doubt.known_from, violation, context.labels);
}

void WatchDoubts::add(Doubt doubt) {
  doubt.until = doubt.until == kUnknownBegin ? kUnknownEnd : later(doubt.until, grace_);
  const std::lock_guard lock(mutex_);
  ++count_;
  if (first_.size() < kByThemselves) return first_.push_back(std::move(doubt));
  if (count_ == kByThemselves + 1)
    others_ = {.who = {}, .what = {}, .since = doubt.since, .until = doubt.until};
  others_.since = std::min(others_.since, doubt.since);
  others_.until = std::max(others_.until, doubt.until);
  others_.who = fmt::format("{} more clients", count_ - kByThemselves);
  others_.what = "ended without their last record or were refused";
}

std::string WatchDoubts::about(const Violation& violation, const DoubtContext& context) const {
  const std::lock_guard lock(mutex_);
  for (const Doubt& doubt : first_)
    if (may_explain(doubt, violation, context)) return doubt.format();
  if (count_ > kByThemselves && may_explain(others_, violation, context)) return others_.format();
  return {};
}

std::uint64_t WatchDoubts::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

std::vector<std::string> WatchDoubts::format() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const Doubt& doubt : first_) out.push_back(doubt.format());
  if (count_ > kByThemselves) out.push_back(others_.format());
  return out;
}

}  // namespace serval::watch
