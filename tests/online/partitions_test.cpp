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
