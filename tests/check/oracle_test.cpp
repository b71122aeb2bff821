#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "oracle/brute_force.h"
#include "oracle/draft.h"
#include "oracle/enumerate_histories.h"
#include "oracle/random_history.h"
#include "serval/history/notation.h"

// The oracle itself is tested with textbook examples, and the generators with what they promise.

namespace serval::oracle {
namespace {

bool satisfies(const char* text, Level level) { return oracle::satisfies(parse_history(text), level); }

constexpr auto kSer = Level::Serializable;
constexpr auto kSession = Level::StrongSessionSerializable;
constexpr auto kStrict = Level::StrictSerializable;
constexpr auto kSi = Level::SnapshotIsolation;
constexpr auto kSessionSi = Level::StrongSessionSnapshotIsolation;
constexpr auto kStrongSi = Level::StrongSnapshotIsolation;

TEST(Oracle, WriteSkewSeparatesSnapshotIsolationFromSerializable) {
  const char* const text = "s1: [r(x,0) r(y,0) w(x,1)] s2: [r(x,0) r(y,0) w(y,1)]";
  EXPECT_TRUE(satisfies(text, kStrongSi));
  EXPECT_FALSE(satisfies(text, kSer));
}

TEST(Oracle, SnapshotIsolationForbidsLostUpdate) {
  EXPECT_FALSE(satisfies("s1: [r(x,0) w(x,1)] s2: [r(x,0) w(x,2)]", kSi));
}

TEST(Oracle, SnapshotIsolationForbidsLongFork) {
  EXPECT_FALSE(satisfies("s1: [w(x,1)] s2: [w(y,1)] s3: [r(x,1) r(y,0)] s4: [r(x,0) r(y,1)]", kSi));
}

TEST(Oracle, BlindWritesCanBeOrderedFreely) {
  EXPECT_TRUE(satisfies("s1: [w(x,1)] s2: [w(x,2)] s3: [r(x,1)] s4: [r(x,2)]", kStrict));
}

TEST(Oracle, SessionOrderCountsOnlyAtStrongLevels) {
  const char* const text = "s1: [w(x,1)] [r(x,0)]";
  EXPECT_TRUE(satisfies(text, kSer));
  EXPECT_TRUE(satisfies(text, kSi));
  EXPECT_FALSE(satisfies(text, kSession));
  EXPECT_FALSE(satisfies(text, kSessionSi));
}

TEST(Oracle, RealTimeCountsOnlyAtStrictLevels) {
  const char* const text = "s1: [w(x,1)]@0..5 s2: [r(x,0)]@6..9";
  EXPECT_TRUE(satisfies(text, kSession));
  EXPECT_FALSE(satisfies(text, kStrict));
  EXPECT_FALSE(satisfies(text, kStrongSi));
  EXPECT_FALSE(satisfies(text, Level::Linearizable));
}

TEST(Oracle, EqualTimesOrderNothing) {
  EXPECT_TRUE(satisfies("s1: [w(x,1)]@0..5 s2: [r(x,0)]@5..9", kStrict));
}

TEST(Oracle, IndeterminateTransactionsMayOrMayNotHaveHappened) {
  EXPECT_TRUE(satisfies("s1: [w(x,1)]? s2: [r(x,1)]", kStrict));
  EXPECT_TRUE(satisfies("s1: [w(x,1)]? s2: [r(x,0)]", kStrict));
  EXPECT_FALSE(satisfies("s1: [w(x,1)]? s2: [r(x,1)] [r(x,0)]", kSession));
}

TEST(Oracle, AbortedWritesAreInvisible) { EXPECT_FALSE(satisfies("s1: [w(x,1)]! s2: [r(x,1)]", kSi)); }

TEST(Oracle, LinearizableIgnoresSessions) {
  EXPECT_TRUE(satisfies("s1: [w(x,1)] [r(x,0)]", Level::Linearizable));
}

TEST(Oracle, AReadOfTheInitialValueMaySeeAWriteOfIt) {
  EXPECT_TRUE(satisfies("s1: [r(x,0)] [w(x,0)]", kSession));
  EXPECT_TRUE(satisfies("s1: [w(x,1)] [w(x,0)] [r(x,0)]", kSession));
  EXPECT_FALSE(satisfies("s1: [w(x,0)] [w(x,1)] [r(x,0)]", kSession));
  EXPECT_TRUE(satisfies("s1: [r(x,_)] [w(x,0)] [r(x,0)]", kSession));
}

TEST(Oracle, AWriteOfUnknownValueMayHaveWrittenAnything) {
  EXPECT_TRUE(satisfies("s1: [w(x,?)] [r(x,17)]", kSession));
  EXPECT_TRUE(satisfies("s1: [w(x,?)] [r(x,_)]", kSession));
  EXPECT_FALSE(satisfies("s1: [w(x,?)] [r(x,17)] [r(x,18)]", kSession));
  EXPECT_FALSE(satisfies("s1: [w(x,?)]! [r(x,17)]", kSession));
}

// The levels that hold, weakest first, among those that the example separates.
std::vector<Level> broken(const char* text) {
  std::vector<Level> levels;
  const History history = parse_history(text);
  const LevelSet truth = satisfied_levels(history);
  for (const Level level : decidable_levels())
    if (!truth[index_of(level)]) levels.push_back(level);
  return levels;
}
bool breaks_first(const char* text, Level weakest) {
  const std::vector<Level> levels = broken(text);
  if (std::ranges::count(levels, weakest) == 0) return false;
  return std::ranges::none_of(levels,
                              [weakest](Level level) { return level != weakest && implies(weakest, level); });
}

TEST(Oracle, KnowsTheWeakestLevelThatTextbookAnomaliesBreak) {
  EXPECT_TRUE(breaks_first("s1: [a(x,1) a(y,1)] s2: [a(x,2) a(y,2)] s3: [l(x,[1 2]) l(y,[2 1])]",
                           Level::ReadUncommitted));
  EXPECT_TRUE(breaks_first("s1: [w(x,1)]! s2: [r(x,1)]", Level::ReadCommitted));
  EXPECT_TRUE(breaks_first("s1: [r(x,0) w(x,1)] s2: [r(x,0) w(x,2)]", Level::CursorStability));
  EXPECT_TRUE(breaks_first("s1: [w(x,1) w(y,1)] s2: [r(x,1) r(y,0)]", Level::MonotonicAtomicView));
  EXPECT_TRUE(breaks_first("s1: [w(x,1)] s2: [r(x,1) w(y,1)] s3: [r(y,1) r(x,0)]", Level::MonotonicView));
  EXPECT_TRUE(breaks_first("s1: [w(x,1) w(y,1)] s2: [r(x,0) r(y,1)]", Level::ReadAtomic));
  EXPECT_TRUE(breaks_first("s1: [w(x,1) w(y,1)] s2: [r(x,0) r(y,1)]", Level::ConsistentView));
  EXPECT_TRUE(breaks_first("s1: [w(x,1)] s2: [r(x,1) w(y,1)] s3: [r(y,1) r(x,0)]", Level::Causal));
  EXPECT_TRUE(breaks_first("s1: [w(x,1)] s2: [w(y,1)] s3: [r(x,1) r(y,0)] s4: [r(x,0) r(y,1)]",
                           Level::PrefixConsistency));
  EXPECT_TRUE(breaks_first("s1: [r(x,0) w(x,1)] s2: [r(x,0) w(x,2)]", Level::CursorStability));
}

TEST(Oracle, KnowsTheSessionGuarantees) {
  EXPECT_TRUE(breaks_first("s1: [w(x,1)] s2: [r(x,1)] [r(x,0)]", Level::MonotonicReads));
  EXPECT_TRUE(breaks_first("s1: [w(x,1)] [w(y,1)] s2: [r(y,1) r(x,0)]", Level::MonotonicWrites));
  EXPECT_TRUE(breaks_first("s1: [w(x,1)] [r(x,0)]", Level::ReadYourWrites));
  EXPECT_TRUE(
      breaks_first("s1: [w(x,1)] s2: [r(x,1)] [w(y,1)] s3: [r(y,1) r(x,0)]", Level::WritesFollowReads));
  EXPECT_TRUE(breaks_first("s1: [w(x,1)] [w(y,1)] s2: [r(y,1)] [r(x,0)]", Level::Pram));
}

TEST(Oracle, ListReadsShowTheOrderOfVersions) {
  EXPECT_TRUE(satisfies("s1: [w(x,1)] [w(x,2)] s2: [r(x,2)] s3: [r(x,1)]", kSession));
  EXPECT_TRUE(satisfies("s1: [a(x,1)] [a(x,2)] s2: [l(x,[2 1])]", kSer));
  EXPECT_FALSE(satisfies("s1: [a(x,1)] [a(x,2)] s2: [l(x,[2 1])]", Level::StrongSessionReadUncommitted));
}

TEST(Oracle, AppendsBetweenTheAppendsOfOneTransactionAreDirtyWrites) {
  EXPECT_FALSE(satisfies("s1: [a(x,1) a(x,3)] s2: [a(x,2)] s3: [l(x,[1 2 3])]", Level::ReadUncommitted));
  EXPECT_FALSE(satisfies("s1: [a(x,1) a(x,3)] s2: [a(x,2)] s3: [l(x,[1 2])]", Level::ReadUncommitted));
}

TEST(Oracle, ReadUncommittedAllowsWhatReadCommittedForbids) {
  for (const char* const text : {"s1: [a(x,1)]! s2: [l(x,[1])]", "s1: [a(x,1) a(x,2)] s2: [l(x,[1])]",
                                 "s1: [l(x,[7])]", "s1: [a(x,1)] s2: [a(x,2)] s3: [l(x,[1])] s4: [l(x,[2])]",
                                 "s1: [l(x,[1]) a(x,1)]", "s1: [a(x,1)]! s2: [a(x,2)] s3: [l(x,[1 2])]"})
    EXPECT_TRUE(breaks_first(text, Level::ReadCommitted)) << text;
  EXPECT_TRUE(breaks_first("s1: [a(x,1)] s2: [l(x,[1 1])]", Level::ReadUncommitted));
}

TEST(Oracle, ReadCommittedAllowsAListThatGrewBeforeItsOwnAppend) {
  EXPECT_TRUE(breaks_first("s1: [l(x,[]) a(x,1) l(x,[2 1])] s2: [a(x,2)]", Level::CursorStability));
  EXPECT_TRUE(breaks_first("s1: [l(x,[]) a(x,1) l(x,[2 1])] s2: [a(x,2)]", Level::ReadAtomic));
}

TEST(Oracle, ASessionThatLosesAListElementViolatesMonotonicReads) {
  EXPECT_FALSE(satisfies("s1: [a(x,1)] s2: [a(x,2)] s3: [l(x,[1])] [l(x,[2])]", Level::MonotonicReads));
}

TEST(Oracle, IndeterminateTransactionsThatWereSeenCountAtEveryLevel) {
  EXPECT_TRUE(satisfies("s1: [w(x,1)]? [r(x,0)]", Level::ReadYourWrites));
  EXPECT_FALSE(satisfies("s1: [w(x,1)]? [r(x,1)] [r(x,0)]", Level::ReadYourWrites));
}

TEST(Choices, ProduceEveryCombinationOnce) {
  Choices choices;
  std::set<std::pair<int, int>> seen;
  do {
    const int first = choices.below(3);
    const int second = first == 0 ? 0 : choices.below(2);
    EXPECT_TRUE(seen.insert({first, second}).second);
  } while (choices.advance());
  EXPECT_EQ(seen.size(), 5u);
}

TEST(ForEachHistory, VisitsEachClassOnce) {
  std::set<std::string> seen;
  const Universe universe{.name = "tiny", .outcomes = Universe::Outcomes::All};
  for_each_history(universe, [&](const Draft& draft) {
    EXPECT_TRUE(seen.insert(canonical_name(draft)).second) << print_history(draft.freeze());
  });
  EXPECT_GT(seen.size(), 1000u);
}

TEST(RandomHistory, DependsOnlyOnItsSeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random first(seed), second(seed);
    EXPECT_EQ(print_history(random_transactions(first, 5).freeze()),
              print_history(random_transactions(second, 5).freeze()));
  }
}

TEST(Shrink, KeepsOnlyWhatTheFailureNeeds) {
  Random random(7);
  Draft draft = random_transactions(random, 5);
  draft.transactions.push_back({.session = 9, .operations = {{OperationKind::Write, 0, 77}, {}}});
  const auto writes_77 = [](const Draft& candidate) {
    for (const Draft::Transaction& transaction : candidate.transactions)
      for (const Draft::Step& step : transaction.operations)
        if (step.value == 77) return true;
    return false;
  };
  EXPECT_EQ(print_history(shrink(draft, writes_77).freeze()), "s9: [w(x,77)]\n");
}

}  // namespace
}  // namespace serval::oracle
