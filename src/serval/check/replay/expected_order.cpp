#include "serval/check/replay/expected_order.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace serval {
namespace {

struct Place {
  std::int64_t timestamp = 0;
  bool only_reads = false;  // Comes after the commit with its timestamp.
  Time end = kUnknownEnd;
  TransactionId transaction;

  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.timestamp, a.only_reads, a.end, a.transaction.index) <
           std::tie(b.timestamp, b.only_reads, b.end, b.transaction.index);
  }
};

bool only_reads(const History& history, TransactionId t) {
  for (const OperationId op : history.operations(t)) {
    switch (history.kind(op)) {
      case OperationKind::Read:
      case OperationKind::ReadList:
      case OperationKind::InsertMiss:
      case OperationKind::CompareAndSetMiss:
      case OperationKind::PredicateRead:
        continue;
      case OperationKind::PredicateUpdate:
      case OperationKind::PredicateDelete:
        if (history.rows(op).empty()) continue;
        return false;
      default:
        return false;
    }
  }
  return true;
}

ExpectedOrder in_order(std::vector<Place> places) {
  if (!std::ranges::is_sorted(places, std::less<>{})) std::ranges::sort(places, std::less<>{});
  ExpectedOrder out;
  out.transactions.reserve(places.size());
  for (const Place& place : places) out.transactions.push_back(place.transaction);
  return out;
}

}  // namespace

ExpectedOrder order_by_timestamps(const History& history) {
  if (!history.has_hints()) return {{}, "no transaction has a timestamp from the database"};
  std::vector<Place> places;
  places.reserve(history.transaction_count());
  for (const TransactionId t : history.transactions()) {
    const TransactionHints* hints = history.hints(t);
    const bool commits = hints != nullptr && hints->commit_timestamp;
    const Outcome outcome = history.outcome(t);
    if (outcome == Outcome::Aborted || (outcome == Outcome::Indeterminate && !commits)) continue;
    const Time end = outcome == Outcome::Committed ? history.interval(t).end : kUnknownEnd;
    if (commits) {
      places.push_back({*hints->commit_timestamp, false, end, t});
    } else if (hints != nullptr && hints->start_timestamp && only_reads(history, t)) {
      places.push_back({*hints->start_timestamp, true, end, t});
    } else {
      return {{}, fmt::format("{} committed without a timestamp", name_of(history, t))};
    }
  }
  return in_order(std::move(places));
}

ExpectedOrder order_by_completion(const History& history) {
  std::vector<Place> places;
  for (const TransactionId t : history.transactions())
    if (history.outcome(t) == Outcome::Committed) places.push_back({0, false, history.interval(t).end, t});
  return in_order(std::move(places));
}

ExpectedOrder given_order(const History& history, std::vector<TransactionId> transactions) {
  std::vector<bool> placed(history.transaction_count(), false);
  for (const TransactionId t : transactions) {
    if (t.index >= placed.size()) return {{}, "the order names a transaction that does not exist"};
    if (placed[t.index]) return {{}, fmt::format("the order names {} twice", name_of(history, t))};
    if (history.outcome(t) == Outcome::Aborted)
      return {{}, fmt::format("the order names {}, which aborted", name_of(history, t))};
    placed[t.index] = true;
  }
  for (const TransactionId t : history.transactions())
    if (history.outcome(t) == Outcome::Committed && !placed[t.index])
      return {{}, fmt::format("the order lacks {}, which committed", name_of(history, t))};
  return {std::move(transactions), {}};
}

std::string name_of(const History& history, TransactionId t) {
  return "T" + history.format(history.label(t));
}

}  // namespace serval
