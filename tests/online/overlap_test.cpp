// Which dependencies overlap, and which of those are deduced (Leopard, Figs. 3 and 12).
#include <gtest/gtest.h>

#include "sample.h"
#include "serval/online/mirror_history.h"
#include "small_database.h"
#include "trace_builder.h"

namespace serval::online {
namespace {

using Counts = std::array<std::uint64_t, kDependencyCount>;

constexpr Counts kNothing{};

Counts only(Dependency kind, std::uint64_t count) {
  Counts out{};
  out[static_cast<std::size_t>(kind)] = count;
  return out;
}

TEST(Overlap, SeparateIntervalsDoNotOverlap) {
  TraceBuilder trace;
  trace.initial("x", 0);
  trace.write(1, "x", 1, {10, 12}).commit(1, {14, 16});
  trace.read(2, "x", 1, {20, 22}).commit(2, {24, 26});
  trace.write(3, "x", 3, {30, 32}).commit(3, {34, 36});
  const OnlineStatistics found = trace.verify("postgres:serializable").statistics;
  EXPECT_EQ(found.deduced, (Counts{1, 1, 1, 0}));
  EXPECT_EQ(found.overlapping, kNothing);
  EXPECT_EQ(found.uncertain, kNothing);
}

// The value identifies the version, although it may have been installed before or after the snapshot.
TEST(Overlap, AReadDuringACommitIsDeducedFromItsValue) {
  TraceBuilder trace;
  trace.initial("x", 0).write(1, "x", 1, {10, 12}).commit(1, {20, 40});
  trace.read(2, "x", 1, {30, 32}).commit(2, {50, 52});
  const OnlineStatistics found = trace.verify("postgres:serializable").statistics;
  EXPECT_EQ(found.deduced, only(Dependency::WriteRead, 1));
  EXPECT_EQ(found.overlapping, only(Dependency::WriteRead, 1));
  EXPECT_EQ(found.uncertain, kNothing);
}

TEST(Overlap, AReadOfTheOldValueDuringACommitIsAnAntiDependency) {
  TraceBuilder trace;
  trace.initial("x", 0).write(1, "x", 1, {10, 12}).commit(1, {20, 40});
  trace.read(2, "x", 0, {30, 32}).commit(2, {50, 52});
  const OnlineStatistics found = trace.verify("postgres:serializable").statistics;
  EXPECT_EQ(found.deduced[static_cast<std::size_t>(Dependency::ReadWrite)], 1u);
  EXPECT_EQ(found.overlapping, only(Dependency::ReadWrite, 1));
  EXPECT_EQ(found.uncertain, kNothing);
}

TEST(Overlap, EqualValuesDuringACommitStayUncertain) {
  TraceBuilder trace;
  trace.initial("x", 0).write(1, "x", 1, {2, 4}).commit(1, {6, 8});
  trace.write(3, "x", 1, {10, 12}).commit(3, {20, 40});
  trace.read(2, "x", 1, {30, 32}).commit(2, {50, 52});
  const OnlineStatistics found = trace.verify("postgres:serializable").statistics;
  EXPECT_EQ(found.uncertain, only(Dependency::WriteRead, 1));
  EXPECT_EQ(found.overlapping, only(Dependency::WriteRead, 1));
}

// The second writer waited for the lock of the first.
TEST(Overlap, LocksOrderCommitsThatOverlap) {
  TraceBuilder trace;
  trace.initial("x", 0).write(1, "x", 1, {10, 12}).write(2, "x", 2, {14, 35});
  trace.commit(1, {30, 50}).commit(2, {40, 60});
  const OnlineStatistics locks = trace.verify("postgres:read-committed").statistics;
  EXPECT_EQ(locks.deduced, only(Dependency::WriteWrite, 1));
  EXPECT_EQ(locks.overlapping, only(Dependency::WriteWrite, 1));
  EXPECT_EQ(locks.uncertain, kNothing);
  const OnlineStatistics nothing = trace.verify("generic:read-committed").statistics;
  EXPECT_EQ(nothing.uncertain, only(Dependency::WriteWrite, 1));
  EXPECT_EQ(nothing.overlapping, only(Dependency::WriteWrite, 1));
}

// Two writers whose order is unknown: which of them overwrote what T4 read?
TEST(Overlap, AnUnknownOrderOfWritersLeavesTheAntiDependencyOpen) {
  TraceBuilder trace;
  trace.initial("x", 0).write(1, "x", 1, {10, 12}).write(2, "x", 2, {14, 16});
  trace.commit(1, {20, 40}).commit(2, {22, 42});
  trace.read(4, "x", 1, {30, 32}).write(4, "y", 1, {33, 34}).commit(4, {60, 62});
  const OnlineStatistics found = trace.verify("generic:strict-serializable").statistics;
  EXPECT_EQ(found.uncertain[static_cast<std::size_t>(Dependency::ReadWrite)], 1u);
  EXPECT_EQ(found.overlapping[static_cast<std::size_t>(Dependency::ReadWrite)], 1u);
}

// Of random histories at every profile.
TEST(Overlap, WhatIsUncertainOverlapsAndSessionsNeverDo) {
  std::uint64_t uncertain = 0, deduced = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(500, 30))) {
    const History history =
        SmallDatabase({.keeps = SmallDatabase::Keeps::StrictSerializable, .seed = seed, .transactions = 40})
            .run();
    for (const char* profile : {"generic:read-committed", "generic:strict-serializable",
                                "spanner:serializable", "simulated:strong-session-serializable"}) {
      const OnlineStatistics found = mirror_history(history, *find_profile(profile)).statistics;
      for (std::size_t kind = 0; kind < kDependencyCount; ++kind) {
        ASSERT_LE(found.uncertain[kind], found.overlapping[kind]) << profile << " " << seed;
        ASSERT_LE(found.overlapping[kind], found.uncertain[kind] + found.deduced[kind])
            << profile << " " << seed;
        uncertain += found.uncertain[kind];
        deduced += found.overlapping[kind] - found.uncertain[kind];
      }
      ASSERT_EQ(found.overlapping[static_cast<std::size_t>(Dependency::Session)], 0u);
    }
  }
  EXPECT_GT(uncertain, 0u);
  EXPECT_GT(deduced, 0u);
}

}  // namespace
}  // namespace serval::online
