#include "serval/watch/watch_doubts.h"

#include <gtest/gtest.h>

#include "serval/stream/record_batch.h"

namespace serval::watch {
namespace {

using online::Mechanism;
using online::Violation;

// T2 read at [60,70] what T1 had written at [30,40].
Violation stale_read() {
  Violation violation{Mechanism::ConsistentRead, AnomalyKind::ReadSkewRealTime, "x", {2}, {}, {}};
  violation.first.records = {{.transaction = 2, .action = "read x = 1", .time = {60, 70}}};
  violation.second.records = {{.transaction = 1, .action = "write x = 1", .time = {30, 40}}};
  return violation;
}

const WatchLabels kNobody;

TEST(WatchDoubts, WithoutADoubtEverythingIsCertain) {
  const WatchDoubts doubts(0);
  EXPECT_EQ(doubts.about(stale_read(), {kNobody}), "");
  EXPECT_EQ(doubts.count(), 0u);
}

TEST(WatchDoubts, AClientWithMissingRecordsMayExplainARead) {
  WatchDoubts doubts(0);
  doubts.add({.who = "connection 3", .what = "sent garbage", .since = 50, .until = 65});
  EXPECT_EQ(doubts.about(stale_read(), {kNobody}), "connection 3 sent garbage");
}

// Rule D1.
TEST(WatchDoubts, LocksDoNotDependOnOthers) {
  WatchDoubts doubts(0);
  doubts.add({.who = "c", .what = "is gone", .since = 0});
  Violation violation = stale_read();
  violation.mechanism = Mechanism::MutualExclusion;
  EXPECT_EQ(doubts.about(violation, {kNobody}), "");
}

// Rule D2.
TEST(WatchDoubts, ReadsBeforeTheDoubtAreCertain) {
  WatchDoubts doubts(0);
  doubts.add({.who = "c", .what = "is gone", .since = 70});
  EXPECT_EQ(doubts.about(stale_read(), {kNobody}), "");
}

// Rule D3.
TEST(WatchDoubts, OverwrittenWritesRaiseNoDoubtUnlessReadsMayBeOfAnyAge) {
  WatchDoubts doubts(0);
  doubts.add({.who = "c", .what = "is gone", .since = 0, .until = 20});
  Violation violation = stale_read();
  violation.kind = AnomalyKind::ThinAirRead;
  EXPECT_EQ(doubts.about(violation, {kNobody}), "");
  EXPECT_EQ(doubts.about(violation, {kNobody, true}), "c is gone");
}

TEST(WatchDoubts, ALastCommitMayTakeAsLongAsTheGracePeriod) {
  WatchDoubts doubts(15);
  doubts.add({.who = "c", .what = "is gone", .since = 0, .until = 20});
  Violation violation = stale_read();
  violation.kind = AnomalyKind::ThinAirRead;
  EXPECT_EQ(doubts.about(violation, {kNobody}), "c is gone");
}

// Rule D4.
TEST(WatchDoubts, TransactionsThatBeganAfterLateRecordsWereKnownAreCertain) {
  WatchLabels labels;
  RecordBatch batch;
  Record& begin = batch.add();
  begin.kind = RecordKind::Begin;
  begin.transaction = 2;
  begin.session = 0;
  begin.time = {55, 55};
  batch.set_rows(begin, {{.key = TraceValue::of(std::int64_t{0}), .value = TraceValue::of(std::int64_t{2})}});
  labels.note(begin);
  const Doubt late{.who = "c", .what = "came late", .since = 0, .until = kUnknownEnd, .known_from = 50};
  EXPECT_FALSE(may_explain(late, stale_read(), {labels}));
  EXPECT_TRUE(may_explain(late, stale_read(), {kNobody}));
}

TEST(WatchDoubts, ManyClientsBecomeOneDoubtThatSpansAll) {
  WatchDoubts doubts(0);
  for (int i = 0; i < 100; ++i) doubts.add({.who = "c", .what = "is gone", .since = 1000 - 9 * i});
  EXPECT_EQ(doubts.count(), 100u);
  EXPECT_EQ(doubts.format().size(), 21u);
  Violation violation = stale_read();
  violation.first.records[0].time = {160, 170};
  EXPECT_EQ(doubts.about(violation, {kNobody}),
            "80 more clients ended without their last record or were refused");
}

}  // namespace
}  // namespace serval::watch
