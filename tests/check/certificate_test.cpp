// Version certificates by example: what each anomaly of predicates looks like, which levels it refutes, and
// what is said where the certificate does not settle a history.

#include <algorithm>
#include <array>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serval/base/error.h"
#include "serval/check/check.h"
#include "serval/formats/format.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

using testing::HasSubstr;

History history_of(const std::string& records) {
  ByteStream stream =
      ByteStream::from_memory("test.jsonl", "{\"serval\":\"history\",\"version\":1}\n" + records);
  return read_history(stream);
}

constexpr std::array kLevels{Level::ReadUncommitted,
                             Level::ReadCommitted,
                             Level::RepeatableRead,
                             Level::SnapshotIsolation,
                             Level::StrongSessionSnapshotIsolation,
                             Level::StrongSnapshotIsolation,
                             Level::Serializable,
                             Level::StrongSessionSerializable,
                             Level::StrictSerializable};

// A predicate read of what is below five, which returned nothing and had seen nothing.
const std::string kMissed = R"(["pr",["<",["col","value"],5],[],{"saw":[]}])";

// The same of a column that not all rows have.
const std::string kMissedPlace = R"(["pr",["<",["col","place"],5],[],{"saw":[]}])";

std::string transaction(int session, int number, const std::string& operations,
                        const std::string& times = R"("begin":0,"end":9)") {
  return "{\"s\":" + std::to_string(session) + ",\"t\":" + std::to_string(number) + ",\"ops\":[" +
         operations + "]," + times + "}\n";
}
std::string order(const std::string& key, const std::string& versions) {
  return "{\"event\":\"order\",\"key\":\"" + key + "\",\"versions\":[" + versions + "],\"complete\":true}\n";
}

// The examples of docs/anomalies.md, written out.
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
  EXPECT_EQ(result.without_certificate->answer, CheckResult::WithoutCertificate::Answer::SomeOrderExists);
}

TEST(Certificate, SaysWhenNoOrderExists) {
  const History history =
      history_of(transaction(1, 1, R"(["r","x",null],["w","x",1])") +
                 transaction(2, 2, R"(["r","x",null],["w","x",2])") + order("x", "[1,1],[2,2]"));
  const CheckResult result = check(history, Level::Serializable);
  ASSERT_TRUE(violated(result.verdict));
  EXPECT_EQ(result.engine, "certificate");
  EXPECT_EQ(result.without_certificate->answer, CheckResult::WithoutCertificate::Answer::NoOrderExists);
}

// "holds", "violated", or why it is undecided.
std::string reason_of(const CheckResult& result) {
  if (const auto* open = std::get_if<Undecided>(&result.verdict)) return open->reason;
  return holds(result.verdict) ? "holds" : "violated";
}

void expect_unsettled(const std::string& records, const std::string& reason) {
  const CheckResult result = check(history_of(records), Level::Serializable, {.engine = Engine::Certificate});
  ASSERT_TRUE(undecided(result.verdict)) << records;
  EXPECT_NE(std::get<Undecided>(result.verdict).reason.find(reason), std::string::npos)
      << std::get<Undecided>(result.verdict).reason;
}

TEST(Certificate, ThatDoesNotSettleTheHistorySaysWhy) {
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

// A range that nobody knows the version set of: an order of the others may explain it, or not.
TEST(Certificate, WithoutAVersionSetIsReplayed) {
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

// Without any certificate: what reads and times suggest, replayed.
TEST(Certificate, IsNotNeededWhereTheTimesExplainEverything) {
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

// Deleted, written and deleted again: no row, but which of three times?
TEST(Certificate, GuessesVersionsOnlyToProve) {
  const std::string writers = transaction(1, 1, R"(["w","x",1])") + transaction(1, 2, R"(["d","x"])");
  const std::string orders = order("x", "[1,1],[1,2]");
  const History fine = history_of(writers + transaction(2, 3, R"(["r","x",null])") + orders);
  const CheckResult result = check(fine, Level::StrictSerializable);
  EXPECT_TRUE(holds(result.verdict));
  EXPECT_EQ(verify_witness(fine, Level::StrictSerializable, result.verdict), std::nullopt);
  // Whichever it saw: its session had written before.
  const History open =
      history_of(transaction(2, 3, R"(["w","x",1])") + transaction(2, 4, R"(["r","x",null])") +
                 transaction(1, 5, R"(["d","x"])") + order("x", "[2,3],[1,5]"));
  EXPECT_THAT(reason_of(check(open, Level::StrongSessionSerializable)),
              HasSubstr("not certain which version"));
}

// An insert found no row: the version before its own has none.
TEST(Certificate, InsertsFindWhatTheyFollow) {
  const std::string writers = transaction(1, 1, R"(["w","x",1])") + transaction(1, 2, R"(["d","x"])");
  const std::string inserts = transaction(2, 3, R"(["i","x",3])");
  const History fine = history_of(writers + inserts + order("x", "[1,1],[1,2],[2,3]"));
  EXPECT_TRUE(holds(check(fine, Level::Serializable).verdict));
  const History odd = history_of(writers + inserts + order("x", "[1,1],[2,3],[1,2]"));
  const CheckResult result = check(odd, Level::Serializable);
  EXPECT_THAT(reason_of(result),
              HasSubstr("not certain which version some reads saw, i(x,3) in transaction 3"));
  EXPECT_EQ(verify_witness(odd, Level::Serializable, result.verdict), std::nullopt);
}

// An insert that found nothing, and whose version follows a row, is a lost update: a read of nothing and a
// write. Levels that allow those allow it.
TEST(Certificate, AnInsertOverARowIsALostUpdate) {
  const std::string header_order = order("c", "[1,1],[2,2]");
  const History inserts =
      history_of(transaction(1, 1, R"(["i","c",12])") + transaction(2, 2, R"(["i","c",4])") + header_order);
  const History reads = history_of(transaction(1, 1, R"(["r","c",null],["w","c",12])") +
                                   transaction(2, 2, R"(["r","c",null],["w","c",4])") + header_order);
  for (const Level level :
       {Level::ReadCommitted, Level::RepeatableRead, Level::SnapshotIsolation, Level::Serializable}) {
    const CheckResult a = check(inserts, level), b = check(reads, level);
    EXPECT_EQ(holds(a.verdict), level == Level::ReadCommitted) << name_of(level);
    EXPECT_EQ(violated(a.verdict), level != Level::ReadCommitted) << name_of(level);
    EXPECT_EQ(holds(a.verdict), holds(b.verdict)) << name_of(level);
    EXPECT_EQ(violated(a.verdict), violated(b.verdict)) << name_of(level);
    EXPECT_EQ(verify_witness(inserts, level, a.verdict), std::nullopt) << name_of(level);
  }
}

// What an update changed it had seen last, however old its statement's snapshot is (PostgreSQL's
// read-committed): a later version that matches no more is left alone.
TEST(Certificate, UpdatesLookAgainAtWhatTheyLock) {
  const std::string records =
      R"({"s":1,"t":1,"ops":[["w","x",{"id":1,"v":1}],["w","y",{"id":2,"v":1}]],"server_txn":"10"})"
      "\n"
      R"({"s":2,"t":2,"ops":[["w","x",{"id":3,"v":9}],["w","y",{"id":4,"v":2}]],"server_txn":"11"})"
      "\n"
      R"({"s":3,"t":3,"ops":[["pu",["<",["col","v"],5],[["y",{"id":5,"v":3}]],{"saw":{"snapshot":"11:11:"}}]],"server_txn":"12"})"
      "\n" +
      order("x", "[1,1],[2,2]") + order("y", "[1,1],[2,2],[3,3]");
  const History history = history_of(records);
  for (const Level level : {Level::ReadCommitted, Level::RepeatableRead}) {
    const CheckResult result = check(history, level);
    EXPECT_TRUE(holds(result.verdict)) << name_of(level);
    EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt);
  }
  EXPECT_TRUE(violated(check(history, Level::SnapshotIsolation).verdict));
}

// Transaction 2 deletes x and makes another x, which matches as well. The delete by 3 found the old row gone
// and left the new one alone, which its snapshot does not show. It did not see that 4 deletes that one later.
TEST(Certificate, ADeleteLeavesARowAloneThatWasMadeAgain) {
  const std::string records =
      R"({"s":1,"t":1,"ops":[["w","x",{"v":1}],["w","y",{"v":1}]],"server_txn":"10"})"
      "\n"
      R"({"s":2,"t":2,"ops":[["d","x"],["i","x",{"v":2}]],"server_txn":"11"})"
      "\n"
      R"({"s":3,"t":3,"ops":[["pd",["<",["col","v"],5],[["y"]],{"saw":{"snapshot":"11:11:"}}]],"server_txn":"12"})"
      "\n"
      R"({"s":4,"t":4,"ops":[["pd",["<",["col","v"],5],[["x"]],{"saw":{"snapshot":"13:13:"}}]],"server_txn":"13"})"
      "\n" +
      order("x", "[1,1],[2,2],[4,4]") + order("y", "[1,1],[3,3]");
  const History history = history_of(records);
  const CheckResult result = check(history, Level::ReadCommitted);
  EXPECT_TRUE(holds(result.verdict));
  EXPECT_EQ(verify_witness(history, Level::ReadCommitted, result.verdict), std::nullopt);
}

// Rows that were there before the run have columns, too.
TEST(Certificate, InitialRowsMatchPredicates) {
  ByteStream stream = ByteStream::from_memory(
      "test.jsonl",
      R"({"serval":"history","version":1,"initial":0})"
      "\n"
      R"({"s":1,"t":1,"ops":[["r","x",0],["w","x",1]],"commit_ts":1})"
      "\n"
      R"({"s":2,"t":2,"ops":[["pr",["<",["col","value"],5],[["x",0]],{"saw":{"ts":0}}]],"commit_ts":2})"
      "\n"
      R"({"event":"certificate","order":"commit_ts"})"
      "\n");
  const History history = read_history(stream);
  for (const Level level : kLevels) {
    const CheckResult result = check(history, level, {.engine = Engine::Certificate});
    EXPECT_THAT(reason_of(result), HasSubstr(uses_real_time(level) ? "no times" : "holds")) << name_of(level);
    EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  }
}

// PostgreSQL at repeatable read: T3 inserts x after T2 has deleted it, and its snapshot shows the deleted row
// beside its own. That row is another object: every row is one that somebody committed.
TEST(Certificate, ADeletedRowMayBeShownBesideTheNewOne) {
  const std::string writers = R"({"s":1,"t":1,"ops":[["i","x",{"v":1}]],"server_txn":"10"})"
                              "\n"
                              R"({"s":2,"t":2,"ops":[["d","x"]],"server_txn":"11"})"
                              "\n";
  const auto reader = [&](const std::string& operation) {
    return history_of(writers + R"({"s":3,"t":3,"ops":[["i","x",{"v":2}],)" + operation +
                      R"(],"server_txn":"12"})"
                      "\n" +
                      order("x", "[1,1],[2,2],[3,3]"));
  };
  const auto scan = [&](const std::string& rows) {
    return reader(R"(["pr",["<",["col","v"],5],[)" + rows + R"(],{"saw":{"snapshot":"11:11:"}}])");
  };
  const auto count = [&](const std::string& result) {
    return reader(
        R"(["pr",["aggregate","count",["<",["col","v"],5]],[],{"saw":{"snapshot":"11:11:"},"result":)" +
        result + "}]");
  };
  const std::string old_row = R"(["x",{"v":1}])", new_row = R"(["x",{"v":2}])";
  const auto judged = [](const History& history) {
    const CheckResult result = check(history, Level::ReadCommitted);
    EXPECT_EQ(verify_witness(history, Level::ReadCommitted, result.verdict), std::nullopt);
    return holds(result.verdict) ? "holds" : violated(result.verdict) ? "violated" : "undecided";
  };
  EXPECT_STREQ(judged(scan(old_row + "," + new_row)), "holds");
  EXPECT_STREQ(judged(scan(new_row + "," + old_row)), "holds");
  EXPECT_STREQ(judged(scan(new_row)), "holds");  // MariaDB: the new row hides the other.
  EXPECT_STREQ(judged(scan(old_row)), "violated");
  EXPECT_STREQ(judged(scan("")), "violated");
  EXPECT_STREQ(judged(scan(new_row + "," + new_row)), "violated");
  EXPECT_STREQ(judged(scan(old_row + "," + old_row + "," + new_row)), "violated");
  EXPECT_STREQ(judged(count("1")), "holds");
  EXPECT_STREQ(judged(count("2")), "holds");
  EXPECT_STREQ(judged(count("3")), "violated");
  const History two = scan(old_row + "," + new_row);
  for (const Level level : kLevels) {
    const CheckResult result = check(two, level);
    EXPECT_EQ(verify_witness(two, level, result.verdict), std::nullopt) << name_of(level);
    const bool expected =
        !implies(level, Level::RepeatableRead) && !uses_real_time(level);  // It has no times.
    EXPECT_EQ(holds(result.verdict), expected) << name_of(level);
  }
}

// A serializable order takes the delete as seen by the transaction that makes the row anew; snapshots do not.
// So a cycle through the two says nothing of snapshot isolation and of what it implies.
TEST(Certificate, ADeleteThatNeedNotBeSeenRefutesNoSnapshots) {
  const auto history = [](const std::string& more) {
    return history_of(
        R"({"s":1,"t":1,"ops":[["w","x",{"v":0}],["pu",["=",["col","v"],0],[["x",{"v":1}]],{"saw":{"snapshot":"100:100:"}}]],"server_txn":"101"})"
        "\n"
        R"({"s":2,"t":2,"ops":[["w","y",{"v":0}],["d","x"])" +
        more +
        R"(],"server_txn":"100"})"
        "\n"
        R"({"event":"order","key":"x","versions":[[2,2],[1,1]],"complete":true})"
        "\n");
  };
  const History whole = history(""), partial = history(R"(,["pr",["=",["col","v"],0],[["y",{"v":0}]]])");
  for (const History* judged : {&whole, &partial}) {
    const Survey all = survey(*judged);
    for (const LevelInfo& info : all_levels()) {
      const CheckResult result = check(*judged, info.level);
      EXPECT_EQ(verify_witness(*judged, info.level, result.verdict), std::nullopt) << info.name;
      const bool refuted = implies(info.level, Level::Serializable);
      EXPECT_EQ(violated(result.verdict), refuted) << info.name;
      EXPECT_EQ(std::ranges::find(all.refuted, info.level) != all.refuted.end(), refuted) << info.name;
    }
  }
  EXPECT_TRUE(holds(check(whole, Level::SnapshotIsolation).verdict));
  EXPECT_THAT(reason_of(check(partial, Level::SnapshotIsolation)), HasSubstr("does not say what p{y="));
}

// Who updates the row by a predicate has seen it, and not its delete: what is written then is no new row.
TEST(Certificate, AnUpdateOfADeletedRowMakesNoNewOne) {
  const History history =
      history_of(transaction(1, 1, R"(["w","x",{"v":2}])") + transaction(2, 2, R"(["d","x"])") +
                 transaction(3, 3,
                             R"(["pu",["=",["col","v"],2],[["x",{"v":3}]],{"saw":[["x",[1,1]]]}],)"
                             R"(["w","x",{"v":1}])") +
                 order("x", "[1,1],[2,2],[3,3]"));
  for (const Level level : {Level::SnapshotIsolation, Level::ConsistentView, Level::Serializable}) {
    const CheckResult result = check(history, level);
    EXPECT_TRUE(violated(result.verdict)) << name_of(level);
    EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  }
}

// Of two reasons for one step, a session and a row made after a delete, the session says that it is seen.
TEST(Certificate, ASessionSeesItsOwnDeletes) {
  const History history =
      history_of(transaction(2, 1, R"(["w","z",{"v":3}])") + transaction(1, 2, R"(["d","z"],["d","x"])") +
                 transaction(2, 3, R"(["d","y"])") +
                 transaction(2, 4, R"(["r","x",null,{"saw":[["x",null]]}],["w","y",{"v":0}])") +
                 order("x", "[1,2]") + order("y", "[2,3],[2,4]") + order("z", "[1,2],[2,1]"));
  const Level level = Level::StrongSessionSnapshotIsolation;
  const CheckResult result = check(history, level);
  EXPECT_TRUE(violated(result.verdict));
  EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt);
}

// What the engine proves at the levels without an execution, the verifier re-proves, certificate or not.
TEST(Certificate, WeakLevelsAreProvenWithoutACertificate) {
  const History history =
      history_of(transaction(1, 1, R"(["r","x",null],["w","x",1])") +
                 transaction(1, 2, R"(["r","x",null],["pr",["=",["col","value"],3],[]])"));
  for (const Level level : {Level::ReadUncommitted, Level::ReadCommitted, Level::RepeatableRead}) {
    const CheckResult result = check(history, level, {.engine = Engine::Certificate});
    const bool open = level == Level::ReadCommitted;  // A serial order proves the others.
    EXPECT_THAT(reason_of(result), HasSubstr(open ? "does not say what p{} in transaction 2 saw" : "holds"));
    EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  }
}

// Key 1 has no order, so the certificate does not settle the history, and the violation is found from the
// reads. As a delete and a write of key 1 are two transactions', the history is also judged without that key;
// then the count, which the range rightly returned, must not be compared with the versions that are left.
TEST(Certificate, KeysThatAreLeftOutAreNotMissedInAnswersOfRanges) {
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

// The session wrote x before it asked for a column that x does not have. That the range did not see x proves
// nothing, and so does the order in which x comes first.
TEST(Certificate, APredicateThatIsNotDefinedForARowSettlesNothing) {
  const History history = history_of(transaction(1, 1, R"(["w","x",0])") + transaction(1, 2, kMissedPlace) +
                                     transaction(2, 3, R"(["w","y",{"place":9}])"));
  for (const LevelInfo& info : all_levels()) {
    const CheckResult result = check(history, info.level);
    EXPECT_FALSE(violated(result.verdict)) << info.name;
    EXPECT_EQ(verify_witness(history, info.level, result.verdict), std::nullopt) << info.name;
  }
  EXPECT_THAT(reason_of(check(history, Level::StrongSessionSerializable)), HasSubstr("the reads alone do not reveal"));
}

// Transaction 9 found no row x: at the beginning, or after the delete by 2 or by 5. The last is the likely
// one, but 5 has read what 9 wrote.
TEST(Certificate, AtReadCommittedTheEarliestVersionAsksForLeast) {
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

// The same, and another statement of 9, which x does not matter to, has seen the last delete.
TEST(Certificate, AtReadCommittedStatementsSeeDifferentStates) {
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

// Certificates say nothing about prefix consistency. What the reads refute is a violation all the same; what
// they allow stays open, unless the user wants them alone to count.
TEST(Certificate, LevelsThatItSaysNothingAboutAreJudgedByTheReads) {
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

TEST(Certificate, AnUpdateThatLosesAColumnSettlesNothing) {
  const History history = history_of(
      R"({"s":1,"t":1,"ops":[["w","x",{"a":1,"b":2}]],"commit_ts":1})"
      "\n"
      R"({"s":2,"t":2,"ops":[["pu",["update",["=",["col","a"],1],["set","a",3]],[["x",{"a":3}]],{"saw":{"ts":1}}]],"commit_ts":2})"
      "\n"
      R"({"event":"certificate","order":"commit_ts"})"
      "\n");
  EXPECT_THAT(reason_of(check(history, Level::Serializable)), HasSubstr("the reads alone do not reveal"));
}

// An order of the transactions proves nothing about answers that it does not explain.
TEST(Certificate, AProofOfReadCommittedIsAboutTheAnswersToo) {
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
}  // namespace serval
