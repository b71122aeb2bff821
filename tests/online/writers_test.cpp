// Mutual exclusion, first updater wins, and the certifier.
#include <gtest/gtest.h>

#include "trace_builder.h"

namespace serval::online {
namespace {

Mechanism mechanism_of(const OnlineResult& result) { return result.violations.at(0).mechanism; }
std::uint64_t deduced(const OnlineResult& result, Dependency dependency) {
  return result.statistics.deduced[static_cast<std::size_t>(dependency)];
}

TEST(MutualExclusion, IsBrokenIfTwoWritersHoldTheLock) {
  TraceBuilder trace;
  trace.write(1, "x", 1, {10, 20}).read(1, "x", 1, {85, 88}).commit(1, {90, 95});
  trace.write(2, "x", 2, {30, 40}).commit(2, {50, 60});
  const OnlineResult result = trace.verify("postgres:read-committed");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(mechanism_of(result), Mechanism::MutualExclusion);
  EXPECT_EQ(result.violations[0].first.records.size(), 2u);
  EXPECT_FALSE(trace.verify("cockroachdb:serializable").violated());  // Its writes do not take locks.
}

TEST(MutualExclusion, OrdersWritersWhoseCommitsOverlap) {
  TraceBuilder trace;
  trace.write(1, "x", 1, {10, 20}).commit(1, {40, 90});
  trace.write(2, "x", 2, {30, 60}).commit(2, {70, 80});
  trace.read(3, "x", 2, {100, 110}).commit(3, {120, 130});
  const OnlineResult result = trace.verify("postgres:read-committed");
  EXPECT_FALSE(result.violated());
  EXPECT_EQ(deduced(result, Dependency::WriteWrite), 1u);
  trace.read(4, "x", 1, {140, 150}).commit(4, {160, 170});  // T2 came second, so the value of T1 is gone.
  EXPECT_TRUE(trace.verify("postgres:read-committed").violated());
}

TEST(MutualExclusion, HoldsForAbortingTransactionsUntilTheirLastOperation) {
  TraceBuilder trace;
  trace.write(1, "x", 1, {10, 20}).read(1, "y", TraceBuilder::kNil, {70, 75}).abort(1, {90, 95});
  trace.write(2, "x", 2, {30, 40}).commit(2, {50, 60});
  const OnlineResult result = trace.verify("postgres:read-committed");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(mechanism_of(result), Mechanism::MutualExclusion);
  TraceBuilder early;  // The server may have ended it right after its only write.
  early.write(1, "x", 1, {10, 20}).abort(1, {90, 95});
  early.write(2, "x", 2, {30, 40}).write(2, "z", 2, {42, 44}).commit(2, {50, 60});
  EXPECT_FALSE(early.verify("postgres:read-committed").violated());
}

TEST(MutualExclusion, OfPlainReadsAppliesToSerializableInnoDb) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(1, "x", 0, {10, 20}).read(1, "y", 0, {70, 75}).commit(1, {90, 95});
  trace.write(2, "x", 2, {30, 40}).commit(2, {50, 60});
  EXPECT_EQ(mechanism_of(trace.verify("mariadb:serializable")), Mechanism::MutualExclusion);
  EXPECT_FALSE(trace.verify("mariadb:repeatable-read").violated());
}

TEST(MutualExclusion, LetsReadersShareALock) {
  TraceBuilder trace;
  trace.initial("x", 0);
  trace.read(1, "x", 0, {10, 20}, LockMode::Shared).read(1, "x", 0, {70, 75}).commit(1, {90, 95});
  trace.read(2, "x", 0, {30, 40}, LockMode::Shared).read(2, "x", 0, {42, 43}).commit(2, {50, 60});
  EXPECT_FALSE(trace.verify("mariadb:repeatable-read").violated());
}

// The updates of T1 and T2 both read the initial version; locks alone would allow it.
TEST(FirstUpdaterWins, RefusesALostUpdate) {
  TraceBuilder trace;
  trace.initial("x", 0);
  trace.read(1, "x", 0, {1, 2}).read(2, "x", 0, {3, 4});
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  trace.write(2, "x", 2, {50, 60}).commit(2, {70, 80});
  const OnlineResult result = trace.verify("postgres:repeatable-read");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(mechanism_of(result), Mechanism::FirstUpdaterWins);
  EXPECT_FALSE(trace.verify("postgres:read-committed").violated());
  EXPECT_FALSE(trace.verify("mariadb:repeatable-read").violated());  // This is by design.
  EXPECT_EQ(mechanism_of(trace.verify("tidb-optimistic:repeatable-read")), Mechanism::FirstUpdaterWins);
}

TEST(FirstUpdaterWins, AllowsAnInsertOfANewRowForADeletedOne) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(2, "y", 0, {1, 2});
  trace.remove(1, "x", {10, 20}).commit(1, {30, 40});
  trace.operation(2, OperationKind::Insert, {{"x", 2}}, {50, 60}).commit(2, {70, 80});
  for (const char* profile : {"postgres:repeatable-read", "postgres:serializable"})
    EXPECT_FALSE(trace.verify(profile).violated()) << profile;
}

TEST(FirstUpdaterWins, ContradictsTheLocksWithBothDerivations) {
  TraceBuilder trace;  // By its lock T1 is first; T2's snapshot, narrowed by y, is before T1's commit.
  trace.initial("x", 0).initial("y", 0);
  trace.read(2, "y", 0, {1, 60});
  trace.write(3, "y", 1, {2, 4}).commit(3, {10, 20});
  trace.write(1, "x", 1, {5, 25}).commit(1, {30, 40});
  trace.write(2, "x", 2, {70, 75}).commit(2, {80, 90});
  const OnlineResult result = trace.verify("postgres:repeatable-read");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(mechanism_of(result), Mechanism::FirstUpdaterWins);
  EXPECT_FALSE(result.violations[0].first.conclusion.empty());
  EXPECT_FALSE(result.violations[0].second.conclusion.empty());
}

TraceBuilder write_skew() {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(1, "x", 0, {1, 2}).read(2, "y", 0, {3, 4});
  trace.write(1, "y", 1, {10, 20}).commit(1, {30, 40});
  trace.write(2, "x", 1, {12, 22}).commit(2, {50, 60});
  return trace;
}

TEST(SerializationCertifier, FindsWriteSkew) {
  const OnlineResult result = write_skew().verify("postgres:serializable");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(mechanism_of(result), Mechanism::SerializationCertifier);
  EXPECT_EQ(result.violations[0].kind, AnomalyKind::WriteSkew);
  EXPECT_EQ(result.violations[0].transactions.size(), 2u);
  EXPECT_FALSE(write_skew().verify("postgres:repeatable-read").violated());
}

// Two consecutive anti-dependencies, T1 -> T2 -> T3, without a cycle: PostgreSQL may commit all three.
TEST(SerializationCertifier, CountsTwoConsecutiveAntiDependenciesAsAHint) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(1, "x", 0, {1, 2}).read(2, "y", 0, {3, 4});
  trace.write(2, "x", 1, {10, 20}).commit(2, {60, 65});
  trace.write(3, "y", 1, {12, 22}).commit(3, {70, 75});
  trace.commit(1, {80, 85});
  const OnlineResult result = trace.verify("postgres:serializable");
  EXPECT_FALSE(result.violated());
  EXPECT_EQ(result.statistics.hints.consecutive_anti_dependencies, 1u);
  EXPECT_EQ(result.statistics.hints.dangerous_structures, 0u);
}

TEST(SerializationCertifier, IgnoresTransactionsOfOtherLevels) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.begin(1, {0, 0}, StatedLevel::RepeatableRead).begin(2, {0, 0}, StatedLevel::Serializable);
  trace.read(1, "x", 0, {1, 2}).read(2, "y", 0, {3, 4});
  trace.write(1, "y", 1, {10, 20}).commit(1, {30, 40});
  trace.write(2, "x", 1, {12, 22}).commit(2, {50, 60});
  EXPECT_FALSE(trace.verify("postgres:serializable").violated());
}

TEST(SerializationCertifier, FindsALongForkAmongSnapshots) {
  TraceBuilder trace;  // T3 sees x and not y, T4 sees y and not x, while both commit.
  trace.initial("x", 0).initial("y", 0);
  trace.write(1, "x", 1, {1, 2}).commit(1, {10, 90});
  trace.write(2, "y", 1, {1, 2}).commit(2, {10, 90});
  trace.read(3, "x", 1, {20, 30}).read(3, "y", 0, {40, 50}).commit(3, {60, 70});
  trace.read(4, "x", 0, {20, 30}).read(4, "y", 1, {40, 50}).commit(4, {60, 70});
  const OnlineResult result = trace.verify("postgres:repeatable-read");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(mechanism_of(result), Mechanism::SerializationCertifier);
  EXPECT_FALSE(trace.verify("postgres:read-committed").violated());
}

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

TEST(Certifier, ReportsTwoUpdatesOfOneVersionAsALostUpdate) {
  TraceBuilder trace;
  trace.initial("x", 0);
  trace.read(1, "x", 0, {10, 12}).write(1, "x", 1, {20, 22}).commit(1, {50, 60});
  trace.read(2, "x", 0, {11, 13}).write(2, "x", 2, {21, 23}).commit(2, {55, 65});
  for (const char* profile : {"rocksdb-optimistic:serializable", "generic:strict-serializable"}) {
    const OnlineResult result = trace.verify(profile);
    ASSERT_TRUE(result.violated());
    EXPECT_EQ(result.violations[0].kind, AnomalyKind::LostUpdate);
    EXPECT_EQ(result.violations[0].key, "x");
  }
}

// The order of the commits is certain, so one of the two dependencies is ww.
TEST(Certifier, ReportsAnUpdateOfAnOverwrittenVersionAsALostUpdate) {
  TraceBuilder trace;
  trace.initial("x", 0);
  trace.read(1, "x", 0, {10, 12}).write(1, "x", 1, {80, 82}).commit(1, {90, 95});
  trace.write(2, "x", 2, {21, 23}).commit(2, {30, 35});
  const OnlineResult result = trace.verify("rocksdb-optimistic:serializable");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations[0].kind, AnomalyKind::LostUpdate);
  EXPECT_EQ(result.violations[0].key, "x");
}

TEST(Certifier, NamesAllKeysOfAWriteSkew) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(1, "x", 0, {10, 12}).write(1, "y", 1, {20, 22}).commit(1, {50, 60});
  trace.read(2, "y", 0, {11, 13}).write(2, "x", 2, {21, 23}).commit(2, {55, 65});
  const OnlineResult result = trace.verify("rocksdb-optimistic:serializable");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations[0].kind, AnomalyKind::WriteSkew);
  EXPECT_TRUE(result.violations[0].key == "x, y" || result.violations[0].key == "y, x");
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

// Both updates started from the same version: whichever came first is lost. This needs no times.
TEST(OneUpdatePerVersion, ASecondUpdateIsALostUpdate) {
  for (const char* level : {"generic:snapshot-isolation", "generic:strong-session-snapshot-isolation",
                            "generic:strong-snapshot-isolation", "generic:cursor-stability"}) {
    TraceBuilder trace;
    trace.initial("x", 0);
    trace.read(1, "x", 0, {10, 20}).read(2, "x", 0, {15, 25});
    trace.write(1, "x", 1, {30, 40}).write(2, "x", 2, {35, 45});
    trace.commit(1, {50, 60}).commit(2, {55, 65});
    const OnlineResult result = trace.verify(level);
    ASSERT_EQ(result.violations.size(), 1u) << level;
    EXPECT_EQ(result.violations.front().kind, AnomalyKind::LostUpdate) << level;
  }
}

TEST(OneUpdatePerVersion, OtherUpdatesAreNotLost) {
  TraceBuilder chain, aborted, blind, deleted;
  for (TraceBuilder* trace : {&chain, &aborted, &blind, &deleted}) {
    trace->initial("x", 0);
    trace->read(1, "x", 0, {10, 20}).read(2, "x", trace == &chain ? 1 : 0, {15, 25});
    if (trace != &blind) trace->write(1, "x", 1, {30, 40});
    if (trace == &deleted) trace->remove(1, "x", {41, 42});
    trace->write(2, "x", 2, {35, 45});
    trace == &aborted ? trace->abort(1, {50, 60}) : trace->commit(1, {50, 60});
    trace->commit(2, {55, 65});
    EXPECT_FALSE(trace->verify("generic:snapshot-isolation").violated());
  }
  TraceBuilder committed_reads;
  committed_reads.initial("x", 0);
  committed_reads.read(1, "x", 0, {10, 20}).read(2, "x", 0, {15, 25});
  committed_reads.write(1, "x", 1, {30, 40}).write(2, "x", 2, {35, 45});
  committed_reads.commit(1, {50, 60}).commit(2, {55, 65});
  EXPECT_FALSE(committed_reads.verify("generic:read-committed").violated());
}

}  // namespace
}  // namespace serval::online
