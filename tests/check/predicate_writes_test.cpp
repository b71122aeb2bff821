// Keys that predicate updates and deletes have written. The engines do not consider these writes yet, so
// they claim nothing about these keys.

#include <gtest/gtest.h>

#include "serval/check/check.h"
#include "serval/formats/format.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

History history_of(const std::string& records) {
  ByteStream stream = ByteStream::from_memory(
      "test.jsonl", "{\"serval\":\"history\",\"version\":1,\"initial\":0}\n" + records);
  return read_history(stream);
}

void expect_no_claim(const std::string& records) {
  const History history = history_of(records);
  for (const Level level :
       {Level::ReadCommitted, Level::Causal, Level::SnapshotIsolation, Level::Serializable,
        Level::StrongSessionSerializable, Level::ReadAtomic, Level::MonotonicReads,
        Level::ParallelSnapshotIsolation, Level::PrefixConsistency})
    EXPECT_FALSE(violated(check(history, level).verdict)) << name_of(level) << "\n" << records;
}

TEST(PredicateWrites, AreWritersOfWhatOthersRead) {
  expect_no_claim(
      "{\"s\":1,\"ops\":[[\"pu\",[\"between\",[\"col\",\"k\"],1,5],[[\"x\",7]]]]}\n"
      "{\"s\":2,\"ops\":[[\"r\",\"x\",7]]}\n");
}

TEST(PredicateWrites, DeletesMakeRoomForInserts) {
  expect_no_claim(
      "{\"s\":1,\"ops\":[[\"i\",\"x\",7]]}\n"
      "{\"s\":1,\"ops\":[[\"pd\",[\"between\",[\"col\",\"k\"],1,5],[[\"x\"]]]]}\n"
      "{\"s\":1,\"ops\":[[\"i\",\"x\",8]]}\n");
}

TEST(PredicateWrites, WithoutAnAnswerMayHaveWrittenAnything) {
  expect_no_claim(
      "{\"s\":1,\"ops\":[[\"i\",\"x\",7]]}\n"
      "{\"s\":2,\"ops\":[[\"pd\",[\"between\",[\"col\",\"k\"],1,5],[]]],\"outcome\":\"indeterminate\"}\n"
      "{\"s\":1,\"ops\":[[\"i\",\"x\",8]]}\n");
}

TEST(PredicateWrites, OtherKeysAreStillJudged) {
  const History history = history_of(
      "{\"s\":1,\"ops\":[[\"pu\",[\"between\",[\"col\",\"k\"],1,5],[[\"x\",7]]]]}\n"
      "{\"s\":2,\"ops\":[[\"r\",\"y\",9]]}\n");
  const Verdict verdict = check(history, Level::ReadCommitted).verdict;
  EXPECT_TRUE(violated(verdict));
  EXPECT_EQ(verify_witness(history, Level::ReadCommitted, verdict), std::nullopt);
}

TEST(PredicateWrites, ThatChangedNothingDoNotHideACycle) {
  const History history = history_of(
      "{\"s\":1,\"ops\":[[\"r\",\"x\",7]]}\n"
      "{\"s\":1,\"ops\":[[\"w\",\"x\",7]]}\n"
      "{\"s\":2,\"ops\":[[\"pd\",[\"between\",[\"col\",\"k\"],1,5],[]]]}\n");
  const Verdict verdict = check(history, Level::StrongSessionSerializable).verdict;
  EXPECT_TRUE(violated(verdict));
  EXPECT_EQ(verify_witness(history, Level::StrongSessionSerializable, verdict), std::nullopt);
}

TEST(PredicateWrites, InvalidateProofsOfThinAirReads) {
  const History judged = history_of("{\"s\":1,\"ops\":[[\"r\",\"x\",7]]}\n");
  const Verdict verdict = check(judged, Level::ReadCommitted).verdict;
  ASSERT_TRUE(violated(verdict));
  const History written = history_of(
      "{\"s\":1,\"ops\":[[\"r\",\"x\",7]]}\n"
      "{\"s\":2,\"ops\":[[\"pu\",[\"between\",[\"col\",\"k\"],1,5],[[\"x\",7]]]]}\n");
  EXPECT_NE(verify_witness(written, Level::ReadCommitted, verdict), std::nullopt);
}

TEST(PredicateWrites, AloneAreUndecided) {
  const History history =
      history_of("{\"s\":1,\"ops\":[[\"pu\",[\"between\",[\"col\",\"k\"],1,5],[[\"x\",7]]]]}\n");
  EXPECT_TRUE(undecided(check(history, Level::Serializable).verdict));
}

}  // namespace
}  // namespace serval
