// Several partitions give the verdicts of one, down to every violation and count.
#include <cstdlib>

#include <gtest/gtest.h>

#include "same_result.h"
#include "sample.h"
#include "serval/online/mirror_history.h"
#include "simulated_run.h"
#include "trace_builder.h"

namespace serval::online {
namespace {

class Partitions : public testing::TestWithParam<const char*> {};

TEST_P(Partitions, GiveTheSameVerdicts) {
  std::uint64_t violated = 0;
  for (const char* workload : {"mini", "general", "list-append"})
    for (const char* bug : {static_cast<const char*>(nullptr), "dirty-read:probability=0.05",
                            "lost-update:probability=0.2", "stale-snapshot:probability=0.1",
                            "fractured-commit:probability=0.2", "skipped-validation:probability=0.2"})
      for (const std::uint64_t seed : fresh_seeds(sample_of(2))) {
        if (HasFailure()) break;
        SCOPED_TRACE(testing::Message() << workload << " " << (bug != nullptr ? bug : "") << " " << seed);
        const History history = history_of({"strict-serializable", workload, seed, bug});
        const Profile& profile = *find_profile(GetParam());
        OnlineOptions options{.most_violations = 100'000};
        const OnlineResult one = mirror_history(history, profile, options);
        for (const std::uint32_t partitions : {2u, 3u}) {
          options.partitions = partitions;
          expect_same(one, mirror_history(history, profile, options));
        }
        violated += one.violated() ? 1 : 0;
      }
  EXPECT_GT(violated, 0u);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Partitions,
                         testing::Values("simulated:read-committed", "simulated:snapshot-isolation",
                                         "simulated:strict-serializable", "postgres:read-committed",
                                         "postgres:repeatable-read", "mariadb:repeatable-read",
                                         "generic:strict-serializable", "generic:serializable"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](char c) { return c == '-' || c == ':'; });
                           return name;
                         });

// Two reads of one snapshot in two partitions: each one alone is possible, together they see half a
// commit.
TEST(Partitions, SeeHalfACommit) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.write(1, "x", 1, {10, 20}).write(1, "y", 1, {25, 30}).commit(1, {40, 90});
  trace.read(2, "x", 1, {50, 60}).read(2, "y", 0, {65, 70}).commit(2, {95, 99});
  for (const std::uint32_t partitions : {1u, 2u, 5u}) {
    const OnlineResult result = trace.verify("postgres:repeatable-read", {.partitions = partitions});
    ASSERT_EQ(result.statistics.violations_in_all(), 2u) << partitions;
    EXPECT_EQ(result.violations.front().kind, AnomalyKind::FracturedRead) << partitions;
    EXPECT_EQ(result.violations.back().mechanism, Mechanism::SerializationCertifier) << partitions;
  }
}

TEST(Partitions, SeeHalfACommitInOneStatement) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.write(1, "x", 1, {10, 20}).write(1, "y", 1, {25, 30}).commit(1, {40, 90});
  trace.operation(2, OperationKind::PredicateRead, {{"x", 1}, {"y", 0}}, {50, 60}).commit(2, {95, 99});
  for (const std::uint32_t partitions : {1u, 2u, 5u}) {
    const OnlineResult result = trace.verify("postgres:read-committed", {.partitions = partitions});
    ASSERT_EQ(result.statistics.violations_in_all(), 1u) << partitions;
    EXPECT_EQ(result.violations.front().kind, AnomalyKind::FracturedRead) << partitions;
  }
}

// Row = 1 is overwritten by row = 2, as the locks show, while row = 3 is written without a lock.
void add_unordered_versions(TraceBuilder& trace, const char* row, std::uint64_t first, Time at) {
  trace.initial(row, 0);
  trace.write(first, row, 1, {at, at + 5}).commit(first, {at + 20, at + 60});
  trace.write(first + 1, row, 2, {at + 35, at + 38}).commit(first + 1, {at + 40, at + 65});
  trace.begin(first + 2, {at + 41, at + 41}, StatedLevel::ReadUncommitted);
  trace.write(first + 2, row, 3, {at + 42, at + 45}).commit(first + 2, {at + 50, at + 70});
}

// Two statements whose snapshots no moment explains, in different partitions.
TEST(Partitions, ReportContradictorySnapshotsInTheOrderOfTheStatements) {
  for (const auto& [first, second] : {std::pair{"x", "y"}, std::pair{"y", "x"}}) {
    TraceBuilder trace;
    add_unordered_versions(trace, first, 1, 0);
    add_unordered_versions(trace, second, 11, 200);
    trace.read(21, first, 1, {180, 190}).read(21, second, 1, {380, 390}).commit(21, {400, 410});
    const OnlineResult one = trace.verify("rocksdb:read-committed");
    ASSERT_EQ(one.statistics.violations_in_all(), 2u);
    for (const std::uint32_t partitions : {2u, 3u, 5u})
      expect_same(one, trace.verify("rocksdb:read-committed", {.partitions = partitions}));
  }
}

// Several partitions judge the read of T1 after the commit of T2 has arrived, one partition before.
TEST(Partitions, CountReadsOfWhatIsCommittedLater) {
  TraceBuilder trace;
  trace.read(1, "x", 7, {10, 12}).commit(1, {14, 16});
  trace.write(2, "x", 7, {20, 22}).commit(2, {30, 35});
  for (const std::uint32_t partitions : {1u, 2u}) {
    const OnlineResult result = trace.verify("postgres:read-committed", {.partitions = partitions});
    EXPECT_EQ(result.statistics.reads_ahead, 1u) << partitions;
    EXPECT_EQ(result.statistics.largest_lead, 18) << partitions;
  }
}

// T2 had ended when the read of T1 was judged, and overwrote its own x = 7.
TEST(Partitions, DoNotCountReadsOfWhatWasNeverCommitted) {
  TraceBuilder trace;
  trace.read(1, "x", 7, {10, 12}).commit(1, {14, 40});
  trace.write(2, "x", 7, {20, 22}).write(2, "x", 8, {23, 24}).commit(2, {30, 50});
  for (const std::uint32_t partitions : {1u, 2u}) {
    const OnlineResult result = trace.verify("postgres:read-committed", {.partitions = partitions});
    EXPECT_TRUE(result.violated()) << partitions;
    EXPECT_EQ(result.statistics.reads_ahead, 0u) << partitions;
  }
}

// T2's read is judged when its commit is answered, before or after T1 aborts.
TEST(Partitions, CiteAnAbortIfItCameBeforeTheVerdict) {
  for (const auto& [answered, action] :
       {std::pair{16, "write x = 7"}, {40, "write x = 7, and abort later"}}) {
    TraceBuilder trace;
    trace.write(1, "x", 7, {5, 6}).read(2, "x", 7, {10, 12}).commit(2, {14, answered});
    trace.read(1, "y", TraceBuilder::kNil, {20, 22}).abort(1, {30, 35});
    for (const std::uint32_t partitions : {1u, 2u}) {
      const OnlineResult result = trace.verify("postgres:read-committed", {.partitions = partitions});
      ASSERT_TRUE(result.violated()) << partitions;
      EXPECT_EQ(result.violations[0].first.records.back().action, action) << partitions;
    }
  }
}

// What a read in one partition reveals about the snapshot decides in another partition who updated
// first.
TEST(Partitions, ShareWhenASnapshotWasTaken) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  // T3 reads x = 0, so its snapshot is before the commit of T1; T2 commits y between them.
  trace.write(1, "x", 1, {10, 20}).commit(1, {30, 40});
  trace.write(2, "y", 2, {42, 45}).commit(2, {50, 60});
  trace.read(3, "x", 0, {25, 70}).write(3, "y", 3, {75, 80}).commit(3, {90, 95});
  const OnlineResult one = trace.verify("postgres:repeatable-read");
  ASSERT_EQ(one.statistics.violations_in_all(), 1u);
  EXPECT_EQ(one.violations.front().mechanism, Mechanism::FirstUpdaterWins);
  for (const std::uint32_t partitions : {2u, 3u})
    EXPECT_EQ(trace.verify("postgres:repeatable-read", {.partitions = partitions}).statistics.violations,
              one.statistics.violations);
}

}  // namespace
}  // namespace serval::online
