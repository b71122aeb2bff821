#include "serval/check/replay/check_by_replay.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "serval/check/found_anomalies.h"
#include "serval/check/replay/replay.h"
#include "serval/inference/expected_order.h"
#include "serval/inference/key_kinds.h"

namespace serval {
namespace {

// Weakest first.
constexpr std::array kSerialLevels{Level::Serializable, Level::StrongSessionSerializable,
                                   Level::StrictSerializable};

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

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

// A transaction that the order places before one that precedes it.
struct Break {
  TransactionId early, predecessor;
  AnomalyKind kind;

  std::string format(const History& history) const {
    const char* why = kind == AnomalyKind::BrokenOrderSession ? "which precedes it in its session"
                                                              : "which had ended when it began";
    return fmt::format("{} comes before {}, {}", name_of(history, early), name_of(history, predecessor), why);
  }
};

std::vector<std::uint32_t> places_in(const History& history, std::span<const TransactionId> order) {
  std::vector<std::uint32_t> places(history.transaction_count(), kNoPlace);
  for (std::uint32_t i = 0; i < order.size(); ++i) places[order[i].index] = i;
  return places;
}

std::optional<Break> break_of_sessions(const History& history, std::span<const TransactionId> order) {
  const std::vector<std::uint32_t> places = places_in(history, order);
  for (const SessionId s : history.sessions()) {
    TransactionId before = TransactionId::none();
    for (const TransactionId t : history.session_transactions(s)) {
      if (places[t.index] == kNoPlace) continue;
      if (!before.is_none() && places[t.index] < places[before.index])
        return Break{t, before, AnomalyKind::BrokenOrderSession};
      before = t;
    }
  }
  return std::nullopt;
}

// From the end, with the earliest end so far: a transaction must not come before one that ended before
// it began.
std::optional<Break> break_of_real_time(const History& history, std::span<const TransactionId> order) {
  Time earliest_end = kUnknownEnd;
  TransactionId earliest = TransactionId::none();
  for (std::size_t i = order.size(); i-- > 0;) {
    const Interval time = history.interval(order[i]);
    if (earliest_end < time.begin) return Break{order[i], earliest, AnomalyKind::BrokenOrderRealTime};
    if (history.outcome(order[i]) != Outcome::Committed || time.end >= earliest_end) continue;
    earliest_end = time.end;
    earliest = order[i];
  }
  return std::nullopt;
}

std::optional<Break> break_of_level(const History& history, std::span<const TransactionId> order,
                                    Level level) {
  if (uses_session_order(level))
    if (const std::optional<Break> found = break_of_sessions(history, order)) return found;
  return uses_real_time(level) ? break_of_real_time(history, order) : std::nullopt;
}

bool changes(const History& history, OperationId op, KeyId key) {
  const OperationKind kind = history.kind(op);
  if (!is_predicate(kind)) return history.key(op) == key && writes_key(kind);
  return kind != OperationKind::PredicateRead &&
         std::ranges::find(history.rows(op), key, &Row::key) != history.rows(op).end();
}

// Of the version that the replayed state holds.
OperationId write_of(const History& history, const ReplayMismatch& found) {
  OperationId last = OperationId::none();
  if (found.key.is_none() || found.writer.is_none()) return last;
  for (const OperationId op : history.operations(found.writer)) {
    if (op == found.operation) break;
    if (changes(history, op, found.key)) last = op;
  }
  return last;
}

// Judges a required order.
class OrderGate {
 public:
  OrderGate(const History& history, const CheckOptions& options, ExpectedOrder order, Budget& budget)
      : history_(history), options_(options), order_(std::move(order)), budget_(budget) {}

  // The order did not pass, for this reason.
  Verdict after_replay(Undecided reason) && {
    const ReplayResult result =
        find_certain_mismatch(history_, order_.transactions, unsettled_keys(history_, order_), budget_);
    if (result.mismatch) {
      const ReplayMismatch& found = *result.mismatch;
      return violation(AnomalyKind::BrokenOrder, {.transaction = found.transaction,
                                                  .operation = found.operation,
                                                  .key = found.key,
                                                  .write = write_of(history_, found),
                                                  .expected = found.key.is_none() ? found.expected : ""});
    }
    reason.details = {
        "this may be due to indeterminate transactions, equal timestamps, unrecorded values or "
        "undefined predicates, so the order is neither proven nor refuted"};
    return reason;
  }

  Verdict after_break(const Break& found, Level level, Undecided reason) && {
    const std::vector<std::uint32_t> places = places_in(history_, order_.transactions);
    const auto rank = [&](TransactionId t) { return order_.rank(places[t.index]); };
    const auto committed = [&](TransactionId t) { return history_.outcome(t) == Outcome::Committed; };
    if (forbids(level, found.kind) && committed(found.early) && committed(found.predecessor) &&
        rank(found.early) < rank(found.predecessor))
      return violation(found.kind, {.transaction = found.early, .predecessor = found.predecessor});
    return reason;
  }

 private:
  Verdict violation(AnomalyKind kind, BrokenOrder evidence) {
    evidence.source = options_.expected_order.source;
    evidence.order = std::move(order_.transactions);
    std::vector<Anomaly> found;
    found.push_back({kind, std::move(evidence)});
    return make_violated(std::move(found), options_);
  }

  const History& history_;
  const CheckOptions& options_;
  ExpectedOrder order_;
  Budget& budget_;
};

}  // namespace

bool proves_by_replay(Level level) { return weakest_serial_level_above(level).has_value(); }

bool requires_order(Level level, const CheckOptions& options) {
  return options.expected_order.role == ExpectedOrderChoice::Role::Required &&
         implies(level, Level::Serializable);
}

bool suggests_replay(const History& history, const CheckOptions& options) {
  return history.has_hints() || options.expected_order.source != ExpectedOrderSource::Timestamps;
}

Verdict check_by_replay(const History& history, Level level, const CheckOptions& options, Budget& budget) {
  const std::optional<Level> serial = weakest_serial_level_above(level);
  const bool required = requires_order(level, options);
  if (!serial)
    return Undecided{
        Undecided::Cause::NoEngine, fmt::format("a serial order does not decide {}", name_of(level)), {}};
  const bool lacks_times = uses_real_time(*serial) && !history.has_times() && history.transaction_count() > 1;
  const Undecided no_times{
      Undecided::Cause::NoTimes, "the level needs real time, but the history has no times", {}};
  if (lacks_times && !required) return no_times;
  ExpectedOrder order = expected_order(history, options);
  if (!order.problem.empty()) return precondition("there is no expected order: " + order.problem);
  const ReplayResult result = replay_in_order(history, order.transactions, budget);
  if (!result.passes()) {
    Undecided why =
        result.mismatch
            ? precondition("expected order violated: " + result.mismatch->format(history, order.transactions),
                           {"another order may still be serial"})
            : precondition("the expected order cannot be replayed: " + result.undefined);
    if (!required) return why;
    return OrderGate(history, options, std::move(order), budget).after_replay(std::move(why));
  }
  if (const std::optional<Break> broken = break_of_level(history, order.transactions, *serial)) {
    Undecided why = precondition("the expected order is serial, but not " + std::string(name_of(*serial)) +
                                     ": " + broken->format(history),
                                 {"serializable holds"});
    if (!required) return why;
    return OrderGate(history, options, std::move(order), budget).after_break(*broken, level, std::move(why));
  }
  if (lacks_times) return no_times;
  return Holds{.proven = *serial, .commit_order = std::move(order.transactions), .snapshot = {}};
}

}  // namespace serval
