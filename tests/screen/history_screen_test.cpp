#include "serval/screen/history_screen.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "oracle/draft.h"
#include "oracle/random_history.h"
#include "sample.h"
#include "serval/base/random.h"
#include "serval/check/check.h"
#include "serval/database/simulated/simulate.h"
#include "serval/history/notation.h"

// A screen is compared with check(): it is suspicious exactly where check() finds a violation, after
// every transaction, unless it says that it has given up.

namespace serval {
namespace {

using State = HistoryScreen::State;
using oracle::Draft;

ScreenedTransaction screened(const History& history, TransactionId t) {
  ScreenedTransaction out{.session = Value::integer(history.session(t).index),
                          .outcome = history.outcome(t),
                          .interval = history.interval(t),
                          .operations = {}};
  for (const OperationId op : history.operations(t)) {
    const Operation operation = history.operation(op);
    ScreenedOperation& added = out.operations.emplace_back(ScreenedOperation{
        operation.kind, Value::integer(operation.key.index), operation.value, operation.expected, {}});
    if (operation.kind == OperationKind::ReadList && operation.value.is_list()) {
      const auto elements = history.values().elements(operation.value);
      added.elements.assign(elements.begin(), elements.end());
    }
  }
  return out;
}

bool writes(OperationKind kind) {
  return kind == OperationKind::Write || kind == OperationKind::Append || kind == OperationKind::Insert ||
         kind == OperationKind::CompareAndSet;
}

// The writes of the transactions from the given one on, as if all of them were running.
std::vector<OpenWrite> writes_from(const History& history, std::uint32_t first) {
  std::vector<OpenWrite> open;
  for (std::uint32_t t = first; t < history.transaction_count(); ++t)
    for (const OperationId op : history.operations(TransactionId{t}))
      if (writes(history.kind(op)))
        open.push_back({Value::integer(history.key(op).index), history.value(op),
                        history.kind(op) == OperationKind::Append});
  return open;
}

State state_of(const char* text, Level level) {
  const History history = parse_history(text);
  HistoryScreen screen(level, history.initial_value());
  for (const TransactionId t : history.transactions()) screen.add(screened(history, t));
  screen.settle({});
  return screen.state();
}

constexpr auto kSer = Level::Serializable;
constexpr auto kSi = Level::SnapshotIsolation;
constexpr auto kRc = Level::ReadCommitted;

TEST(HistoryScreen, SuspectsCyclesThatTheLevelForbids) {
  const char* const skew = "s1: [r(x,0) r(y,0) w(x,1)] s2: [r(x,0) r(y,0) w(y,1)]";
  EXPECT_EQ(state_of(skew, kSer), State::Suspicious);
  EXPECT_EQ(state_of(skew, kSi), State::Clear);
  const char* const lost = "s1: [r(x,0) w(x,1)] s2: [r(x,0) w(x,2)]";
  EXPECT_EQ(state_of(lost, kSi), State::Suspicious);
  EXPECT_EQ(state_of(lost, kRc), State::Clear);
  const char* const flow = "s1: [r(x,0) w(x,1) r(y,1)] s2: [r(y,0) w(y,1) r(x,1)]";
  EXPECT_EQ(state_of(flow, kRc), State::Suspicious);
}

TEST(HistoryScreen, SuspectsReadsThatNoOrderExplains) {
  EXPECT_EQ(state_of("s1: [r(x,7)]", kRc), State::Suspicious);
  EXPECT_EQ(state_of("s1: [w(x,1)]! s2: [r(x,1)]", kRc), State::Suspicious);
  EXPECT_EQ(state_of("s1: [w(x,1) w(x,2)] s2: [r(x,1)]", kRc), State::Suspicious);
  EXPECT_EQ(state_of("s1: [w(x,1) r(x,0)]", kRc), State::Suspicious);
  EXPECT_EQ(state_of("s1: [r(x,1) w(x,1)]", kRc), State::Suspicious);
  EXPECT_EQ(state_of("s1: [w(x,1)] s2: [r(x,0) r(x,1)]", kSi), State::Suspicious);
  EXPECT_EQ(state_of("s1: [w(x,1)] s2: [r(x,0) r(x,1)]", kRc), State::Clear);
}

TEST(HistoryScreen, SuspectsListsThatContradictEachOther) {
  EXPECT_EQ(state_of("s1: [a(x,1)] s2: [a(x,2)] s3: [l(x,[1 2])] s4: [l(x,[2 1])]", kRc), State::Suspicious);
  EXPECT_EQ(state_of("s1: [a(x,1)] s2: [a(x,2)] s3: [l(x,[1 2])] s4: [l(x,[1])]", kSer), State::Clear);
  EXPECT_EQ(state_of("s1: [l(x,[]) a(y,1)] s2: [l(y,[]) a(x,1)]", kSer), State::Suspicious);
  EXPECT_EQ(state_of("s1: [l(x,[]) a(x,1)] s2: [l(x,[]) a(x,2)]", kSi), State::Suspicious);
}

// Whichever order the two appends to z have, one must see the other, and neither does.
TEST(HistoryScreen, LeavesTheOrderOfUnseenAppendsOpen) {
  EXPECT_EQ(state_of("s1: [l(x,[]) a(y,1) a(z,1)] s2: [l(y,[]) a(x,1) a(z,2)]", kSi), State::Open);
  EXPECT_EQ(state_of("s1: [a(z,1)] s2: [a(z,2)] s3: [a(z,3)]", kSi), State::Clear);
  EXPECT_EQ(state_of("s1: [a(z,1)] [a(z,2)] s2: [l(z,[2 1])]", kSi), State::Clear);
}

TEST(HistoryScreen, SessionsAndTimesCountWhereTheLevelSaysSo) {
  EXPECT_EQ(state_of("s1: [w(x,1)] [r(x,0)]", kSer), State::Clear);
  EXPECT_EQ(state_of("s1: [w(x,1)] [r(x,0)]", Level::StrongSessionSerializable), State::Suspicious);
  EXPECT_EQ(state_of("s1: [w(x,1)]@0..5 s2: [r(x,0)]@6..9", Level::StrictSerializable), State::Suspicious);
  EXPECT_EQ(state_of("s1: [w(x,1)]@0..5 s2: [r(x,0)]@5..9", Level::StrictSerializable), State::Clear);
  EXPECT_EQ(state_of("s1: [w(x,1)]@9..5", Level::StrictSerializable), State::Lost);
  EXPECT_EQ(state_of("s1: [w(x,1)]@9..5", kSer), State::Clear);
}

TEST(HistoryScreen, IndeterminateTransactionsCountOnceTheyAreRead) {
  const char* const lost = "s1: [r(x,0) w(x,1) r(y,0) w(y,1)]? s2: [r(x,0) w(x,2)]";
  EXPECT_EQ(state_of(lost, kSi), State::Clear);
  EXPECT_EQ(state_of((std::string(lost) + " s3: [r(y,1)]").c_str(), kSi), State::Suspicious);
}

TEST(HistoryScreen, SaysWhatItDoesNotSupport) {
  EXPECT_EQ(state_of("s1: [w(x,1)] s2: [w(x,2)]", kSer), State::Lost);
  EXPECT_EQ(state_of("s1: [w(x,1)] s2: [w(x,2)]", kRc), State::Clear);
  EXPECT_EQ(state_of("s1: [w(x,1)] s2: [r(x,1) w(x,1)]", kRc), State::Lost);
  EXPECT_EQ(state_of("s1: [r(x,0) w(x,0)]", kRc), State::Lost);
  EXPECT_EQ(state_of("s1: [w(x,1)] s2: [a(x,1)]", kRc), State::Lost);
  EXPECT_EQ(state_of("s1: [d(x)]", kRc), State::Lost);
}

TEST(HistoryScreen, FollowsAStrongerLevelIfItsOwnHasNoGraph) {
  EXPECT_EQ(HistoryScreen::followed_level(kSer), kSer);
  EXPECT_EQ(HistoryScreen::followed_level(Level::ConsistentView), kSi);
  EXPECT_EQ(HistoryScreen::followed_level(Level::Causal), Level::StrongSessionSnapshotIsolation);
  EXPECT_EQ(HistoryScreen::followed_level(Level::ReadUncommitted), std::nullopt);
  for (const LevelInfo& info : all_levels()) {
    const auto followed = HistoryScreen::followed_level(info.level);
    EXPECT_EQ(followed.has_value(), implies(info.level, kRc));
    EXPECT_TRUE(!followed || implies(*followed, info.level));
  }
}

TEST(HistoryScreen, ReadsFromRunningTransactionsWait) {
  const History history = parse_history("s1: [r(x,1)] s2: [w(x,1) w(x,2)]");
  HistoryScreen screen(kRc, history.initial_value());
  screen.add(screened(history, TransactionId{0}));
  const std::vector<OpenWrite> open = writes_from(history, 1);
  screen.settle(open);
  EXPECT_EQ(screen.state(), State::Clear);
  EXPECT_EQ(screen.waiting(), 1u);
  screen.add(screened(history, TransactionId{1}));
  screen.settle({});
  EXPECT_EQ(screen.state(), State::Suspicious);
}

// A history, and a prefix of it as a file would contain it: the remaining transactions are running.
class Comparison {
 public:
  Comparison(Draft draft, Level level) : draft_(std::move(draft)), level_(level) {}

  // What is wrong, or "".
  std::string run() {
    const History history = draft_.freeze();
    HistoryScreen screen(level_, history.initial_value());
    for (std::uint32_t t = 0; t < history.transaction_count(); ++t) {
      screen.add(screened(history, TransactionId{t}));
      screen.settle(writes_from(history, t + 1));
      end_ = screen.state();
      if (const std::string wrong = compare(screen, t + 1); !wrong.empty()) return wrong;
      if (end_ == State::Suspicious || end_ == State::Lost) break;
    }
    return {};
  }
  State end() const { return end_; }

 private:
  std::string compare(const HistoryScreen& screen, std::size_t count) const {
    const auto wrong = [&](const char* what) {
      return std::string(what) + " after " + std::to_string(count) + " (" + std::string(screen.reason()) +
             ")";
    };
    if (screen.state() == State::Suspicious) {
      if (screen.is_exact() && !violated(check(cut_after(count, true), level_, {}).verdict))
        return wrong("suspicious, but no violation");
    } else if (screen.state() == State::Clear && screen.waiting() == 0) {
      const CheckResult result = check(cut_after(count, false), level_, {});
      if (violated(result.verdict)) return wrong("clear, but a violation");
      if (undecided(result.verdict) && screen.is_exact() && level_ != Level::Linearizable)
        return wrong("clear, but undecided");
    }
    return {};
  }

  // With or without the writes of the remaining transactions, as a recorder reports them.
  History cut_after(std::size_t count, bool with_open) const {
    Draft cut = draft_;
    for (std::size_t i = count; i < cut.transactions.size(); ++i) {
      cut.transactions[i].outcome = Outcome::Indeterminate;
      cut.transactions[i].interval.end = kUnknownEnd;
      std::erase_if(cut.transactions[i].operations,
                    [](const Draft::Step& step) { return !writes(step.kind); });
    }
    if (!with_open) cut.transactions.resize(count);
    return cut.freeze();
  }

  Draft draft_;
  Level level_;
  State end_ = State::Clear;
};

using Generate = Draft (*)(Random&, int);

void compare_at_random(Generate generate, std::uint64_t histories, std::map<State, int>& ends) {
  std::vector<Level> levels;
  for (const LevelInfo& info : all_levels())
    if (HistoryScreen::followed_level(info.level)) levels.push_back(info.level);
  for (const std::uint64_t seed : fresh_seeds(sample_of(histories))) {
    Random random(seed);
    const Draft draft = generate(random, 1 + static_cast<int>(random.below(9)));
    const Level level = levels[random.below(levels.size())];
    Comparison comparison(draft, level);
    if (comparison.run().empty()) {
      ++ends[comparison.end()];
      continue;
    }
    const Draft small =
        shrink(draft, [&](const Draft& smaller) { return !Comparison(smaller, level).run().empty(); });
    FAIL() << "seed " << seed << ", " << name_of(level) << ": " << Comparison(small, level).run() << "\n"
           << print_history(small.freeze());
  }
}

TEST(HistoryScreen, AgreesWithTheCheckOnRegisters) {
  std::map<State, int> ends;
  compare_at_random(oracle::random_transactions, 60'000, ends);
  EXPECT_GT(ends[State::Clear], 0);
  EXPECT_GT(ends[State::Suspicious], 0);
}

TEST(HistoryScreen, AgreesWithTheCheckOnLists) {
  std::map<State, int> ends;
  compare_at_random(oracle::random_list_transactions, 60'000, ends);
  EXPECT_GT(ends[State::Clear], 0);
  EXPECT_GT(ends[State::Suspicious], 0);
}

TEST(HistoryScreen, AgreesWithTheCheckOnHostileAndLightweightHistories) {
  std::map<State, int> ends;
  compare_at_random(oracle::random_hostile_transactions, 30'000, ends);
  compare_at_random(oracle::random_lightweight_transactions, 30'000, ends);
  EXPECT_GT(ends[State::Lost], 0);
}

SimulationOptions contended(const char* workload, SimulatedLevel level, std::uint64_t seed) {
  SimulationOptions options;
  options.sessions = 10;
  options.transactions = 1500;
  options.keys = 25;
  options.level = level;
  options.seed = seed;
  options.indeterminate_share = 0.02;
  options.workload = workload;
  return options;
}

// As in a recording.
std::vector<TransactionId> by_ends(const History& history) {
  std::vector<TransactionId> order;
  for (const TransactionId t : history.transactions()) order.push_back(t);
  std::ranges::stable_sort(order, {}, [&](TransactionId t) {
    const Interval interval = history.interval(t);
    return interval.end == kUnknownEnd ? interval.begin : interval.end;
  });
  return order;
}

// Larger histories, where the order has to be repaired often.
TEST(HistoryScreen, AgreesWithTheCheckOnDatabaseHistories) {
  std::map<State, int> ends;
  for (const std::uint64_t seed : fresh_seeds(sample_of(60, 8)))
    for (const char* const workload : {"mini", "list-append", "registers"}) {
      const SimulatedLevel of[] = {SimulatedLevel::StrictSerializable, SimulatedLevel::Serializable,
                                   SimulatedLevel::SnapshotIsolation, SimulatedLevel::ReadCommitted};
      const History history = simulate(contended(workload, of[seed % std::size(of)], seed));
      for (const Level level :
           {Level::StrictSerializable, kSer, Level::StrongSessionSnapshotIsolation, kRc}) {
        HistoryScreen screen(level, history.initial_value());
        for (const TransactionId t : history.transactions()) screen.add(screened(history, t));
        screen.settle({});
        ++ends[screen.state()];
        const Verdict verdict = check(history, level).verdict;
        EXPECT_TRUE(screen.state() != State::Suspicious || violated(verdict))
            << workload << " " << seed << " " << name_of(level);
        EXPECT_TRUE(screen.state() != State::Clear || holds(verdict))
            << workload << " " << seed << " " << name_of(level);
      }
    }
  EXPECT_GT(ends[State::Clear], ends[State::Open]);
  EXPECT_GT(ends[State::Suspicious], 0);
}

// Effort is counted, not timed: operations, edges, vertices visited to repair the order, elements
// compared.
TEST(HistoryScreen, CostPerTransactionDoesNotGrow) {
  for (const char* const workload : {"mini", "list-append"})
    for (const Level level : {Level::StrictSerializable, kSer, Level::StrongSessionSnapshotIsolation, kRc}) {
      SimulationOptions options = contended(workload, SimulatedLevel::StrictSerializable, 7);
      options.transactions = 9000;
      options.keys = 100;
      const History history = simulate(options);
      HistoryScreen screen(level, history.initial_value());
      std::vector<std::uint64_t> efforts{0};
      for (const TransactionId t : by_ends(history)) {
        screen.add(screened(history, t));
        if (screen.transactions() % (history.transaction_count() / 3) == 0)
          efforts.push_back(screen.effort());
      }
      ASSERT_EQ(screen.reason(), "") << workload << " " << name_of(level);
      ASSERT_EQ(efforts.size(), 4u);
      const double first = static_cast<double>(efforts[1]), rest = static_cast<double>(efforts[3]) - first;
      EXPECT_LT(rest, 2.5 * first) << workload << " " << name_of(level);
      EXPECT_LT(efforts[3], 40 * history.operation_count()) << workload << " " << name_of(level);
    }
}

}  // namespace
}  // namespace serval
