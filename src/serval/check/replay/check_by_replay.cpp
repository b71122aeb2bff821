#include "serval/check/replay/check_by_replay.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "serval/check/found_anomalies.h"
#include "serval/check/replay/replay.h"
#include "serval/inference/expected_order.h"
#include "serval/inference/expected_snapshots.h"
#include "serval/inference/key_kinds.h"
#include "serval/inference/order_breaks.h"

namespace serval {
namespace {

// Weakest first.
constexpr std::array kSerialLevels{Level::Serializable, Level::StrongSessionSerializable,
                                   Level::StrictSerializable};

constexpr std::array kSnapshotLevels{Level::SnapshotIsolation, Level::StrongSessionSnapshotIsolation,
                                     Level::StrongSnapshotIsolation};

std::optional<Level> weakest_above(std::span<const Level> levels, Level level) {
  const auto found = std::ranges::find_if(levels, [&](Level candidate) { return implies(candidate, level); });
  return found == levels.end() ? std::nullopt : std::optional(*found);
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

std::optional<OrderBreak> break_of_level(const History& history, std::span<const TransactionId> order,
                                         Level level, std::span<const std::uint32_t> visible = {}) {
  if (uses_session_order(level))
    if (const auto found = break_of_sessions(history, order, visible)) return found;
  return uses_real_time(level) ? break_of_real_time(history, order, visible) : std::nullopt;
}

BrokenOrder evidence_of(const History& history, const ReplayMismatch& found) {
  return {.transaction = found.transaction,
          .operation = found.operation,
          .key = found.key,
          .write = last_write(history, found.writer, found.key, found.operation),
          .expected = found.key.is_none() ? found.expected : ""};
}

Undecided neither(Undecided reason) {
  reason.details = {
      "this may be due to indeterminate transactions, equal timestamps, unrecorded values or undefined "
      "predicates, so the order is neither proven nor refuted"};
  return reason;
}

// Judges an order of the given source, which may be required.
class OrderJudge {
 public:
  OrderJudge(const History& history, Level level, const CheckOptions& options, Budget& budget)
      : history_(history), level_(level), options_(options), budget_(budget) {}

  // One after another; `serial` is the level that the order proves.
  Verdict judge_serial(Level serial) {
    if (lacks_times(serial) && !is_required()) return no_times();
    ExpectedOrder order = expected_order(history_, options_);
    if (!order.problem.empty()) return precondition("there is no expected order: " + order.problem);
    const ReplayResult result = replay_in_order(history_, order.transactions, budget_);
    if (!result.passes()) return after_serial(std::move(order), why_not(result, order.transactions));
    if (const auto broken = break_of_level(history_, order.transactions, serial)) {
      Undecided why = precondition("the expected order is serial, but not " + std::string(name_of(serial)) +
                                       ": " + broken->format(history_),
                                   {"serializable holds"});
      return after_break(std::move(order), *broken, std::move(why));
    }
    if (lacks_times(serial)) return no_times();
    return Holds{.proven = serial, .commit_order = std::move(order.transactions), .snapshot = {}};
  }

  // By start and commit timestamps; `level` is one of the snapshot levels. Nothing without timestamps.
  std::optional<Verdict> judge_snapshots(Level level) {
    ExpectedSnapshots expected = snapshots_by_timestamps(history_);
    const auto& order = expected.order.transactions;
    if (!expected.order.problem.empty()) return std::nullopt;
    const ReplayResult result = replay_in_order(history_, order, budget_, expected.visible);
    if (!result.passes()) return after_snapshots(std::move(expected), why_not(result, order));
    const std::vector<bool> none(history_.key_count(), false);
    if (const auto overlap = find_overlap(history_, expected, none)) {
      Undecided why =
          precondition(fmt::format("{} does not see {}, and both wrote {}", name_of(history_, overlap->later),
                                   name_of(history_, overlap->earlier), history_.format_key(overlap->key)));
      return after_snapshots(std::move(expected), std::move(why));
    }
    if (const auto broken = break_of_level(history_, order, level, expected.visible))
      return precondition("the expected snapshots are not those of " + std::string(name_of(level)) + ": " +
                              broken->format(history_),
                          {"snapshot-isolation holds"});
    if (lacks_times(level)) return no_times();
    return Holds{.proven = level,
                 .commit_order = std::move(expected.order.transactions),
                 .snapshot = std::move(expected.visible)};
  }

 private:
  bool is_required() const { return requires_order(level_, options_); }
  bool lacks_times(Level level) const {
    return uses_real_time(level) && !history_.has_times() && history_.transaction_count() > 1;
  }
  static Undecided no_times() {
    return {Undecided::Cause::NoTimes, "the level needs real time, but the history has no times", {}};
  }
  Undecided why_not(const ReplayResult& result, std::span<const TransactionId> order) const {
    if (!result.mismatch) return precondition("the expected order cannot be replayed: " + result.undefined);
    return precondition("expected order violated: " + result.mismatch->format(history_, order),
                        {"another order may still be serial"});
  }

  Verdict after_serial(ExpectedOrder order, Undecided why) const {
    if (!is_required() || !forbids(level_, AnomalyKind::BrokenOrder)) return why;
    const ReplayResult result =
        find_certain_mismatch(history_, order.transactions, unsettled_keys(history_, order), budget_);
    if (!result.mismatch) return neither(std::move(why));
    return violation(AnomalyKind::BrokenOrder, evidence_of(history_, *result.mismatch), std::move(order), {});
  }

  Verdict after_break(ExpectedOrder order, const OrderBreak& broken, Undecided why) const {
    const auto& [of, early, predecessor] = broken;
    const auto rank = [&](TransactionId t) {
      return order.rank(
          static_cast<std::size_t>(std::ranges::find(order.transactions, t) - order.transactions.begin()));
    };
    const auto committed = [&](TransactionId t) { return history_.outcome(t) == Outcome::Committed; };
    const bool certain = committed(early) && committed(predecessor) && rank(early) < rank(predecessor);
    const AnomalyKind kind =
        of == OrderBreak::Of::Session ? AnomalyKind::BrokenOrderSession : AnomalyKind::BrokenOrderRealTime;
    if (!is_required() || !certain || !forbids(level_, kind)) return why;
    return violation(kind, {.transaction = early, .predecessor = predecessor}, std::move(order), {});
  }

  Verdict after_snapshots(ExpectedSnapshots expected, Undecided why) const {
    if (!is_required()) return why;
    constexpr AnomalyKind kKind = AnomalyKind::BrokenSnapshots;
    const std::vector<bool> open = unsettled_keys(history_, expected);
    const ReplayResult result =
        find_certain_mismatch(history_, expected.order.transactions, open, budget_, expected.visible);
    if (result.mismatch)
      return violation(kKind, evidence_of(history_, *result.mismatch), std::move(expected.order),
                       std::move(expected.visible));
    const auto overlap = find_overlap(history_, expected, open);
    if (!overlap) return neither(std::move(why));
    return violation(kKind,
                     {.transaction = overlap->later, .key = overlap->key, .predecessor = overlap->earlier},
                     std::move(expected.order), std::move(expected.visible));
  }

  Verdict violation(AnomalyKind kind, BrokenOrder evidence, ExpectedOrder order,
                    std::vector<std::uint32_t> visible) const {
    evidence.source = options_.expected_order.source;
    evidence.order = std::move(order.transactions);
    evidence.visible = std::move(visible);
    std::vector<Anomaly> found;
    found.push_back({kind, std::move(evidence)});
    return make_violated(std::move(found), options_);
  }

  const History& history_;
  Level level_;
  const CheckOptions& options_;
  Budget& budget_;
};

}  // namespace

bool proves_by_replay(Level level) { return weakest_above(kSerialLevels, level).has_value(); }

bool requires_order(Level level, const CheckOptions& options) {
  const ExpectedOrderChoice& order = options.expected_order;
  const bool by_snapshots = order.source == ExpectedOrderSource::Timestamps &&
                            std::ranges::find(kSnapshotLevels, level) != kSnapshotLevels.end();
  return order.role == ExpectedOrderChoice::Role::Required &&
         (by_snapshots || implies(level, Level::Serializable));
}

bool suggests_replay(const History& history, const CheckOptions& options) {
  return history.has_hints() || options.expected_order.source != ExpectedOrderSource::Timestamps;
}

bool suggests_snapshots(const History& history, Level level, const CheckOptions& options) {
  if (!history.has_hints() || options.expected_order.source != ExpectedOrderSource::Timestamps) return false;
  return weakest_above(kSnapshotLevels, level).has_value() &&
         (options.expected_order.role == ExpectedOrderChoice::Role::Required ||
          std::ranges::any_of(history.kind_column(), is_predicate));
}

Verdict check_by_replay(const History& history, Level level, const CheckOptions& options, Budget& budget) {
  const std::optional<Level> serial = weakest_above(kSerialLevels, level);
  OrderJudge judge(history, level, options, budget);
  if (!serial)
    return Undecided{
        Undecided::Cause::NoEngine, fmt::format("a serial order does not decide {}", name_of(level)), {}};
  if (suggests_snapshots(history, level, options)) {
    std::optional<Verdict> found = judge.judge_snapshots(*weakest_above(kSnapshotLevels, level));
    if (found && (!undecided(*found) || requires_order(level, options))) return *std::move(found);
  }
  return judge.judge_serial(*serial);
}

}  // namespace serval
