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

// T2 is at a level for which nothing is promised; it committed between T1 and T3, which both had the lock.
TEST(MutualExclusion, IsBrokenEvenIfAWriterWithoutALockCameBetween) {
  TraceBuilder trace;
  trace.write(1, "x", 1, {10, 20}).commit(1, {40, 41});
  trace.begin(2, {5, 6}, StatedLevel::ReadUncommitted).write(2, "x", 2, {21, 22}).commit(2, {42, 45});
  trace.write(3, "x", 3, {30, 35}).commit(3, {60, 65});
  const OnlineResult result = trace.verify("rocksdb:read-committed");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations[0].transactions, (std::vector<std::uint64_t>{1, 3}));
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

TEST(MutualExclusion, HoldsForADeleteThatIsRolledBack) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.remove(1, "x", {10, 20}).read(1, "y", 0, {70, 75}).abort(1, {90, 95});
  trace.write(2, "x", 2, {30, 40}).commit(2, {50, 60});
  EXPECT_EQ(mechanism_of(trace.verify("mariadb:repeatable-read")), Mechanism::MutualExclusion);
}

TEST(MutualExclusion, DoesNotApplyToALockingReadThatFoundNoRow) {
  TraceBuilder trace;
  trace.initial("y", 0);
  trace.read(1, "x", TraceBuilder::kNil, {10, 20}, LockMode::Exclusive).read(1, "y", 0, {70, 75});
  trace.commit(1, {90, 95});
  trace.write(2, "x", 2, {30, 40}).commit(2, {50, 60});
  EXPECT_FALSE(trace.verify("mariadb:repeatable-read").violated());
}

// T2's commit begins before T1's is answered, so T1 is judged when T2's version is there but not judged.
TEST(MutualExclusion, OfAReaderAndAWriterIsReportedOnce) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(1, "x", 0, {10, 20}, LockMode::Exclusive).read(1, "y", 0, {22, 24}).commit(1, {70, 80});
  trace.write(2, "x", 1, {30, 40}).commit(2, {75, 90});
  EXPECT_EQ(trace.verify("mariadb:repeatable-read").statistics.violations_in_all(), 1u);
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
  for (const char* profile : {"postgres:repeatable-read", "simulated:prefix-consistency"}) {
    const OnlineResult result = trace.verify(profile);
    ASSERT_TRUE(result.violated()) << profile;
    EXPECT_EQ(mechanism_of(result), Mechanism::SerializationCertifier) << profile;
  }
  EXPECT_FALSE(trace.verify("postgres:read-committed").violated());
}

// T1 reads x, which T2 overwrites, and y, which T2 wrote.
TEST(SerializationCertifier, NamesACycleWithOneAntiDependencyReadSkew) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(1, "x", 0, {1, 2});
  trace.write(2, "x", 1, {10, 12}).write(2, "y", 1, {14, 16}).commit(2, {20, 25});
  trace.read(1, "y", 1, {30, 35}).commit(1, {40, 45});
  const OnlineResult result = trace.verify("rocksdb-optimistic:serializable");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations[0].kind, AnomalyKind::ReadSkew);
}

// T1 -rw-> T2 -rw-> T3 -wr-> T1, whichever of the dependencies is found last.
TEST(SerializationCertifier, NamesACycleWithTwoAntiDependenciesInARow) {
  for (const Time end_of_1 : {60, 90}) {
    TraceBuilder trace;
    trace.initial("x", 0).initial("y", 0);
    trace.read(1, "x", 0, {1, 2}).read(2, "y", 0, {3, 4});
    trace.write(3, "y", 1, {10, 12}).write(3, "z", 1, {14, 16}).commit(3, {20, 25});
    trace.write(2, "x", 1, {30, 32}).commit(2, {70, 80});
    trace.read(1, "z", 1, {40, 45}).commit(1, {end_of_1, end_of_1 + 5});
    const OnlineResult result = trace.verify("rocksdb-optimistic:serializable");
    ASSERT_TRUE(result.violated()) << end_of_1;
    EXPECT_EQ(result.violations[0].kind, AnomalyKind::AntiDependencyCycle) << end_of_1;
  }
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
