#include "serval/check/lightweight/lightweight.h"

#include <gtest/gtest.h>

#include "serval/check/check.h"
#include "serval/history/notation.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

// "holds", "undecided", or the broken rule. The witness must verify in each case.
std::string judged(const std::string& notation) {
  const History history = parse_history(notation);
  const CheckResult result = check(history, Level::Linearizable);
  EXPECT_EQ(verify_witness(history, Level::Linearizable, result.verdict), std::nullopt) << notation;
  if (holds(result.verdict)) return "holds";
  if (undecided(result.verdict)) return "undecided";
  return std::string(
      name_of(std::get<ChainBreak>(std::get<Violated>(result.verdict).anomalies.front().evidence).rule));
}

TEST(Lightweight, AChainOfCompareAndSetsHolds) {
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 [cas(x,2,3)]@7..8 b: [cas(x,1,2)]@3..6"), "holds");
}

TEST(Lightweight, ReadsFollowTheValueTheySaw) {
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [cas(x,1,2)]@3..9 c: [r(x,1)]@4..5 [r(x,2)]@6..7"), "holds");
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [cas(x,1,2)]@3..9 c: [r(x,2)]@4..5 [r(x,1)]@6..7"), "real-time");
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [cas(x,1,2)]@3..4 c: [cas(x,1,9)!]@5..6"), "never-written");
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [cas(x,1,2)]@3..4 c: [cas(x,9,1)!]@5..6"), "real-time");
}

TEST(Lightweight, NamesTheBrokenRule) {
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [i(x,2)]@1..2"), "two-inserts");
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [cas(x,1,2)]@3..4 c: [cas(x,1,3)]@3..4"), "two-successors");
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [cas(x,7,2)]@3..4"), "never-written");
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [cas(x,3,2)]@3..4 c: [cas(x,2,3)]@3..4"), "unreachable");
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [cas(x,2,3)]@3..4 c: [cas(x,1,2)]@5..6"), "real-time");
}

TEST(Lightweight, KeysAreIndependent) {
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 [i(y,1)]@3..4 b: [cas(y,1,2)]@1..9 c: [cas(x,1,2)]@1..9"), "holds");
}

TEST(Lightweight, AnIndeterminateOperationMayTakeEffectLate) {
  EXPECT_EQ(judged("a: [i(x,1)]@1..2 b: [cas(x,1,2)]?@3..4 c: [r(x,1)]@5..6 [r(x,2)]@7..8"), "holds");
}

TEST(Lightweight, WithoutTimesACompleteChainStaysUndecided) {
  EXPECT_EQ(judged("a: [i(x,1)] b: [cas(x,1,2)]"), "undecided");
  EXPECT_EQ(judged("a: [i(x,1)] b: [i(x,2)]"), "two-inserts");
}

// Strict serializability implies linearizability for transactions of any length.
TEST(Lightweight, LongerTransactionsAreLeftToOtherEngines) {
  const History history = parse_history("a: [i(x,1) r(x,1)]@1..2");
  EXPECT_TRUE(
      undecided(check(history, Level::Linearizable, {.engine = Engine::LightweightTransaction}).verdict));
  EXPECT_EQ(judged("a: [i(x,1) r(x,1)]@1..2"), "holds");
}

TEST(Lightweight, PlainWritesAreOrderedByTheStrictLevel) {
  EXPECT_EQ(judged("a: [w(x,1)]@1..2 b: [w(x,2)]@3..4"), "holds");
  EXPECT_EQ(judged("a: [w(x,1)]@1..2 b: [r(x,1)]@3..4"), "holds");
}

}  // namespace
}  // namespace serval
