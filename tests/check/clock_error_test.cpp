// Clocks that may be wrong: with_clock_error() widens the intervals, and an order closer than twice the
// error counts at no level and for no engine. Every verdict is re-proved with the same widened times.

#include <gtest/gtest.h>

#include "serval/check/check.h"
#include "serval/history/changed_history.h"
#include "serval/history/notation.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

std::string judged(const char* notation, Time error, Level level, const CheckOptions& options = {}) {
  const History history = with_clock_error(parse_history(notation), error);
  const CheckResult result = check(history, level, options);
  EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << notation << " " << error;
  return holds(result.verdict) ? "holds" : violated(result.verdict) ? "violated" : "undecided";
}

// An order counts if its gap is greater than twice the error: both clocks may be wrong.
void expect_bound(const char* notation, Time gap, Level level, const CheckOptions& options = {}) {
  const Time most = (gap - 1) / 2;
  EXPECT_EQ(judged(notation, 0, level, options), "violated") << notation;
  EXPECT_EQ(judged(notation, most, level, options), "violated") << notation;
  EXPECT_NE(judged(notation, most + 1, level, options), "violated") << notation;
}

constexpr const char* kStale = "a: [r(x,0) w(x,1)]@0..10 b: [r(x,0)]@20..30";

TEST(ClockError, StaleReadsOfRegistersNeedAClearOrder) {
  for (const Level level : {Level::StrictSerializable, Level::StrongSnapshotIsolation}) {
    expect_bound(kStale, 10, level);
    EXPECT_EQ(judged(kStale, 5, level), "holds");
  }
}

TEST(ClockError, WritesInTheWrongOrderNeedAClearOrder) {
  constexpr const char* kReversed = "a: [a(x,1)]@0..10 b: [a(x,2)]@20..30 c: [l(x,[2 1])]@40..50";
  for (const Level level : {Level::StrongReadUncommitted, Level::StrongReadCommitted,
                            Level::StrongSnapshotIsolation, Level::StrictSerializable}) {
    expect_bound(kReversed, 10, level);
    EXPECT_EQ(judged(kReversed, 5, level), "holds");
  }
}

TEST(ClockError, LightweightTransactionsNeedAClearOrder) {
  constexpr const char* kChain = "a: [i(x,1)]@0..10 b: [cas(x,1,2)]@20..30 c: [r(x,1)]@45..50";
  expect_bound(kChain, 15, Level::Linearizable);
  EXPECT_EQ(judged(kChain, 8, Level::Linearizable), "holds");
}

TEST(ClockError, SearchesForAnOrderNeedAClearOne) {
  constexpr const char* kBlind = "a: [w(x,1)]@0..10 b: [w(x,2)]@20..30 c: [r(x,1)]@40..50";
  expect_bound(kBlind, 10, Level::StrictSerializable, {.engine = Engine::Polygraph});
  EXPECT_EQ(judged(kBlind, 5, Level::StrictSerializable, {.engine = Engine::Polygraph}), "holds");
}

TEST(ClockError, ReplayedOrdersMustRespectOnlyAClearOrder) {
  const CheckOptions replay{.engine = Engine::Replay,
                            .expected_order = {ExpectedOrderSource::Given, {{1}, {0}}}};
  EXPECT_EQ(judged(kStale, 4, Level::StrictSerializable, replay), "undecided");
  EXPECT_EQ(judged(kStale, 5, Level::StrictSerializable, replay), "holds");
}

TEST(ClockError, AssumedOrdersOfKeysNeedAClearOrder) {
  constexpr const char* kTwoWrites = "a: [r(y,1) w(x,1)]@0..10 b: [w(y,1) w(x,2)]@20..30";
  CheckOptions options;
  options.hints.assumptions = {OrderBasis::LinearizableKeys};
  expect_bound(kTwoWrites, 10, Level::Serializable, options);
  EXPECT_EQ(judged(kTwoWrites, 5, Level::Serializable, options), "holds");
}

// Its own clock and program order tell a client what it did first.
TEST(ClockError, SessionOrderCountsWhateverTheError) {
  constexpr const char* kSession = "a: [r(x,0) w(x,1)]@0..10 [r(x,0)]@20..30";
  EXPECT_EQ(judged(kSession, 1000, Level::StrictSerializable), "violated");
  EXPECT_EQ(judged(kSession, 1000, Level::StrongSnapshotIsolation), "violated");
}

TEST(ClockError, LevelsWithoutRealTimeDoNotDependOnIt) {
  for (const LevelInfo& info : all_levels()) {
    if (uses_real_time(info.level)) continue;
    EXPECT_EQ(judged(kStale, 0, info.level), judged(kStale, 1000, info.level)) << info.name;
  }
}

TEST(ClockError, ASurveyUsesIt) {
  EXPECT_EQ(survey(parse_history(kStale)).found.size(), 1u);
  const Survey tolerant = survey(with_clock_error(parse_history(kStale), 5));
  EXPECT_TRUE(tolerant.found.empty());
  EXPECT_EQ(tolerant.proven.front(), Level::StrictSerializable);
}

TEST(ClockError, ClocksThatRunBackwardsByLessContradictNothing) {
  constexpr const char* kBackwards = "a: [r(x,0)]@20..21 [r(x,0)]@10..11";
  EXPECT_EQ(judged(kBackwards, 4, Level::StrictSerializable), "undecided");
  EXPECT_EQ(judged(kBackwards, 5, Level::StrictSerializable), "holds");
}

}  // namespace
}  // namespace serval
