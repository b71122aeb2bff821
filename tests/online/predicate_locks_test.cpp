#include <gtest/gtest.h>

#include "trace_builder.h"

namespace serval::online {
namespace {

// T1 updates rows WHERE `first` and ends late. T2 updates rows WHERE `second` and returns in the
// meantime.
OnlineResult run(const char* first, const char* second, const char* profile, std::int32_t matched = 1,
                 const char* earlier_write = nullptr) {
  TraceBuilder trace;
  if (earlier_write != nullptr) trace.write(1, earlier_write, 1, {5, 8});
  trace.operation(1, OperationKind::PredicateUpdate, {}, {10, 20}).matched(matched, matched).where(first);
  trace.operation(2, OperationKind::PredicateUpdate, {}, {30, 40}).matched(0, 0).where(second);
  trace.commit(2, {50, 60}).commit(1, {90, 95});
  return trace.verify(profile);
}

TEST(PredicateLocks, AWriteOfTheSameOrALargerRegionWaits) {
  for (const char* second : {"t.a = 3", "t.a BETWEEN 1 AND 5", "t.a = 3 OR t.b > 7"})
    for (const char* profile :
         {"mariadb:repeatable-read", "mariadb:read-committed", "postgres:read-committed"}) {
      const OnlineResult result = run("t.a = 3", second, profile);
      ASSERT_TRUE(result.violated()) << second << " " << profile;
      EXPECT_EQ(result.violations[0].mechanism, Mechanism::MutualExclusion);
      EXPECT_EQ(result.violations[0].key, "rows of t");
    }
}

TEST(PredicateLocks, OverlappingOrTooComplexRegionsProveNothing) {
  for (const char* second : {"t.a BETWEEN 3 AND 9", "t.a % 2 = 1", "t.b = 3"})
    EXPECT_FALSE(run("t.a BETWEEN 1 AND 5", second, "mariadb:repeatable-read").violated()) << second;
}

TEST(PredicateLocks, DisjointRegionsAndOtherTablesDoNotConflict) {
  EXPECT_FALSE(run("t.a = 3", "t.a > 4", "mariadb:repeatable-read").violated());
  EXPECT_FALSE(run("t.a = 3", "s.a = 3", "mariadb:repeatable-read").violated());
}

TEST(PredicateLocks, ARegionWithoutCommittedRowsLocksNothing) {
  EXPECT_FALSE(run("t.a = 3", "t.a = 3", "mariadb:repeatable-read", 0).violated());
  EXPECT_FALSE(run("t.a = 3", "t.a = 3", "mariadb:repeatable-read", 1, "t/1").violated());
}

TEST(PredicateLocks, AWriteFromASnapshotMayNotSeeTheRows) {
  EXPECT_FALSE(run("t.a = 3", "t.a = 3", "postgres:repeatable-read").violated());
}

}  // namespace
}  // namespace serval::online
