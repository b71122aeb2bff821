#include "serval/check/replay/check_by_replay.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "serval/check/replay/expected_order.h"
#include "serval/check/replay/replay.h"

namespace serval {
namespace {

// Weakest first.
constexpr std::array kSerialLevels{Level::Serializable, Level::StrongSessionSerializable,
                                   Level::StrictSerializable};

std::optional<Level> weakest_serial_level_above(Level level) {
  const auto found =
      std::ranges::find_if(kSerialLevels, [&](Level candidate) { return implies(candidate, level); });
  return found == kSerialLevels.end() ? std::nullopt : std::optional(*found);
}

Undecided precondition(std::string reason, std::vector<std::string> details = {}) {
  return {Undecided::Cause::Precondition, std::move(reason), std::move(details)};
}

ExpectedOrder expected_order(const History& history, const CheckOptions& options) {
  switch (options.expected_order.source) {
    case ExpectedOrderSource::Given:
      return given_order(history, options.expected_order.given);
    case ExpectedOrderSource::Completion:
      return order_by_completion(history);
    case ExpectedOrderSource::Timestamps:
      break;
  }
  return order_by_timestamps(history);
}

// Whether the order respects the sessions; empty if so.
std::string break_of_sessions(const History& history, std::span<const TransactionId> order) {
  constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> places(history.transaction_count(), kNowhere);
  for (std::uint32_t i = 0; i < order.size(); ++i) places[order[i].index] = i;
  for (const SessionId s : history.sessions()) {
    TransactionId before = TransactionId::none();
    for (const TransactionId t : history.session_transactions(s)) {
      if (places[t.index] == kNowhere) continue;
      if (!before.is_none() && places[t.index] < places[before.index])
        return fmt::format("{} comes before {}, which precedes it in its session", name_of(history, t),
                           name_of(history, before));
      before = t;
    }
  }
  return {};
}

// From the end, with the earliest end so far: a transaction must not come before one that ended before
// it began.
std::string break_of_real_time(const History& history, std::span<const TransactionId> order) {
  Time earliest_end = kUnknownEnd;
  TransactionId earliest = TransactionId::none();
  for (std::size_t i = order.size(); i-- > 0;) {
    const Interval time = history.interval(order[i]);
    if (earliest_end < time.begin)
      return fmt::format("{} comes before {}, which had ended when it began", name_of(history, order[i]),
                         name_of(history, earliest));
    if (history.outcome(order[i]) != Outcome::Committed || time.end >= earliest_end) continue;
    earliest_end = time.end;
    earliest = order[i];
  }
  return {};
}

std::string break_of_level(const History& history, std::span<const TransactionId> order, Level level) {
  if (uses_session_order(level))
    if (std::string found = break_of_sessions(history, order); !found.empty()) return found;
  return uses_real_time(level) ? break_of_real_time(history, order) : std::string();
}

}  // namespace

bool proves_by_replay(Level level) { return weakest_serial_level_above(level).has_value(); }

bool suggests_replay(const History& history, const CheckOptions& options) {
  return history.has_hints() || options.expected_order.source != ExpectedOrderSource::Timestamps;
}

Verdict check_by_replay(const History& history, Level level, const CheckOptions& options, Budget& budget) {
  const std::optional<Level> serial = weakest_serial_level_above(level);
  if (!serial)
    return Undecided{
        Undecided::Cause::NoEngine, fmt::format("a serial order does not decide {}", name_of(level)), {}};
  if (uses_real_time(*serial) && !history.has_times() && history.transaction_count() > 1)
    return Undecided{
        Undecided::Cause::NoTimes, "the level needs real time, but the history has no times", {}};
  ExpectedOrder order = expected_order(history, options);
  if (!order.problem.empty()) return precondition("there is no expected order: " + order.problem);
  const ReplayResult result = replay_in_order(history, order.transactions, budget);
  if (!result.undefined.empty())
    return precondition("the expected order cannot be replayed: " + result.undefined);
  if (result.mismatch)
    return precondition("expected order violated: " + result.mismatch->format(history, order.transactions),
                        {"another order may still be serial"});
  if (const std::string broken = break_of_level(history, order.transactions, *serial); !broken.empty())
    return precondition(
        "the expected order is serial, but not " + std::string(name_of(*serial)) + ": " + broken,
        {"serializable holds"});
  return Holds{.proven = *serial, .commit_order = std::move(order.transactions), .snapshot = {}};
}

}  // namespace serval
