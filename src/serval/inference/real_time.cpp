#include "serval/inference/real_time.h"

#include <algorithm>

namespace serval {
namespace {

// The number of the ascending `ends` below `begin`, by galloping search from `hint`: O(1) if the begin
// is close to its predecessor's answer, which is the common case.
std::uint32_t count_below(const std::vector<Time>& ends, Time begin, std::uint32_t hint) {
  auto low = ends.begin();
  auto high = ends.end();
  std::ptrdiff_t step = 1;
  auto at = ends.begin() + hint;
  if (at != ends.end() && *at < begin) {
    while (at != ends.end() && *at < begin) {
      low = at + 1;
      at = ends.end() - at > step ? at + step : ends.end();
      step *= 2;
    }
    high = at;
  } else {
    high = at;
    while (at != ends.begin()) {
      at = at - ends.begin() > step ? at - step : ends.begin();
      if (*at < begin) {
        low = at + 1;
        break;
      }
      high = at;
      step *= 2;
    }
  }
  return static_cast<std::uint32_t>(std::lower_bound(low, high, begin) - ends.begin());
}

}  // namespace

RealTimeOrder real_time_order(const History& history, const std::vector<bool>& takes_part, Budget& budget) {
  RealTimeOrder order;
  order.predecessors.assign(history.transaction_count(), RealTimeOrder::kNothing);
  for (const TransactionId t : history.transactions()) {
    if (takes_part[t.index] && history.outcome(t) == Outcome::Committed &&
        history.interval(t).end != kUnknownEnd)
      order.by_end.push_back(t);
  }
  const auto end_of = [&](TransactionId t) { return history.interval(t).end; };
  budget.look("real-time order");
  if (!std::ranges::is_sorted(order.by_end, {}, end_of)) std::ranges::stable_sort(order.by_end, {}, end_of);
  budget.look("real-time order");
  std::vector<Time> ends;
  ends.reserve(order.by_end.size());
  for (const TransactionId t : order.by_end) ends.push_back(end_of(t));

  std::uint32_t hint = 0;
  for (const TransactionId t : history.transactions()) {
    budget.poll("real-time order");
    if (!takes_part[t.index] || history.interval(t).begin == kUnknownBegin) continue;
    order.predecessors[t.index] = hint = count_below(ends, history.interval(t).begin, hint);
  }
  return order;
}

std::optional<std::string> find_clock_contradiction(const History& history) {
  const auto name = [&](TransactionId t) { return "transaction " + history.format(history.label(t)); };
  for (const SessionId session : history.sessions()) {
    TransactionId latest = TransactionId::none();  // The latest begin in the session so far.
    for (const TransactionId t : history.session_transactions(session)) {
      const Interval interval = history.interval(t);
      if (interval.end < interval.begin) return name(t) + " ends before it begins";
      if (!latest.is_none() && interval.end < history.interval(latest).begin)
        return name(t) + " ends before " + name(latest) + " begins, which precedes it in its session";
      if (interval.begin != kUnknownBegin &&
          (latest.is_none() || interval.begin > history.interval(latest).begin))
        latest = t;
    }
  }
  return std::nullopt;
}

}  // namespace serval
