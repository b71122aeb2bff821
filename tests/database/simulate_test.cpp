#include "serval/database/simulated/simulate.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "database/replay.h"
#include "serval/base/error.h"
#include "serval/history/notation.h"
#include "serval/workload/workload.h"

namespace serval {
namespace {

SimulationOptions small_options(SimulatedLevel level, std::uint64_t seed) {
  return {.sessions = 8,
          .transactions = 400,
          .keys = 12,
          .level = level,
          .seed = seed,
          .indeterminate_share = 0.02,
          .certificate = SimulationOptions::Certificate::Timestamps};
}

std::map<Outcome, std::size_t> outcomes(const History& history) {
  std::map<Outcome, std::size_t> counts;
  for (const TransactionId t : history.transactions()) ++counts[history.outcome(t)];
  return counts;
}

TEST(Simulate, SameSeedGivesTheSameHistory) {
  for (const char* workload : {"mini", "general", "registers", "list-append", "lightweight"}) {
    SimulationOptions options = small_options(SimulatedLevel::Serializable, 3);
    options.workload = workload;
    options.times = SimulationOptions::Times::Operations;
    options.bugs = {parse_simulated_bug("dirty-read"), parse_simulated_bug("long-fork")};
    EXPECT_EQ(print_history(simulate(options)), print_history(simulate(options))) << workload;
  }
}

TEST(Simulate, AnotherSeedGivesAnotherHistory) {
  EXPECT_NE(print_history(simulate(small_options(SimulatedLevel::Serializable, 1))),
            print_history(simulate(small_options(SimulatedLevel::Serializable, 2))));
}

TEST(Simulate, RecordsTheRequestedNumberOfTransactions) {
  const History history = simulate({.sessions = 3, .transactions = 100, .keys = 5});
  EXPECT_EQ(history.transaction_count(), 100u);
  EXPECT_EQ(history.session_count(), 3u);
  EXPECT_EQ(history.facts().at("isolation"), "strict-serializable");
}

TEST(Simulate, DoesNothingForZeroTransactions) {
  EXPECT_EQ(simulate({.transactions = 0}).transaction_count(), 0u);
}

TEST(Simulate, WritesEveryValueOnce) {
  for (const char* workload : {"mini", "general", "list-append", "lightweight"}) {
    SimulationOptions options = small_options(SimulatedLevel::ReadCommitted, 4);
    options.workload = workload;
    const History history = simulate(options);
    std::set<Value> written;
    for (const TransactionId t : history.transactions())
      for (const OperationId op : history.operations(t)) {
        const OperationKind kind = history.kind(op);
        const bool reads = kind == OperationKind::Read || kind == OperationKind::ReadList ||
                           kind == OperationKind::InsertMiss || kind == OperationKind::CompareAndSetMiss;
        EXPECT_TRUE(reads || written.insert(history.value(op)).second) << workload;
      }
    EXPECT_GT(written.size(), 50u);
  }
}

// One session has no conflicts, so it aborts only deliberately.
SimulationOptions alone(double abort_share, double indeterminate_share) {
  return {.sessions = 1,
          .transactions = 20'000,
          .keys = 1000,
          .level = SimulatedLevel::StrictSerializable,
          .seed = 5,
          .abort_share = abort_share,
          .indeterminate_share = indeterminate_share,
          .certificate = SimulationOptions::Certificate::Timestamps};
}

TEST(Simulate, AbortsTheRequestedShare) {
  EXPECT_EQ(outcomes(simulate(alone(0, 0))), (std::map<Outcome, std::size_t>{{Outcome::Committed, 20'000}}));
  EXPECT_EQ(outcomes(simulate(alone(1, 0))), (std::map<Outcome, std::size_t>{{Outcome::Aborted, 20'000}}));
  std::map<Outcome, std::size_t> counts = outcomes(simulate(alone(0.1, 0)));
  EXPECT_NEAR(static_cast<double>(counts[Outcome::Aborted]), 2000, 127);  // Three standard deviations.
  EXPECT_EQ(counts[Outcome::Indeterminate], 0u);
}

TEST(Simulate, LosesTheRequestedShareOfAnswers) {
  std::map<Outcome, std::size_t> counts = outcomes(simulate(alone(0, 0.1)));
  EXPECT_NEAR(static_cast<double>(counts[Outcome::Indeterminate]), 2000, 127);
  EXPECT_EQ(counts[Outcome::Aborted], 0u);
}

TEST(Simulate, StrongerLevelsAbortMore) {
  SimulationOptions options = small_options(SimulatedLevel::ReadUncommitted, 5);
  options.transactions = 2000;
  options.abort_share = options.indeterminate_share = 0;
  std::size_t before = 1;
  for (const SimulatedLevel level : {SimulatedLevel::ReadUncommitted, SimulatedLevel::StrongSnapshotIsolation,
                                     SimulatedLevel::StrictSerializable}) {
    options.level = level;
    const std::size_t aborted = outcomes(simulate(options))[Outcome::Aborted];
    EXPECT_GT(aborted, before) << info(level).name;
    before = aborted;
  }
}

// Counts those that wrote; the others have no commit number in either case.
TEST(Simulate, HalfOfTheIndeterminateTransactionsTookEffect) {
  const History history = simulate(alone(0, 0.1));
  double effective = 0, all = 0;
  for (const TransactionId t : history.transactions()) {
    bool wrote = false;
    for (const OperationId op : history.operations(t)) wrote |= history.kind(op) == OperationKind::Write;
    if (!wrote || history.outcome(t) != Outcome::Indeterminate) continue;
    ++all;
    if (history.hints(t)->commit_timestamp) ++effective;
  }
  ASSERT_GT(all, 1000);
  EXPECT_NEAR(effective / all, 0.5, 0.05);
}

TEST(Simulate, TimesNestAndFollowTheSession) {
  SimulationOptions options = small_options(SimulatedLevel::SnapshotIsolation, 6);
  options.times = SimulationOptions::Times::Operations;
  const History history = simulate(options);
  for (const SessionId s : history.sessions()) {
    Time now = 0;
    for (const TransactionId t : history.session_transactions(s)) {
      const Interval whole = history.interval(t);
      EXPECT_GT(whole.begin, now);
      now = whole.begin;
      for (const OperationId op : history.operations(t)) {
        const Interval time = history.operation(op).time;
        EXPECT_GT(time.begin, now);
        EXPECT_GT(time.end, time.begin);
        now = time.end;
      }
      EXPECT_GT(whole.end, now);
      if (history.outcome(t) != Outcome::Indeterminate) now = whole.end;
    }
  }
}

TEST(Simulate, OmitsTimesOnRequest) {
  SimulationOptions options = small_options(SimulatedLevel::SnapshotIsolation, 6);
  options.times = SimulationOptions::Times::None;
  EXPECT_FALSE(simulate(options).has_times());
}

TEST(Simulate, OrderBySessionKeepsTheTransactionsOfEverySession) {
  for (const char* workload : {"mini", "list-append", "lightweight"}) {
    SimulationOptions options = small_options(SimulatedLevel::Serializable, 7);
    options.workload = workload;
    const History completion = simulate(options);
    options.order = SimulationOptions::Order::Session;
    const History session = simulate(options);
    EXPECT_EQ(print_history(session), print_history(completion));
    EXPECT_TRUE(std::ranges::is_sorted(session.session_column()));
    EXPECT_FALSE(std::ranges::is_sorted(completion.session_column()));
  }
}

TEST(Simulate, ShuffledOrderKeepsTheTransactionsOfEverySession) {
  SimulationOptions options = small_options(SimulatedLevel::Serializable, 7);
  const History completion = simulate(options);
  options.order = SimulationOptions::Order::Shuffled;
  const History shuffled = simulate(options);
  EXPECT_EQ(print_history(shuffled), print_history(completion));
  EXPECT_FALSE(std::ranges::is_sorted(shuffled.session_column()));
  EXPECT_FALSE(std::ranges::equal(shuffled.session_column(), completion.session_column()));
  EXPECT_EQ(print_history(simulate(options)), print_history(shuffled)) << "the same seed, the same order";
}

TEST(Simulate, ListsGrowByAppendsInCommitOrder) {
  SimulationOptions options = small_options(SimulatedLevel::StrictSerializable, 8);
  options.workload = "list-append";
  const History history = simulate(options);
  std::map<KeyId, Value> longest;
  const auto elements = [&](Value list) {
    return list.is_nil() ? std::span<const Value>{} : history.values().elements(list);
  };
  std::size_t reads = 0;
  for (const TransactionId t : history.transactions())
    for (const OperationId op : history.operations(t)) {
      if (history.kind(op) != OperationKind::ReadList || history.outcome(t) != Outcome::Committed) continue;
      const auto seen = elements(history.value(op));
      Value& known = longest[history.key(op)];
      const auto before = elements(known);
      const std::size_t common = std::min(seen.size(), before.size());
      EXPECT_TRUE(std::ranges::equal(seen.first(common), before.first(common)));
      if (seen.size() > before.size()) known = history.value(op);
      ++reads;
    }
  EXPECT_GT(reads, 100u);
}

TEST(Simulate, LightweightOperationsSucceedAndFail) {
  SimulationOptions options = small_options(SimulatedLevel::StrictSerializable, 9);
  options.workload = "lightweight";
  options.transactions = 2000;
  const History history = simulate(options);
  std::map<OperationKind, int> counts;
  for (const OperationKind kind : history.kind_column()) ++counts[kind];
  for (const OperationKind kind :
       {OperationKind::Insert, OperationKind::InsertMiss, OperationKind::CompareAndSet,
        OperationKind::CompareAndSetMiss, OperationKind::Read})
    EXPECT_GT(counts[kind], 0) << name_of(kind);
}

struct Overlap {
  std::size_t most = 0;  // Transactions in progress at one time.
  double average = 0;
};

Overlap overlap_of(const History& history) {
  std::vector<std::pair<Time, int>> events;  // An end comes before a begin at the same time.
  for (const TransactionId t : history.transactions()) {
    events.emplace_back(history.interval(t).begin, 1);
    events.emplace_back(history.interval(t).end, -1);
  }
  std::ranges::sort(events);
  Overlap overlap;
  std::size_t now = 0;
  double busy = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) busy += static_cast<double>(now) * static_cast<double>(events[i].first - events[i - 1].first);
    now += static_cast<std::size_t>(events[i].second);
    overlap.most = std::max(overlap.most, now);
  }
  overlap.average = busy / static_cast<double>(events.back().first - events.front().first);
  return overlap;
}

// On one key, all of them compete for it.
TEST(Simulate, AsManyLightweightTransactionsOverlapAsAsked) {
  for (const std::uint64_t keys : {1, 100})
    for (const std::uint32_t concurrent : {1, 2, 8, 20}) {
      const History history = simulate({.workload = "lightweight:concurrent=" + std::to_string(concurrent),
                                        .sessions = 20,
                                        .transactions = 2000,
                                        .keys = keys});
      const Overlap overlap = overlap_of(history);
      EXPECT_EQ(overlap.most, concurrent) << keys;
      EXPECT_GT(overlap.average, 0.85 * concurrent) << keys;
      for (const SessionId s : history.sessions()) EXPECT_GT(history.session_transactions(s).size(), 50u);
    }
}

TEST(Simulate, WithoutALimitEverySessionRuns) {
  for (const char* workload : {"lightweight", "lightweight:concurrent=9"})
    EXPECT_EQ(overlap_of(simulate({.workload = workload, .sessions = 6, .transactions = 500})).most, 6u);
}

TEST(Simulate, RefusesNonsensicalOptions) {
  EXPECT_THROW((void)simulate({.sessions = 0}), InputError);
  EXPECT_THROW((void)simulate({.keys = 0}), InputError);
  EXPECT_THROW((void)simulate({.keys = 1'000'000'000'000}), InputError);
  EXPECT_THROW((void)simulate({.transactions = 1'000'000'000'000}), InputError);
  EXPECT_THROW((void)simulate({.abort_share = 1.5}), InputError);
  EXPECT_THROW((void)simulate({.workload = "maxi"}), InputError);
  EXPECT_THROW((void)simulate({.workload = "bank"}), InputError);
  EXPECT_THROW((void)simulate({.plant = "lost-updates"}), InputError);
  EXPECT_THROW((void)simulate({.workload = "list-append", .plant = "lost-update"}), InputError);
  EXPECT_THROW((void)simulate({.sessions = 1, .plant = "lost-update"}), InputError);
}

TEST(Simulate, NamesTheSupportedWorkloadsWhenItRefusesOne) {
  try {
    (void)simulate({.workload = "tpcc"});
    FAIL() << "tpcc is not refused";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problem(), "tpcc cannot be generated: it asks for ranges");
    EXPECT_NE(error.hint().find("mini, general"), std::string::npos) << error.hint();
    EXPECT_EQ(error.hint().find("bank"), std::string::npos) << error.hint();
  }
}

TEST(Simulate, RunsEveryWorkloadThatPlans) {
  for (const WorkloadInfo& info : all_workloads()) {
    if (info.form != WorkloadInfo::Form::Plans) continue;
    const History history = simulate({.workload = std::string(info.name), .transactions = 200});
    EXPECT_EQ(history.transaction_count(), 200u) << info.name;
  }
}

TEST(Simulate, ObeysItsBudget) {
  Budget budget = Budget::until(Budget::Clock::time_point::min());
  EXPECT_THROW((void)simulate({.transactions = 100'000, .budget = &budget}), BudgetExhausted);
}

// The levels, judged by what the store itself knows.
class SimulatedLevels
    : public testing::TestWithParam<std::tuple<SimulatedLevel, const char*, std::uint64_t>> {
 protected:
  const SimulatedLevelInfo& level() const { return info(std::get<0>(GetParam())); }
  History history() const {
    SimulationOptions options = small_options(std::get<0>(GetParam()), std::get<2>(GetParam()));
    options.workload = std::get<1>(GetParam());
    return simulate(options);
  }
};

TEST_P(SimulatedLevels, KeepTheirPromise) {
  using Info = SimulatedLevelInfo;
  const History made = history();
  const Replay replay(made);
  const bool snapshots = level().reads == Info::Reads::Snapshot;
  EXPECT_TRUE(replay.reads_were_written());
  EXPECT_TRUE(level().reads == Info::Reads::Dirty || replay.reads_are_committed());
  EXPECT_TRUE(!snapshots || replay.reads_match_snapshots());
  EXPECT_TRUE(level().checks == Info::Checks::Nothing || replay.first_committer_wins());
  EXPECT_TRUE(level().checks != Info::Checks::WritesAndReads || replay.reads_are_current_at_commit());
  EXPECT_TRUE(!snapshots || level().snapshots == Info::Snapshots::Any || replay.sessions_see_their_past());
  EXPECT_TRUE(!snapshots || level().snapshots != Info::Snapshots::Newest ||
              replay.snapshots_follow_real_time());
}

INSTANTIATE_TEST_SUITE_P(
    All, SimulatedLevels,
    testing::Combine(testing::Values(SimulatedLevel::ReadUncommitted, SimulatedLevel::ReadCommitted,
                                     SimulatedLevel::PrefixConsistency, SimulatedLevel::SnapshotIsolation,
                                     SimulatedLevel::StrongSessionSnapshotIsolation,
                                     SimulatedLevel::StrongSnapshotIsolation, SimulatedLevel::Serializable,
                                     SimulatedLevel::StrongSessionSerializable,
                                     SimulatedLevel::StrictSerializable),
                     testing::Values("mini", "general", "registers"), testing::Values(1, 2, 3)));

// No level is stronger than it claims: over a few seeds, each one shows what the next stronger level
// forbids.
template <class Claim>
bool fails_somewhere(SimulatedLevel level, Claim claim) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const History history = simulate(small_options(level, seed));
    if (!(Replay(history).*claim)()) return true;
  }
  return false;
}

TEST(SimulatedLevel, IsNotStrongerThanItClaims) {
  EXPECT_TRUE(fails_somewhere(SimulatedLevel::ReadUncommitted, &Replay::reads_are_committed));
  EXPECT_TRUE(fails_somewhere(SimulatedLevel::ReadCommitted, &Replay::reads_match_snapshots));
  EXPECT_TRUE(fails_somewhere(SimulatedLevel::PrefixConsistency, &Replay::first_committer_wins));
  EXPECT_TRUE(fails_somewhere(SimulatedLevel::SnapshotIsolation, &Replay::sessions_see_their_past));
  EXPECT_TRUE(
      fails_somewhere(SimulatedLevel::StrongSessionSnapshotIsolation, &Replay::snapshots_follow_real_time));
  EXPECT_TRUE(fails_somewhere(SimulatedLevel::StrongSnapshotIsolation, &Replay::reads_are_current_at_commit));
  EXPECT_TRUE(fails_somewhere(SimulatedLevel::Serializable, &Replay::sessions_see_their_past));
  EXPECT_TRUE(
      fails_somewhere(SimulatedLevel::StrongSessionSerializable, &Replay::snapshots_follow_real_time));
}

TEST(SimulatedLevel, IsFoundByNameOrSuggested) {
  for (const SimulatedLevelInfo& level : all_simulated_levels()) {
    EXPECT_EQ(parse_simulated_level(level.name), level.level);
    EXPECT_EQ(info(level.level).name, level.name);
  }
  EXPECT_THROW((void)parse_simulated_level("serialisable"), InputError);
}

}  // namespace
}  // namespace serval
