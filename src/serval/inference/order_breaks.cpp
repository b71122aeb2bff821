#include "serval/inference/order_breaks.h"

#include <limits>
#include <vector>

#include <fmt/format.h>

#include "serval/inference/expected_order.h"

namespace serval {
namespace {

constexpr std::uint32_t kUnplaced = std::numeric_limits<std::uint32_t>::max();

// By position: the transactions before it that are visible.
std::uint32_t shown_at(std::span<const std::uint32_t> visible, std::uint32_t position) {
  return visible.empty() ? position : visible[position];
}

}  // namespace

std::string OrderBreak::format(const History& history) const {
  return fmt::format(
      "{} comes before {}, {}", name_of(history, early), name_of(history, predecessor),
      of == Of::Session ? "which precedes it in its session" : "which had ended when it began");
}

std::optional<OrderBreak> break_of_sessions(const History& history, std::span<const TransactionId> order,
                                            std::span<const std::uint32_t> visible) {
  std::vector<std::uint32_t> places(history.transaction_count(), kUnplaced);
  for (std::uint32_t i = 0; i < order.size(); ++i) places[order[i].index] = i;
  for (const SessionId s : history.sessions()) {
    std::uint32_t last = kUnplaced;  // The greatest place so far.
    for (const TransactionId t : history.session_transactions(s)) {
      const std::uint32_t place = places[t.index];
      if (place == kUnplaced) continue;
      if (last != kUnplaced && last >= shown_at(visible, place))
        return OrderBreak{OrderBreak::Of::Session, t, order[last]};
      if (last == kUnplaced || place > last) last = place;
    }
  }
  return std::nullopt;
}

std::optional<OrderBreak> break_of_real_time(const History& history, std::span<const TransactionId> order,
                                             std::span<const std::uint32_t> visible) {
  // By position: which committed transaction ended first, of this one and those after it.
  std::vector<TransactionId> first(order.size() + 1, TransactionId::none());
  for (std::size_t i = order.size(); i-- > 0;) {
    const bool committed = history.outcome(order[i]) == Outcome::Committed;
    const bool earlier = committed && (first[i + 1].is_none() ||
                                       history.interval(order[i]).end < history.interval(first[i + 1]).end);
    first[i] = earlier ? order[i] : first[i + 1];
  }
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const TransactionId other = first[shown_at(visible, i)];
    if (other.is_none() || other == order[i]) continue;
    if (history.interval(other).end < history.interval(order[i]).begin)
      return OrderBreak{OrderBreak::Of::RealTime, order[i], other};
  }
  return std::nullopt;
}

}  // namespace serval
