// Version certificates by example: what each predicate anomaly looks like, which levels it refutes, and
// what is reported where the certificate does not settle a history.

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/certified_records.h"
#include "serval/base/error.h"
#include "serval/check/check.h"
#include "serval/verify/verify_witness.h"

namespace serval::certified {
namespace {

using testing::HasSubstr;

// A predicate read of values below five, which returned nothing and had seen nothing.
const std::string kMissed = R"(["pr",["<",["col","value"],5],[],{"saw":[]}])";

// The same for a column that not all rows have.
const std::string kMissedPlace = R"(["pr",["<",["col","place"],5],[],{"saw":[]}])";

// The examples of docs/anomalies.md, written out in full.
std::map<AnomalyKind, std::string> examples() {
  const std::string x4 = R"(["w","x",4])", y9 = R"(["w","y",9])", y0 = R"(["r","y",null])";
  const std::string early = R"("begin":0,"end":1)", late = R"("begin":2,"end":9)";
  std::map<AnomalyKind, std::string> out;
  out[AnomalyKind::Phantom] =
      transaction(1, 1, kMissed + R"(,["r","y",9])") + transaction(2, 2, x4 + "," + y9);
  out[AnomalyKind::PhantomNonAdjacent] = transaction(1, 1, x4) + transaction(2, 2, y9) +
                                         transaction(3, 3, R"(["r","x",4],)" + y0) +
                                         transaction(4, 4, kMissed + R"(,["r","y",9])");
  out[AnomalyKind::PhantomCycle] = transaction(1, 1, kMissed + "," + y9) + transaction(2, 2, y0 + "," + x4);
  out[AnomalyKind::PhantomSession] = transaction(1, 1, x4) + transaction(1, 2, kMissed);
  out[AnomalyKind::PhantomNonAdjacentSession] =
      transaction(1, 1, x4) + transaction(1, 2, y0) + transaction(2, 3, y9) + transaction(2, 4, kMissed);
  out[AnomalyKind::PhantomCycleSession] = transaction(1, 1, R"(["w","z",9])") + transaction(1, 2, kMissed) +
                                          transaction(2, 3, x4 + R"(,["r","z",null])");
  out[AnomalyKind::PhantomRealTime] = transaction(1, 1, x4, early) + transaction(2, 2, kMissed, late);
  out[AnomalyKind::PhantomNonAdjacentRealTime] = transaction(1, 1, x4, early) + transaction(2, 2, y0, late) +
                                                 transaction(3, 3, y9) +
                                                 transaction(4, 4, R"(["r","y",9],)" + kMissed);
  out[AnomalyKind::PhantomCycleRealTime] = transaction(1, 1, R"(["w","z",9])", early) +
                                           transaction(2, 2, kMissed, late) +
                                           transaction(3, 3, x4 + R"(,["r","z",null])");
  out[AnomalyKind::PredicateWriteSkew] =
      transaction(1, 1, kMissed + "," + x4) + transaction(2, 2, kMissed + R"(,["w","y",4])");
  out[AnomalyKind::OutsideSnapshot] =
      R"({"s":1,"t":1,"ops":[["w","x",4]],"begin":0,"end":9,"commit_ts":1})"
      "\n"
      R"({"s":2,"t":2,"ops":[["r","x",4],["pr",[">",["col","value"],100],[],{"saw":{"ts":0}}]],"begin":0,"end":9})"
      "\n";
  out[AnomalyKind::ResultSetMismatch] =
      transaction(1, 1, x4) + transaction(2, 2, R"(["pr",["<",["col","value"],5],[],{"saw":[["x",[1,1]]]}])");
  return out;
}

TEST(Certificate, EveryAnomalyHasAnExample) {
  const auto all = examples();
  for (const AnomalyInfo& row : all_anomalies())
    EXPECT_EQ(needs_certificate(row.kind), all.contains(row.kind)) << row.name;
}

TEST(Certificate, ExamplesAreViolationsExactlyWhereTheTableSaysSo) {
  for (const auto& [kind, records] : examples()) {
    const History history = history_of(records);
    for (const Level level : kLevels) {
      const CheckResult result = check(history, level, {.engine = Engine::Certificate});
      EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt)
          << name_of(kind) << name_of(level);
      EXPECT_EQ(violated(result.verdict), forbids(level, kind)) << name_of(kind) << " at " << name_of(level);
      EXPECT_EQ(holds(result.verdict), !forbids(level, kind)) << name_of(kind) << " at " << name_of(level);
    }
    const bool snapshots = kind == AnomalyKind::OutsideSnapshot;
    const Verdict verdict =
        check(history, snapshots ? Level::StrongSnapshotIsolation : Level::StrictSerializable).verdict;
    ASSERT_TRUE(violated(verdict)) << name_of(kind);
    EXPECT_TRUE(std::get<Violated>(verdict).counts.contains(kind))
        << name_of(kind) << ", not " << name_of(std::get<Violated>(verdict).anomalies.front().kind);
  }
}

TEST(Certificate, CyclesOfItemsDoNotHidePhantoms) {
  const History history = history_of(examples()[AnomalyKind::Phantom] +
                                     transaction(3, 3, R"(["r","u",null],["r","v",null],["w","v",9])") +
                                     transaction(4, 4, R"(["r","u",null],["r","v",null],["w","u",9])"));
  const CheckResult result = check(history, Level::Serializable);
  const std::map<AnomalyKind, std::uint64_t> both{{AnomalyKind::WriteSkew, 1}, {AnomalyKind::Phantom, 1}};
  ASSERT_TRUE(violated(result.verdict));
  EXPECT_EQ(std::get<Violated>(result.verdict).counts, both);
  EXPECT_EQ(verify_witness(history, Level::Serializable, result.verdict), std::nullopt);
}

TEST(Certificate, WhatTheSnapshotShowsIsNotOutsideIt) {
  const auto asked = [](const std::string& snapshot) {
    return history_of(R"({"s":1,"t":1,"ops":[["w","x",4]],"commit_ts":1})"
                      "\n"
                      R"({"s":2,"t":2,"ops":[["r","x",4],["pr",[">",["col","value"],100],[],{"saw":{"ts":)" +
                      snapshot + "}}]]}\n");
  };
  const Verdict outside = check(asked("0"), Level::SnapshotIsolation).verdict;
  ASSERT_TRUE(violated(outside));
  EXPECT_EQ(verify_witness(asked("0"), Level::SnapshotIsolation, outside), std::nullopt);
  EXPECT_NE(verify_witness(asked("1"), Level::SnapshotIsolation, outside), std::nullopt);
}

// Emme, Figure 3: serializable as T1, T3, T2, which is not the order of the timestamps.
TEST(Certificate, SaysWhenAnotherOrderExists) {
  const History history = history_of(
      R"({"s":1,"t":1,"ops":[["w","x",1]],"commit_ts":1})"
      "\n"
      R"({"s":2,"t":2,"ops":[["w","y",2]],"commit_ts":2})"
      "\n"
      R"({"s":3,"t":3,"ops":[["pr",[">",["col","value"],0],[["x",1]],{"saw":{"ts":3}}]],"commit_ts":3})"
      "\n"
      R"({"event":"certificate","order":"commit_ts"})"
      "\n");
  const CheckResult result = check(history, Level::Serializable);
  ASSERT_TRUE(violated(result.verdict));
  EXPECT_TRUE(std::get<Violated>(result.verdict).counts.contains(AnomalyKind::ResultSetMismatch));
  EXPECT_EQ(verify_witness(history, Level::Serializable, result.verdict), std::nullopt);
  ASSERT_TRUE(result.without_certificate);
  EXPECT_EQ(result.without_certificate->answer, CheckResult::OtherOrders::Answer::SomeOrderExists);
}

TEST(Certificate, SaysWhenNoOrderExists) {
  const History history =
      history_of(transaction(1, 1, R"(["r","x",null],["w","x",1])") +
                 transaction(2, 2, R"(["r","x",null],["w","x",2])") + order("x", "[1,1],[2,2]"));
  const CheckResult result = check(history, Level::Serializable);
  ASSERT_TRUE(violated(result.verdict));
  EXPECT_EQ(result.engine, "certificate");
  EXPECT_EQ(result.without_certificate->answer, CheckResult::OtherOrders::Answer::NoOrderExists);
}

void expect_unsettled(const std::string& records, const std::string& reason) {
  const CheckResult result = check(history_of(records), Level::Serializable, {.engine = Engine::Certificate});
  ASSERT_TRUE(undecided(result.verdict)) << records;
  EXPECT_NE(std::get<Undecided>(result.verdict).reason.find(reason), std::string::npos)
      << std::get<Undecided>(result.verdict).reason;
}

TEST(Certificate, SaysWhyItDoesNotSettleTheHistory) {
  const std::string two = transaction(1, 1, R"(["w","x",1])") + transaction(2, 2, R"(["w","x",2])");
  expect_unsettled(two, "does not say in which order the 2 versions of x were installed");
  expect_unsettled(two + order("x", "[1,1]"), "lacks transaction 2");
  try {
    history_of(two + order("x", "[1,1],[1,1]"));
    FAIL() << "a version twice";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problem(), "the order of the versions of x names transaction 1 twice");
  }
  expect_unsettled(two + "{\"event\":\"certificate\",\"order\":\"commit_ts\"}\n", "has no commit timestamp");
  expect_unsettled(transaction(1, 1, R"(["w","x","text"])") +
                       transaction(2, 2, R"(["pr",["<",["col","value"],5],[],{"saw":[["x",[1,1]]]}])"),
                   "not defined");
  expect_unsettled(transaction(1, 1, R"(["a","x",1])"), "lists");
}

// It had not written x, of which it saw a later version than its own; that the sum over this version is
// undefined does not matter.
TEST(Certificate, AVersionLaterThanTheOwnIsNotExamined) {
  expect_unsettled(transaction(1, 1,
                               R"(["pr",["aggregate","sum",["col","place"],["<",["col","value"],5]],[],)"
                               R"({"saw":[["x",[2,2]]],"result":1}],["w","x",1])") +
                       transaction(2, 2, R"(["w","x",2])") + order("x", "[1,1],[2,2]"),
                   "transaction 1 saw a version of x later than its own before it wrote the key");
}

// A range whose version set is unknown: an order of the others may or may not explain it.
TEST(Certificate, RangesWithoutAVersionSetAreReplayed) {
  const std::string writers =
      transaction(1, 1, R"(["w","x",1])") + transaction(2, 2, R"(["w","x",7])") + order("x", "[1,1],[2,2]");
  const auto asked = [&](const std::string& rows) {
    return history_of(writers + transaction(3, 3, R"(["pr",["<",["col","value"],5],[)" + rows + "]]"));
  };
  const History none = asked("");
  const CheckResult result = check(none, Level::Serializable);
  EXPECT_TRUE(holds(result.verdict));
  EXPECT_EQ(result.engine, "certificate");
  EXPECT_EQ(verify_witness(none, Level::Serializable, result.verdict), std::nullopt);
  EXPECT_THAT(reason_of(check(asked(R"(["y",3])"), Level::Serializable)),
              HasSubstr("does not say what p{y=3} in transaction 3 saw"));
}

// Without any certificate, the order suggested by reads and times is replayed.
TEST(Certificate, IsNotNeededIfTheTimesExplainEverything) {
  const auto at = [](int begin) {
    return R"("begin":)" + std::to_string(begin) + R"(,"end":)" + std::to_string(begin + 1);
  };
  const std::string first =
      transaction(1, 1, R"(["w","x",1])", at(0)) + transaction(2, 2, R"(["w","y",7])", at(2));
  const History fine =
      history_of(first + transaction(3, 3, R"(["pr",["<",["col","value"],5],[["x",1]]])", at(4)));
  const CheckResult result = check(fine, Level::StrictSerializable);
  EXPECT_TRUE(holds(result.verdict));
  EXPECT_EQ(result.engine, "replay");
  EXPECT_EQ(verify_witness(fine, Level::StrictSerializable, result.verdict), std::nullopt);
  const History odd = history_of(first + transaction(3, 3, R"(["pr",["<",["col","value"],5],[]])", at(4)));
  const CheckResult open = check(odd, Level::StrictSerializable);
  ASSERT_TRUE(undecided(open.verdict));
  EXPECT_THAT(std::get<Undecided>(open.verdict).details.back(),
              HasSubstr("T3 (3 of 3 in the order): predicate-read of value < 5 (0 rows) expects x to be 1"));
}

// The commit timestamp shows that T1 committed.
TEST(Certificate, IncludesAnIndeterminateTransactionWithACommitTimestamp) {
  const History history =
      history_of(R"({"s":1,"t":1,"ops":[["w","x",1]],"outcome":"indeterminate","commit_ts":1})"
                 "\n"
                 R"({"s":2,"t":2,"ops":[["r","x",1,{"saw":{"ts":1}}]],"commit_ts":2})"
                 "\n"
                 R"({"event":"certificate","order":"commit_ts"})"
                 "\n");
  const CheckResult result = check(history, Level::ReadCommitted);
  EXPECT_EQ(reason_of(result), "holds");
  EXPECT_EQ(verify_witness(history, Level::ReadCommitted, result.verdict), std::nullopt);
}

// T1 may have deleted what T2 misses, at a time that nothing tells.
TEST(Certificate, AnIndeterminateTransactionWithoutACommitTimestampMayExplainWhatIsMissing) {
  const std::string reads =
      "{\"s\":2,\"t\":2,\"ops\":[[\"pr\",[\"<\",[\"col\",\"value\"],5],[],"
      "{\"saw\":{\"ts\":5}}]],\"commit_ts\":6}\n"
      "{\"s\":3,\"t\":3,\"ops\":[[\"w\",\"x\",1]],\"commit_ts\":3}\n"
      "{\"event\":\"certificate\",\"order\":\"commit_ts\"}\n";
  const auto deletes = [](const char* how) {
    return fmt::format("{{\"s\":1,\"t\":1,\"ops\":[[\"d\",\"x\"]],{}}}\n", how);
  };
  const History aborted = history_of(deletes("\"outcome\":\"aborted\"") + reads);
  const CheckResult violated = check(aborted, Level::ReadCommitted);
  ASSERT_FALSE(holds(violated.verdict));
  EXPECT_EQ(std::get<Violated>(violated.verdict).anomalies.front().kind, AnomalyKind::ResultSetMismatch);
  const History open = history_of(deletes("\"outcome\":\"indeterminate\"") + reads);
  EXPECT_THAT(reason_of(check(open, Level::ReadCommitted)), HasSubstr("transaction 1 may have committed"));
  EXPECT_THAT(verify_witness(open, Level::ReadCommitted, violated.verdict).value_or(""),
              HasSubstr("may have committed at an unknown time"));
  const History settled = history_of(deletes("\"outcome\":\"indeterminate\",\"commit_ts\":4") + reads);
  EXPECT_EQ(reason_of(check(settled, Level::ReadCommitted)), "holds");
}

// Deleted, written and deleted again: there was no row, but at which of three times?
TEST(Certificate, GuessesVersionsOnlyToProve) {
  const std::string writers = transaction(1, 1, R"(["w","x",1])") + transaction(1, 2, R"(["d","x"])");
  const std::string orders = order("x", "[1,1],[1,2]");
  const History fine = history_of(writers + transaction(2, 3, R"(["r","x",null])") + orders);
  const CheckResult result = check(fine, Level::StrictSerializable);
  EXPECT_TRUE(holds(result.verdict));
  EXPECT_EQ(verify_witness(fine, Level::StrictSerializable, result.verdict), std::nullopt);
  // Whichever version it saw, its session had written before.
  const History open =
      history_of(transaction(2, 3, R"(["w","x",1])") + transaction(2, 4, R"(["r","x",null])") +
                 transaction(1, 5, R"(["d","x"])") + order("x", "[2,3],[1,5]"));
  EXPECT_THAT(reason_of(check(open, Level::StrongSessionSerializable)),
              HasSubstr("not certain which version"));
}

// What the engine proves at the levels without an execution, the verifier proves again, with or without
// a certificate.
TEST(Certificate, WeakLevelsAreProvenWithoutACertificate) {
  const History history =
      history_of(transaction(1, 1, R"(["r","x",null],["w","x",1])") +
                 transaction(1, 2, R"(["r","x",null],["pr",["=",["col","value"],3],[]])"));
  for (const Level level : {Level::ReadUncommitted, Level::ReadCommitted, Level::RepeatableRead}) {
    const CheckResult result = check(history, level, {.engine = Engine::Certificate});
    const bool open = level == Level::ReadCommitted;  // A serial order proves the other levels.
    EXPECT_THAT(reason_of(result), HasSubstr(open ? "does not say what p{} in transaction 2 saw" : "holds"));
    EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  }
}

// Key 1 has no order, so the certificate does not settle the history, and the violation is found from
// the reads. Because key 1 is deleted and written by different transactions, the history is also judged
// without that key. Then the count, which the range returned correctly, must not be compared with the
// remaining versions.
TEST(Certificate, OmittedKeysAreNotMissedInTheAnswersOfRanges) {
  const History history = history_of(
      R"({"s":0,"t":0,"ops":[["w",0,{"id":1,"v":1}],["d",1]],"server_txn":"102"})"
      "\n"
      R"({"s":0,"t":1,"ops":[["w",1,{"id":2,"v":0}],["pr",["aggregate","count",["<",["col","v"],2]],[],)"
      R"({"result":1,"saw":{"snapshot":"100:100:"}}],["r",0,null,{"saw":{"snapshot":"100:100:"}}]],)"
      R"("server_txn":"103"})"
      "\n"
      R"({"s":0,"t":3,"ops":[["w",0,{"id":3,"v":2}]],"server_txn":"101"})"
      "\n"
      R"({"event":"order","key":0,"versions":[[0,0],[0,3]],"complete":true})"
      "\n");
  const Survey all = survey(history, {});
  EXPECT_FALSE(all.found.contains(AnomalyKind::ResultSetMismatch));
  EXPECT_TRUE(all.found.contains(AnomalyKind::ReadYourWritesViolation));
  for (const CheckResult& result : all.results)
    EXPECT_EQ(verify_witness(history, result.level, result.verdict), std::nullopt) << name_of(result.level);
}

// The session wrote x before it asked for a column that x does not have. That the range did not see x
// proves nothing, and neither does an order that starts with x.
TEST(Certificate, APredicateThatIsUndefinedForARowSettlesNothing) {
  const History history = history_of(transaction(1, 1, R"(["w","x",0])") + transaction(1, 2, kMissedPlace) +
                                     transaction(2, 3, R"(["w","y",{"place":9}])"));
  for (const LevelInfo& info : all_levels()) {
    const CheckResult result = check(history, info.level);
    EXPECT_FALSE(violated(result.verdict)) << info.name;
    EXPECT_EQ(verify_witness(history, info.level, result.verdict), std::nullopt) << info.name;
  }
  EXPECT_THAT(reason_of(check(history, Level::StrongSessionSerializable)),
              HasSubstr("the reads alone do not reveal"));
}

// Transaction 9 found no row x: at the start, or after the delete by 2 or by 5. The last is the most
// likely, but 5 has read what 9 wrote.
TEST(Certificate, AtReadCommittedTheEarliestVersionConstrainsLeast) {
  const History history =
      history_of(transaction(1, 1, R"(["w","x",1])") + transaction(1, 2, R"(["d","x"])") +
                 transaction(1, 5, R"(["d","x"],["r","y",7])") + transaction(2, 6, R"(["w","x",6])") +
                 transaction(3, 9, R"(["r","x",null],["w","y",7])") + order("x", "[1,1],[1,2],[2,6],[1,5]"));
  for (const Level level : {Level::ReadCommitted, Level::RepeatableRead}) {
    const CheckResult result = check(history, level, {.engine = Engine::Certificate});
    EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
    EXPECT_THAT(
        reason_of(result),
        HasSubstr(level == Level::ReadCommitted ? "holds" : "not certain which version some reads saw"));
  }
}

// The same, but another statement of 9, which x does not match, has seen the last delete.
TEST(Certificate, AtReadCommittedStatementsMaySeeDifferentStates) {
  const History history = history_of(
      transaction(1, 1, R"(["w","x",{"v":9}])") + transaction(1, 2, R"(["d","x"])") +
      transaction(1, 5, R"(["d","x"],["r","y",{"v":7}])") + transaction(2, 6, R"(["w","x",{"v":8}])") +
      transaction(3, 9,
                  R"(["r","x",null],["pr",["<",["col","v"],5],[],{"saw":[["x",[1,5]]]}],["w","y",{"v":7}])") +
      order("x", "[1,1],[1,2],[2,6],[1,5]"));
  const CheckResult result = check(history, Level::ReadCommitted, {.engine = Engine::Certificate});
  EXPECT_TRUE(holds(result.verdict));
  EXPECT_EQ(verify_witness(history, Level::ReadCommitted, result.verdict), std::nullopt);
}

// Certificates say nothing about prefix consistency. What the reads refute is a violation nevertheless.
// What they allow remains undecided, unless the user wants the reads alone to count.
TEST(Certificate, LevelsOutsideItsScopeAreJudgedByTheReads) {
  const std::string skew = transaction(1, 1, R"(["r","x",null],["w","x",1])") +
                           transaction(2, 2, R"(["r","x",null],["w","x",2])") + order("x", "[1,1],[2,2]");
  const History lost_update = history_of(skew);
  const CheckResult open = check(lost_update, Level::PrefixConsistency);
  ASSERT_TRUE(undecided(open.verdict));
  EXPECT_EQ(std::get<Undecided>(open.verdict).details.back(),
            "without the certificate, by the reads alone, the level holds");
  EXPECT_TRUE(holds(check(lost_update, Level::PrefixConsistency, {.use_certificate = false}).verdict));
  const History fork = history_of(transaction(1, 1, R"(["w","x",1])") + transaction(2, 2, R"(["w","y",2])") +
                                  transaction(3, 3, R"(["r","x",1],["r","y",null])") +
                                  transaction(4, 4, R"(["r","x",null],["r","y",2])") + order("x", "[1,1]") +
                                  order("y", "[2,2]"));
  const CheckResult refuted = check(fork, Level::PrefixConsistency);
  EXPECT_TRUE(violated(refuted.verdict));
  EXPECT_EQ(verify_witness(fork, Level::PrefixConsistency, refuted.verdict), std::nullopt);
}

// An order of the transactions proves nothing about answers that it does not explain.
TEST(Certificate, AProofOfReadCommittedCoversTheAnswers) {
  const auto claim = [](const History& history) {
    Holds out{.proven = Level::ReadCommitted, .commit_order = {}, .snapshot = {}};
    for (const TransactionId t : history.transactions()) out.commit_order.push_back(t);
    out.basis = Holds::Basis::Certificate;
    return verify_witness(history, Level::ReadCommitted, out);
  };
  const auto asked = [](const std::string& operation) {
    return history_of(transaction(1, 1, R"(["w","x",4])") + transaction(2, 2, operation));
  };
  const auto below = [](const std::string& rows) {
    return R"(["pr",["<",["col","value"],5],[)" + rows + R"(],{"saw":[["x",[1,1]]]}])";
  };
  const auto count = [](int result) {
    return R"(["pr",["aggregate","count",["<",["col","value"],5]],[],{"saw":[["x",[1,1]]],"result":)" +
           std::to_string(result) + "}]";
  };
  EXPECT_EQ(claim(asked(below(R"(["x",4])"))), std::nullopt);
  EXPECT_EQ(claim(asked(count(1))), std::nullopt);
  EXPECT_EQ(claim(asked(R"(["r","x",4])")), std::nullopt);
  EXPECT_EQ(claim(asked(R"(["w","y",5],["r","y",5])")), std::nullopt);
  EXPECT_NE(claim(asked(below(""))), std::nullopt);
  EXPECT_NE(claim(asked(below(R"(["x",3])"))), std::nullopt);
  EXPECT_NE(claim(asked(count(0))), std::nullopt);
  EXPECT_NE(claim(asked(count(2))), std::nullopt);
  EXPECT_NE(claim(asked(R"(["r","x",3])")), std::nullopt);
  EXPECT_NE(claim(asked(R"(["w","y",5],["r","y",4])")), std::nullopt);
}

}  // namespace
}  // namespace serval::certified
