#include <gtest/gtest.h>

#include "trace_builder.h"

namespace serval::online {
namespace {

std::string first_kind(const OnlineResult& result) {
  return result.violations.empty() ? "" : std::string(serval::name_of(result.violations.front().kind));
}

// x=1 is committed in [30, 40], x=2 in [60, 70].
TraceBuilder two_versions() {
  TraceBuilder trace;
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  trace.write(2, "x", 2, {50, 55}).commit(2, {60, 70});
  return trace;
}

TEST(ConsistentRead, SeesWhatWasCommittedBeforeIt) {
  TraceBuilder trace = two_versions();
  trace.read(3, "x", 2, {80, 90}).commit(3, {100, 110});
  const OnlineResult result = trace.verify("postgres:read-committed");
  EXPECT_FALSE(result.violated());
  EXPECT_EQ(result.statistics.deduced[static_cast<std::size_t>(Dependency::WriteRead)], 1u);
}

TEST(ConsistentRead, OfAnOverwrittenVersionIsStale) {
  TraceBuilder trace = two_versions();
  trace.read(3, "x", 1, {80, 90}).commit(3, {100, 110});
  const OnlineResult result = trace.verify("postgres:read-committed");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations.front().mechanism, Mechanism::ConsistentRead);
  EXPECT_EQ(first_kind(result), "read-skew-realtime");
}

TEST(ConsistentRead, MaySeeEitherVersionWhileOneIsInstalled) {
  for (const std::int64_t value : {1, 2}) {
    TraceBuilder trace = two_versions();
    trace.read(3, "x", value, {65, 68}).commit(3, {100, 110});
    EXPECT_FALSE(trace.verify("postgres:read-committed").violated()) << value;
  }
}

TEST(ConsistentRead, AtTheSameTickAsACommitMayOrMayNotSeeIt) {
  for (const std::int64_t value : {1, 2}) {
    TraceBuilder before = two_versions(), after = two_versions();
    before.read(3, "x", value, {56, 60}).commit(3, {100, 110});
    after.read(3, "x", value, {70, 75}).commit(3, {100, 110});
    EXPECT_FALSE(before.verify("postgres:read-committed").violated()) << value;
    EXPECT_FALSE(after.verify("postgres:read-committed").violated()) << value;
  }
}

TEST(ConsistentRead, BeforeTheCommitBeginsIsOfUncommittedData) {
  TraceBuilder trace = two_versions();
  trace.read(3, "x", 2, {56, 58}).commit(3, {100, 110});
  EXPECT_EQ(first_kind(trace.verify("postgres:read-committed")), "cyclic-information-flow-realtime");
}

// Two transactions commit later what T1 read; it read one of the two.
TEST(ConsistentRead, OfAValueThatIsCommittedLaterIsAheadOnce) {
  TraceBuilder trace;
  trace.read(1, "x", 7, {10, 12}).commit(1, {14, 16});
  trace.write(2, "x", 7, {20, 22}).commit(2, {30, 35});
  trace.write(3, "x", 7, {40, 42}).commit(3, {50, 55});
  const OnlineResult result = trace.verify("postgres:read-committed");
  EXPECT_EQ(result.statistics.reads_ahead, 1u);
  EXPECT_EQ(result.statistics.largest_lead, 18);
}

TEST(ConsistentRead, OfAnAbortedWriteNamesTheWriter) {
  TraceBuilder trace;
  trace.write(1, "x", 1, {10, 20}).abort(1, {30, 40});
  trace.read(2, "x", 1, {22, 25}).commit(2, {50, 60});
  const OnlineResult result = trace.verify("postgres:read-committed");
  EXPECT_EQ(first_kind(result), "aborted-read");
  EXPECT_EQ(result.violations.front().transactions, (std::vector<std::uint64_t>{2, 1}));
}

TEST(ConsistentRead, MaySeeAnAbortedWriteThatBeganAtTheSameTick) {
  for (const Time begin : {12, 13}) {
    TraceBuilder trace;
    trace.read(2, "x", 1, {10, 12});
    trace.write(1, "x", 1, {begin, 20}).abort(1, {30, 40});
    trace.commit(2, {50, 60});
    EXPECT_EQ(first_kind(trace.verify("postgres:read-committed")),
              begin == 12 ? "aborted-read" : "thin-air-read");
  }
}

TEST(ConsistentRead, OfAnAbortedTransactionIsNotJudged) {
  TraceBuilder trace = two_versions();
  trace.read(3, "x", 7, {80, 90}).abort(3, {100, 110});
  EXPECT_FALSE(trace.verify("postgres:read-committed").violated());
}

TEST(ConsistentRead, SeesTheLastOwnWrite) {
  TraceBuilder good, bad;
  good.write(1, "x", 1, {10, 20}).write(1, "x", 2, {30, 40}).read(1, "x", 2, {50, 60}).commit(1, {70, 80});
  bad.write(1, "x", 1, {10, 20}).write(1, "x", 2, {30, 40}).read(1, "x", 1, {50, 60}).commit(1, {70, 80});
  EXPECT_FALSE(good.verify("postgres:serializable").violated());
  EXPECT_EQ(first_kind(bad.verify("postgres:serializable")), "not-my-own-write");
}

// The second statement of a transaction reads at its own moment at read committed, and at that of the
// first statement at higher levels.
TEST(ConsistentRead, OfATransactionIsAsOfItsFirstStatement) {
  TraceBuilder trace;
  trace.initial("y", 0);
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  trace.read(3, "y", 0, {45, 48});
  trace.write(2, "x", 2, {50, 55}).commit(2, {60, 70});
  trace.read(3, "x", 1, {80, 90}).commit(3, {100, 110});
  EXPECT_TRUE(trace.verify("postgres:read-committed").violated());
  EXPECT_FALSE(trace.verify("postgres:repeatable-read").violated());
}

// BEGIN with a consistent snapshot, or an unrecorded statement, may take the snapshot before the first
// operation.
TEST(ConsistentRead, MayUseASnapshotTakenSinceTheBegin) {
  for (const char* profile : {"postgres:repeatable-read", "postgres:serializable", "mariadb:repeatable-read",
                              "mariadb-snapshot:repeatable-read"}) {
    TraceBuilder since, before;
    for (TraceBuilder* trace : {&since, &before}) {
      trace->initial("x", 0);
      trace->write(1, "x", 1, {10, 20}).commit(1, {30, 40});
    }
    since.begin(3, {5, 6}).read(3, "x", 0, {50, 60}).commit(3, {70, 80});
    before.begin(3, {45, 46}).read(3, "x", 0, {50, 60}).commit(3, {70, 80});
    EXPECT_FALSE(since.verify(profile).violated()) << profile;
    EXPECT_TRUE(before.verify(profile).violated()) << profile;
  }
}

TEST(ConsistentRead, AfterABeginWithAConsistentSnapshotIsAsOfTheBegin) {
  for (const bool consistent : {false, true}) {
    TraceBuilder trace;
    trace.initial("x", 0);
    trace.begin(2, {1, 2}).last().consistent_snapshot = consistent;
    trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
    trace.read(2, "x", 1, {50, 60}).commit(2, {70, 80});
    EXPECT_EQ(trace.verify("mariadb:repeatable-read").violated(), consistent);
  }
}

// What an update replaces, as a first read, does not take a snapshot. But BEGIN already has taken it.
TEST(ConsistentRead, AfterAnUpdateIsStillAsOfABeginWithAConsistentSnapshot) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.begin(2, {1, 2}).last().consistent_snapshot = true;
  trace.read(2, "y", 0, {5, 8}).write(2, "y", 1, {5, 8});
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  trace.read(2, "x", 1, {50, 60}).commit(2, {70, 80});
  EXPECT_TRUE(trace.verify("mariadb:repeatable-read").violated());
}

// InnoDB takes the snapshot at the first plain read; an earlier update does not take it.
TEST(ConsistentRead, OfInnoDbStartsWithTheFirstPlainRead) {
  TraceBuilder trace;
  trace.initial("y", 0);
  trace.write(3, "z", 5, {5, 8});
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  trace.read(3, "x", 1, {45, 48}).commit(3, {100, 110});
  EXPECT_FALSE(trace.verify("mariadb:repeatable-read").violated());
  EXPECT_TRUE(trace.verify("postgres:repeatable-read").violated());
}

// InnoDB reads the current version of what an update replaces, PostgreSQL that of the snapshot.
TEST(ConsistentRead, OfWhatAnInnoDbUpdateReplacesIsCurrent) {
  TraceBuilder trace;
  trace.initial("y", 0).initial("x", 0);
  trace.read(3, "y", 0, {1, 5});
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  trace.read(3, "x", 1, {50, 60}).write(3, "x", 2, {50, 60}).commit(3, {100, 110});
  EXPECT_FALSE(trace.verify("mariadb:repeatable-read").violated());
  EXPECT_TRUE(trace.verify("postgres:repeatable-read").violated());
  EXPECT_TRUE(trace.verify("mariadb-snapshot:repeatable-read").violated());
}

// Each read alone is possible while both commits run. Together they need a snapshot after 30 and before
// 25 (Theorem 2).
TEST(ConsistentRead, NarrowsTheSnapshotAcrossKeys) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.write(1, "x", 1, {5, 8}).commit(1, {10, 25});
  trace.write(2, "y", 1, {6, 9}).commit(2, {30, 45});
  trace.read(3, "x", 0, {1, 50}).read(3, "y", 1, {60, 65}).commit(3, {70, 80});
  const OnlineResult result = trace.verify("postgres:repeatable-read");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations.front().mechanism, Mechanism::ConsistentRead);
  EXPECT_FALSE(result.violations.front().first.records.empty());
  EXPECT_FALSE(result.violations.front().second.records.empty());
  EXPECT_FALSE(trace.verify("yugabytedb:repeatable-read").violated());  // Clocks of several nodes.
}

// T1 writes x = 1, then T2 x = 2. T3 writes x = 3, at an unknown time during both.
TraceBuilder unordered_versions() {
  TraceBuilder trace;
  trace.initial("x", 0);
  trace.write(3, "x", 3, {5, 8});
  trace.write(1, "x", 1, {10, 12}).commit(1, {20, 30});
  trace.write(2, "x", 2, {40, 42}).commit(2, {50, 60});
  trace.commit(3, {70, 80});
  return trace;
}

TEST(ConsistentRead, OfAnOverwrittenVersionIsStaleEvenIfTheLastOneIsUnordered) {
  TraceBuilder trace = unordered_versions();
  trace.read(4, "x", 1, {90, 95}).commit(4, {100, 110});
  EXPECT_EQ(first_kind(trace.verify("generic:strict-serializable")), "read-skew-realtime");
}

// No moment explains the read of x, and at any moment there is no z.
TEST(ConsistentRead, OfAnUnwrittenValueIsReportedBesideAContradictorySnapshot) {
  TraceBuilder trace = unordered_versions();
  trace.read(4, "x", 1, {90, 95}).read(4, "z", 7, {96, 98}).commit(4, {100, 110});
  const OnlineResult result = trace.verify("generic:strict-serializable");
  ASSERT_EQ(result.violations.size(), 2u);
  EXPECT_EQ(result.violations[0].kind, AnomalyKind::ThinAirRead);
  EXPECT_EQ(result.violations[1].kind, AnomalyKind::ReadSkewRealTime);
}

// A delete that finds no row is recorded as a read of nothing. InnoDB's deletes see the current version.
TEST(ConsistentRead, OfNoRowMayBeADeleteThatFoundNone) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(2, "y", 0, {1, 2});
  trace.remove(1, "x", {10, 20}).commit(1, {30, 40});
  trace.read(2, "x", TraceBuilder::kNil, {50, 60}).commit(2, {70, 80});
  EXPECT_FALSE(trace.verify("mariadb:repeatable-read").violated());
  EXPECT_TRUE(trace.verify("postgres:repeatable-read").violated());
  TraceBuilder first;  // It does not take a snapshot either.
  first.initial("x", 0);
  first.read(2, "y", TraceBuilder::kNil, {1, 2});
  first.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  first.read(2, "x", 1, {50, 60}).commit(2, {70, 80});
  EXPECT_FALSE(first.verify("mariadb:repeatable-read").violated());
  EXPECT_TRUE(first.verify("postgres:repeatable-read").violated());
}

TEST(ConsistentRead, SeesACommitEntirelyOrNotAtAll) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.write(1, "x", 1, {5, 8}).write(1, "y", 1, {10, 12}).commit(1, {20, 90});
  trace.operation(2, OperationKind::PredicateRead, {{"x", 1}, {"y", 0}}, {30, 40}).commit(2, {50, 60});
  for (const char* profile : {"postgres:read-committed", "mariadb:read-committed", "mariadb:repeatable-read"})
    EXPECT_EQ(first_kind(trace.verify(profile)), "fractured-read") << profile;
  EXPECT_FALSE(trace.verify("sqlserver:read-committed").violated());  // Each row is read at its own moment.
}

// T1 matched two rows and changed one of them.
TEST(ConsistentRead, MaySeeOnlyOneOfTwoRowsThatPerhapsChanged) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.operation(1, OperationKind::PredicateUpdate, {{"x", 1}, {"y", 1}}, {5, 8}).matched(2, 1);
  trace.commit(1, {20, 90});
  trace.operation(2, OperationKind::PredicateRead, {{"x", 1}, {"y", 0}}, {30, 40}).commit(2, {50, 60});
  EXPECT_FALSE(trace.verify("postgres:read-committed").violated());
}

// x = 1 may be from T2, and T1's commit later than the read. Many reads are looked up in another way.
TEST(ConsistentRead, OfAnUncertainVersionIsNoHalfOfACommit) {
  for (const std::size_t others : {0, 20}) {
    TraceBuilder trace;
    trace.initial("x", 0).initial("y", 0);
    trace.write(1, "x", 1, {1, 2}).write(1, "y", 1, {3, 4}).commit(1, {10, 90});
    trace.write(2, "x", 1, {5, 6}).commit(2, {11, 91});
    const std::vector<std::string> names{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                         "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};
    std::vector<TraceBuilder::Cell> cells{{"x", 1}, {"y", 0}};
    for (std::size_t i = 0; i < others; ++i) cells.push_back({names[i], TraceBuilder::kNil});
    trace.operation(3, OperationKind::PredicateRead, cells, {50, 60}).commit(3, {100, 110});
    EXPECT_FALSE(trace.verify("rocksdb-optimistic:read-committed").violated()) << others;
  }
}

TEST(ConsistentRead, OfEqualValuesIsUncertainAndNotAViolation) {
  TraceBuilder trace;
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 60});
  trace.write(2, "x", 2, {62, 65}).commit(2, {70, 90});
  trace.write(3, "x", 1, {91, 92}).commit(3, {94, 99});
  trace.read(4, "x", 1, {50, 96}).commit(4, {100, 110});
  const OnlineResult result = trace.verify("postgres:read-committed");
  EXPECT_FALSE(result.violated());
  EXPECT_EQ(result.statistics.uncertain[static_cast<std::size_t>(Dependency::WriteRead)], 1u);
}

TEST(ConsistentRead, OfALostCommitIsPossibleAndProvesIt) {
  TraceBuilder trace;
  trace.initial("x", 0);
  trace.write(1, "x", 1, {10, 20}).lose(1, 30);
  TraceBuilder unseen = std::move(trace), seen, forgotten;
  unseen.read(2, "x", 0, {50, 60}).commit(2, {70, 80});
  EXPECT_FALSE(unseen.verify("postgres:read-committed").violated());
  for (TraceBuilder* one : {&seen, &forgotten}) {
    one->initial("x", 0);
    one->write(1, "x", 1, {10, 20}).lose(1, 30);
    one->read(2, "x", 1, {50, 60}).commit(2, {70, 80});
  }
  EXPECT_FALSE(seen.verify("postgres:read-committed").violated());
  forgotten.read(3, "x", 0, {90, 95}).commit(3, {96, 99});
  EXPECT_TRUE(forgotten.verify("postgres:read-committed").violated());
}

TEST(ConsistentRead, LearnsUnknownInitialValues) {
  TraceBuilder trace;
  trace.unknown_initial();
  trace.read(1, "x", 7, {10, 20}).commit(1, {30, 40});
  EXPECT_FALSE(trace.verify("postgres:read-committed").violated());
  trace.read(2, "x", 8, {50, 60}).commit(2, {70, 80});
  EXPECT_TRUE(trace.verify("postgres:read-committed").violated());
}

TEST(ConsistentRead, OfColumnsComparesEachOne) {
  TraceBuilder trace;
  trace.initial("t/1", 1, "a").initial("t/1", 1, "b");
  trace.operation(1, OperationKind::Write, {{"t/1", 2, "a"}}, {10, 20}).commit(1, {30, 40});
  TraceBuilder good = std::move(trace), bad;
  good.operation(2, OperationKind::Read, {{"t/1", 2, "a"}, {"t/1", 1, "b"}}, {50, 60}).commit(2, {70, 80});
  EXPECT_FALSE(good.verify("postgres:read-committed").violated());
  bad.initial("t/1", 1, "a").initial("t/1", 1, "b");
  bad.operation(1, OperationKind::Write, {{"t/1", 2, "a"}}, {10, 20}).commit(1, {30, 40});
  bad.operation(2, OperationKind::Read, {{"t/1", 2, "a"}, {"t/1", 9, "b"}}, {50, 60}).commit(2, {70, 80});
  const OnlineResult result = bad.verify("postgres:read-committed");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations.front().key, "t/1.b");
}

// An update that changes nothing creates no version in InnoDB, so the transaction still sees its
// snapshot.
TEST(ConsistentRead, AfterAnUpdateThatChangedNothing) {
  TraceBuilder trace;
  trace.initial("x", 0);
  trace.read(2, "x", 0, {1, 2});
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  trace.write(2, "x", 1, {50, 60}).matched(1, 0).read(2, "x", 0, {70, 80}).commit(2, {90, 95});
  EXPECT_FALSE(trace.verify("mariadb:repeatable-read").violated());
  TraceBuilder unstated;  // Unless the server says so, it is a write, which TiDB has to show (issue 42487).
  unstated.initial("x", 0);
  unstated.read(2, "x", 0, {1, 2});
  unstated.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  unstated.write(2, "x", 1, {50, 60}).read(2, "x", 0, {70, 80}).commit(2, {90, 95});
  EXPECT_FALSE(unstated.verify("mysql:repeatable-read").violated());
  EXPECT_EQ(first_kind(unstated.verify("tidb:repeatable-read")), "not-my-own-write");
}

// PostgreSQL: T1 inserts a row whose key T2 has deleted since T1's snapshot, and still sees the deleted
// row.
TEST(OwnWrites, OfADeletedKeyLeaveTheDeletedRowVisible) {
  const auto read_of = [](std::int64_t value, Interval deleted) {
    TraceBuilder trace;
    trace.initial("x", 1).initial("y", 0);
    trace.read(1, "y", 0, {10, 12});
    trace.remove(2, "x", {deleted.begin - 5, deleted.begin - 1}).commit(2, deleted);
    trace.operation(1, OperationKind::Insert, {{"x", 2}}, {40, 45});
    trace.read(1, "x", value, {50, 55}).commit(1, {60, 65});
    return trace.verify("postgres:repeatable-read");
  };
  EXPECT_FALSE(read_of(1, {20, 25}).violated());
  EXPECT_FALSE(read_of(2, {20, 25}).violated());
  EXPECT_TRUE(read_of(3, {20, 25}).violated());
  EXPECT_TRUE(read_of(TraceBuilder::kNil, {20, 25}).violated());
  EXPECT_TRUE(read_of(1, {7, 8}).violated());  // Deleted before the snapshot.
}

// PostgreSQL at read committed: an update of x waits for T1, which deletes the row and inserts a new
// one. The row that it waited for is gone, and the new one is too recent for its snapshot.
TEST(MissedWrites, MayFindNothingIfARowWasReplacedMeanwhile) {
  const auto miss = [](Interval time, const char* profile) {
    TraceBuilder trace;
    trace.initial("x", 1);
    trace.remove(1, "x", {10, 15})
        .operation(1, OperationKind::Insert, {{"x", 2}}, {20, 25})
        .commit(1, {40, 45});
    trace.read(2, "x", TraceBuilder::kNil, time).commit(2, {90, 95});
    return trace.verify(profile).violated();
  };
  EXPECT_FALSE(miss({30, 50}, "postgres:read-committed"));
  EXPECT_TRUE(miss({60, 70}, "postgres:read-committed"));  // T1 ended long before.
  EXPECT_TRUE(miss({5, 7}, "postgres:read-committed"));    // T1 has not begun.
  EXPECT_TRUE(miss({30, 50}, "postgres:repeatable-read"));
}

TEST(MissedWrites, FindARowThatWasOnlyUpdated) {
  TraceBuilder trace;
  trace.initial("x", 1);
  trace.write(1, "x", 2, {10, 15}).commit(1, {40, 45});
  trace.read(2, "x", TraceBuilder::kNil, {30, 50}).commit(2, {90, 95});
  EXPECT_TRUE(trace.verify("postgres:read-committed").violated());
}

TEST(OwnWrites, AreSeenUnlessTheRowWasDeleted) {
  TraceBuilder trace;
  trace.initial("x", 1);
  trace.read(1, "x", 1, {10, 12}).write(1, "x", 2, {20, 25}).read(1, "x", 1, {30, 35}).commit(1, {40, 45});
  const OnlineResult result = trace.verify("postgres:repeatable-read");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations[0].kind, AnomalyKind::NotMyOwnWrite);
}

TEST(Snapshots, ThatAreContradictoryNameAKey) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.write(1, "x", 1, {10, 12}).commit(1, {13, 15});
  trace.write(2, "y", 1, {20, 22}).commit(2, {23, 25});
  trace.read(3, "x", 0, {5, 30}).read(3, "y", 1, {31, 35}).commit(3, {40, 45});
  const OnlineResult result = trace.verify("postgres:repeatable-read");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations[0].key, "y");
}

}  // namespace
}  // namespace serval::online
