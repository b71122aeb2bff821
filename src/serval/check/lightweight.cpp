#include "serval/check/lightweight.h"

#include <algorithm>

#include "serval/check/evidence.h"
#include "serval/inference/real_time.h"

namespace serval {
namespace {

class ChainWalk {
 public:
  ChainWalk(const History& history, const Relations& relations, Budget& budget)
      : history_(history), relations_(relations), footprints_(relations.footprints), budget_(budget) {
    effects_.resize(history.transaction_count());
    collect_readers();
  }

  std::vector<Anomaly> anomalies() {
    report_faults();
    report_divergences();
    for (const KeyId key : history_.key_ids()) walk(key);
    report_unreachable();
    return std::move(anomalies_);
  }

  // The transactions by the moment they took effect; ties in chain order.
  std::vector<TransactionId> commit_order() && {
    for (const TransactionId t : history_.transactions()) {
      if (relations_.takes_part[t.index] && footprints_.of(t).empty())
        place_in_chain(t, history_.interval(t).begin);
    }
    // Sorting starts from the order of the history, which is nearly the order of time; the walk went key by
    // key.
    std::vector<TransactionId> order;
    order.reserve(placed_);
    for (const TransactionId t : history_.transactions()) {
      if (effects_[t.index].position != kUnplaced) order.push_back(t);
    }
    std::ranges::sort(order, {}, [&](TransactionId t) { return effects_[t.index]; });
    return order;
  }

 private:
  static constexpr std::uint32_t kUnplaced = 0xFFFFFFFFu;
  struct Effect {
    Time time = 0;
    std::uint32_t position = kUnplaced;  // In the walk: chain by chain, each from its start.
    friend auto operator<=>(const Effect&, const Effect&) = default;
  };

  void place_in_chain(TransactionId t, Time time) { effects_[t.index] = {time, placed_++}; }

  // Transactions that only read, in lists by the version they saw.
  void collect_readers() {
    first_reader_.assign(footprints_.versions.size(), TransactionId::none());
    next_reader_.assign(history_.transaction_count(), TransactionId::none());
    for (std::uint32_t t = static_cast<std::uint32_t>(history_.transaction_count()); t-- > 0;) {
      if (!relations_.takes_part[t] || footprints_.of(TransactionId{t}).empty()) continue;
      const Access& access = footprints_.of(TransactionId{t}).front();
      if (!access.written.is_none()) {
        ++writers_;
      } else if (!access.read.is_none()) {
        next_reader_[t] = first_reader_[access.read.index];
        first_reader_[access.read.index] = TransactionId{t};
      }
    }
  }

  OperationId operation(TransactionId t) const { return history_.operations(t)[0]; }

  void report(ChainBreak::Rule rule, KeyId key, OperationId first, OperationId second) {
    anomalies_.push_back({AnomalyKind::BrokenChain, ChainBreak{rule, key, first, second}});
  }

  void report_faults() {
    for (const FaultyRead& fault : relations_.faults)
      report(ChainBreak::Rule::NeverWritten, history_.key(fault.read), fault.read, fault.source);
  }

  void report_divergences() {
    for (const DivergentWrites& pair : relations_.divergences) {
      const OperationId first = operation(pair.first), second = operation(pair.second);
      const bool inserts =
          history_.kind(first) == OperationKind::Insert && history_.kind(second) == OperationKind::Insert;
      report(inserts ? ChainBreak::Rule::TwoInserts : ChainBreak::Rule::TwoSuccessors, pair.key, first,
             second);
    }
  }

  // Follows the chain of one key; `latest_` is the latest moment of effect so far and `bound_by_` who set it.
  void walk(KeyId key) {
    latest_ = kUnknownBegin;
    bound_by_ = OperationId::none();
    broken_ = false;
    VersionId version{key.index};
    while (true) {
      budget_.poll("chains");
      Time latest_reader = latest_;
      OperationId latest_reader_operation = bound_by_;
      for (TransactionId t = first_reader_[version.index]; !t.is_none(); t = next_reader_[t.index]) {
        const Time time = place(t);
        if (time > latest_reader) {
          latest_reader = time;
          latest_reader_operation = operation(t);
        }
      }
      latest_ = latest_reader;
      bound_by_ = latest_reader_operation;
      const TransactionId next = footprints_.versions[version.index].overwriter;
      if (next.is_none()) return;
      ++reached_;
      const Time time = place(next);
      if (time > latest_) {
        latest_ = time;
        bound_by_ = operation(next);
      }
      version = footprints_.of(next).front().written;
    }
  }

  // The moment at which t takes effect: its begin, or later if the chain before it is later. One break a key
  // is enough.
  Time place(TransactionId t) {
    const Interval interval = history_.interval(t);
    const Time time = std::max(interval.begin, latest_);
    const bool ends = history_.outcome(t) == Outcome::Committed;
    if (ends && time > interval.end && !broken_) {
      broken_ = true;
      report(ChainBreak::Rule::RealTime, history_.key(operation(t)), bound_by_, operation(t));
    }
    place_in_chain(t, time);
    return time;
  }

  // Writers on no chain that starts at the initial version: they read from each other in a circle. Where a
  // read has several possible writers, a chain may only look torn.
  void report_unreachable() {
    if (!relations_.order_is_complete()) return;
    if (reached_ + relations_.divergences.size() >= writers_ || !anomalies_.empty()) return;
    for (const TransactionId t : history_.transactions()) {
      if (!relations_.takes_part[t.index] || effects_[t.index].position != kUnplaced ||
          footprints_.of(t).empty())
        continue;
      const Access& access = footprints_.of(t).front();
      if (access.written.is_none() || access.read.is_none()) continue;
      report(ChainBreak::Rule::Unreachable, access.key, operation(t),
             footprints_.write_operation[access.read.index]);
      return;
    }
  }

  const History& history_;
  const Relations& relations_;
  const Footprints& footprints_;
  Budget& budget_;
  std::vector<TransactionId> first_reader_, next_reader_;
  std::size_t writers_ = 0, reached_ = 0;
  std::vector<Effect> effects_;  // By transaction.
  std::uint32_t placed_ = 0;
  std::vector<Anomaly> anomalies_;
  Time latest_ = kUnknownBegin;
  OperationId bound_by_ = OperationId::none();
  bool broken_ = false;
};

}  // namespace

bool is_single_operation_history(const History& history, const Relations& relations) {
  if (relations.has_unsupported()) return false;
  for (const TransactionId t : history.transactions()) {
    if (relations.takes_part[t.index] && history.operations(t).size() > 1) return false;
  }
  return true;
}

Verdict check_lightweight_transactions(const History& history, const Relations& relations,
                                       const CheckOptions& options, Budget& budget) {
  ChainWalk walk(history, relations, budget);
  const auto clock_problem = find_clock_contradiction(history);
  std::vector<Anomaly> anomalies = walk.anomalies();
  if (clock_problem) {
    std::erase_if(anomalies, [](const Anomaly& anomaly) {
      return std::get<ChainBreak>(anomaly.evidence).rule == ChainBreak::Rule::RealTime;
    });
  }
  if (!anomalies.empty()) return make_violated(std::move(anomalies), options);
  if (!relations.order_is_complete()) return missing_order(history, relations);
  if (clock_problem || !history.has_times()) {
    return Undecided{
        Undecided::Cause::NoTimes,
        clock_problem ? "the clock contradicts itself: " + *clock_problem : "the history has no times",
        {"every key's operations form one chain", "record when each operation began and ended"}};
  }
  return Holds{.proven = Level::Linearizable, .commit_order = std::move(walk).commit_order(), .snapshot = {}};
}

}  // namespace serval
