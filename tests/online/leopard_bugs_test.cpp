// The bugs that the Leopard paper shows (section VI-F and appendix IV), as traces.
#include <gtest/gtest.h>

#include "trace_builder.h"

namespace serval::online {
namespace {

// Bug 1: the first update changes nothing and TiDB takes no lock, so another transaction can write the
// row.
TEST(LeopardBugs, DirtyWriteAfterAnUpdateThatChangesNothing) {
  for (const bool stated : {true, false}) {
    TraceBuilder trace;
    trace.initial("t/676", -5012153, "b");
    trace.begin(739, {1, 2}).begin(723, {3, 4});
    trace.operation(739, OperationKind::Write, {{"t/676", -5012153, "b"}}, {10, 20});
    if (stated) trace.matched(1, 0);
    trace.operation(723, OperationKind::Write, {{"t/676", -852150, "b"}}, {30, 40}).matched(1, 1);
    trace.operation(723, OperationKind::Read, {{"t/676", -852150, "b"}}, {42, 44}).commit(723, {50, 60});
    trace.operation(739, OperationKind::Read, {{"t/1", 1, "b"}}, {62, 64}, LockMode::None);
    trace.initial("t/1", 1, "b");
    trace.commit(739, {70, 80});
    const OnlineResult result = trace.verify("tidb:repeatable-read");
    ASSERT_TRUE(result.violated()) << stated;
    EXPECT_EQ(result.violations[0].mechanism, Mechanism::MutualExclusion);
    EXPECT_EQ(result.violations[0].key, "t/676");
  }
}

// Bug 2: FOR UPDATE through a join does not wait for the lock of a row that another transaction wrote.
TEST(LeopardBugs, LockingReadThroughAJoinTakesNoLock) {
  TraceBuilder trace;
  trace.initial("t/1", 2, "b").initial("s/2", 1, "b");
  trace.begin(211, {1, 2}).begin(324, {3, 4});
  trace.operation(211, OperationKind::Write, {{"t/1", 3, "b"}}, {10, 20});
  trace.operation(324, OperationKind::PredicateRead, {{"s/2", 1, "b"}, {"t/1", 2, "b"}}, {30, 40},
                  LockMode::Exclusive);
  trace.operation(324, OperationKind::Read, {{"s/2", 1, "b"}}, {42, 44}).commit(324, {50, 60});
  trace.operation(211, OperationKind::Read, {{"t/1", 3, "b"}}, {62, 64}).commit(211, {70, 80});
  const OnlineResult result = trace.verify("tidb:repeatable-read");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations[0].mechanism, Mechanism::MutualExclusion);
  EXPECT_EQ(result.violations[0].transactions, (std::vector<std::uint64_t>{324, 211}));
}

// Bug 3: one query returns two versions of a row, the transaction's own and the deleted one.
TEST(LeopardBugs, QueryReturnsTwoVersionsOfARow) {
  TraceBuilder trace;
  trace.initial("s/2", 1);
  trace.remove(213, "s/2", {1, 5}).commit(213, {6, 8});
  trace.begin(412, {10, 12});
  trace.operation(412, OperationKind::Insert, {{"s/2", 3}}, {20, 30});
  trace.operation(412, OperationKind::PredicateRead, {{"s/2", 1}, {"s/2", 3}}, {40, 50})
      .commit(412, {60, 70});
  const OnlineResult result = trace.verify("tidb:repeatable-read");
  ASSERT_TRUE(result.violated());
  EXPECT_EQ(result.violations[0].mechanism, Mechanism::ConsistentRead);
  EXPECT_EQ(result.violations[0].kind, AnomalyKind::NotMyOwnWrite);
}

// Section VI-F: a read sees the first update after the second one has committed; the three form no
// cycle.
TEST(LeopardBugs, ReadMissesTheLatestUpdate) {
  TraceBuilder trace;
  trace.initial("t/3873", -1123);
  trace.write(904, "t/3873", -386, {1, 2}).commit(904, {3, 4});
  trace.write(907, "t/3873", 484, {10, 12}).commit(907, {13, 14});
  trace.read(914, "t/3873", -386, {20, 22}).commit(914, {23, 24});
  for (const char* profile : {"tidb:repeatable-read", "tidb:read-committed", "postgres:read-committed"}) {
    const OnlineResult result = trace.verify(profile);
    ASSERT_TRUE(result.violated()) << profile;
    EXPECT_EQ(result.violations[0].mechanism, Mechanism::ConsistentRead);
    EXPECT_EQ(result.violations[0].transactions, (std::vector<std::uint64_t>{914, 904}));
  }
}

}  // namespace
}  // namespace serval::online
