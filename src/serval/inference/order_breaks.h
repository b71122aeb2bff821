#pragma once
// Where an order of the transactions contradicts the sessions or real time. With `visible` (by position:
// how many transactions a snapshot shows), predecessors must be visible; without it, a transaction sees
// everything before it.
//
//   break_of_sessions(history, order)     // T2 comes before T1, which precedes it in its session
//
// O(transactions).

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "serval/history/history.h"

namespace serval {

struct OrderBreak {
  enum class Of : std::uint8_t { Session, RealTime };

  Of of;
  TransactionId early, predecessor;

  // "T2 comes before T1, which precedes it in its session"
  std::string format(const History& history) const;
};

std::optional<OrderBreak> break_of_sessions(const History& history, std::span<const TransactionId> order,
                                            std::span<const std::uint32_t> visible = {});
// `predecessor` had ended before `early` began.
std::optional<OrderBreak> break_of_real_time(const History& history, std::span<const TransactionId> order,
                                             std::span<const std::uint32_t> visible = {});

}  // namespace serval
