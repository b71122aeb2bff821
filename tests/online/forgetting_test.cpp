// What is forgotten or put aside, and what is still known of it.
#include <gtest/gtest.h>

#include "trace_builder.h"

namespace serval::online {
namespace {

TEST(Forgetting, KeepsOneVersionPerKeyAndWhatALostCommitMayHaveLeft) {
  TraceBuilder trace;
  trace.write(1, "x", 1, {10, 20}).lose(1, 30);
  for (std::uint64_t t = 2; t < 2000; ++t) {
    const auto at = static_cast<Time>(t * 100);
    trace.write(t, "x", static_cast<std::int64_t>(t), {at, at + 10}).commit(t, {at + 20, at + 30});
  }
  trace.read(2000, "x", 1, {210'000, 210'010}).commit(2000, {210'020, 210'030});
  const OnlineResult result = trace.verify("postgres:serializable");
  EXPECT_FALSE(result.violated());
  EXPECT_LT(result.statistics.versions, 150u);
  EXPECT_LT(result.statistics.vertices, 150u);
}

// Commits of a hot key that no lock orders overlap in an endless chain: old versions are forgotten.
TEST(Forgetting, KeepsFewVersionsOfAKeyWhoseCommitsAlwaysOverlap) {
  TraceBuilder trace;
  trace.initial("x", 0);
  for (std::uint64_t t = 1; t <= 2000; ++t) {
    const Time start = static_cast<Time>(10 * t);
    trace.write(t, "x", static_cast<std::int64_t>(t), {start, start + 4}).commit(t, {start + 5, start + 17});
    trace.last().session = t % 2;
    (&trace.last() - 1)->session = t % 2;
  }
  const OnlineResult result = trace.verify("rocksdb-optimistic:serializable");
  EXPECT_FALSE(result.violated());
  EXPECT_LT(result.statistics.versions, 100u);
}

// Transactions that end without an operation, so that the verifier looks for what it can forget.
void add_empty_transactions(TraceBuilder& trace, std::uint64_t count, Time from) {
  for (std::uint64_t i = 0; i < count; ++i, from += 10)
    trace.begin(1000 + i, {from, from + 1}).abort(1000 + i, {from + 2, from + 3});
}

// Reads may be of any age, but only the versions of the last moments are kept.
TEST(Forgetting, LeavesReadsOfForgottenVersionsUncertain) {
  TraceBuilder trace;
  trace.initial("x", 0);
  for (std::uint64_t t = 1; t < 200; ++t) {
    const auto at = static_cast<Time>(t * 100);
    trace.write(t, "x", static_cast<std::int64_t>(t), {at, at + 10}).commit(t, {at + 20, at + 30});
  }
  trace.read(200, "x", 1, {21'000, 21'010}).commit(200, {21'020, 21'030});
  const OnlineResult result = trace.verify("simulated:snapshot-isolation", {.retention = 10});
  EXPECT_FALSE(result.violated());
  EXPECT_LT(result.statistics.versions, 199u);
  EXPECT_EQ(result.statistics.uncertain[static_cast<std::size_t>(Dependency::WriteRead)], 1u);
}

TEST(Forgetting, RemembersTheLastValuesOfKeysPutAside) {
  TraceBuilder trace;
  trace.write(1, "x", 1, {1, 2}).write(1, "y", 1, {3, 4}).write(1, "z", 1, {5, 6}).commit(1, {7, 8});
  add_empty_transactions(trace, 200, 10);
  trace.read(2, "x", 2, {5000, 5010}).commit(2, {5020, 5030});
  const OnlineResult result = trace.verify("postgres:read-committed", {.hot_keys = 0});
  EXPECT_LT(result.statistics.versions, result.statistics.keys);  // Keys were put aside.
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations[0].key, "x");
}

TEST(Forgetting, LeavesTheValueOfAKeyPutAsideOpenAfterALostCommit) {
  for (const std::int64_t value : {0, 1, 2}) {
    TraceBuilder trace;
    trace.initial("x", 0).initial("y", 0).initial("z", 0);
    trace.write(1, "x", 1, {1, 2}).lose(1, 3);
    add_empty_transactions(trace, 200, 10);
    trace.read(2, "x", value, {5000, 5010}).commit(2, {5020, 5030});
    const OnlineResult result = trace.verify("postgres:read-committed", {.hot_keys = 0});
    EXPECT_LT(result.statistics.versions, result.statistics.keys);
    EXPECT_EQ(result.violated(), value == 2) << value;
  }
}

// The commits of T1 and T2 overlap, and no lock orders them.
TEST(Forgetting, KeepsEachVersionThatMayBeTheLast) {
  for (const std::int64_t value : {1, 2}) {
    TraceBuilder trace;
    trace.write(1, "x", 1, {1, 2}).commit(1, {5, 10});
    trace.write(2, "x", 2, {3, 4}).commit(2, {6, 9});
    add_empty_transactions(trace, 200, 20);
    trace.write(3, "x", 3, {5000, 5010}).commit(3, {5020, 5100});
    trace.read(4, "x", value, {5050, 5060}).commit(4, {5110, 5120});
    EXPECT_FALSE(trace.verify("rocksdb-optimistic:serializable").violated()) << value;
  }
}

// T2 -rw-> T1 -wr-> T3 -rw-> T2. While T2 is open, T1 can be on a cycle, so the key that T3 will read
// is not put aside, although it was last used before T2 began.
TEST(Forgetting, KeepsTheKeysOfTransactionsInTheGraph) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0).initial("z", 0);
  trace.write(1, "x", 1, {1, 2}).write(1, "z", 1, {3, 4});
  trace.read(2, "z", 0, {10, 15});
  trace.commit(1, {20, 25});
  add_empty_transactions(trace, 200, 30);
  trace.read(3, "x", 1, {5000, 5010}).read(3, "y", 0, {5020, 5030}).commit(3, {5040, 5050});
  trace.write(2, "y", 1, {5060, 5070}).commit(2, {5080, 5090});
  for (const std::size_t hot_keys : {8'192, 0}) {
    const OnlineResult result = trace.verify("postgres:serializable", {.hot_keys = hot_keys});
    ASSERT_TRUE(result.violated()) << hot_keys;
    EXPECT_EQ(result.violations[0].mechanism, Mechanism::SerializationCertifier) << hot_keys;
  }
}

}  // namespace
}  // namespace serval::online
