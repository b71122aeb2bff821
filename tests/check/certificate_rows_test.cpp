// Version certificates of rows that are inserted, updated, deleted and inserted again.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/certified_records.h"
#include "serval/verify/verify_witness.h"

namespace serval::certified {
namespace {

using testing::HasSubstr;

// An insert found no row, so the preceding version must not have one.
TEST(Certificate, InsertsFollowVersionsWithoutARow) {
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

// An insert that found nothing, but whose version follows a row, is a lost update: a read of nothing and
// a write. Levels that allow lost updates allow it.
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

// An update saw the latest version of each row that it changed, however old the snapshot of its
// statement is (PostgreSQL's read-committed). It leaves a later version alone that no longer matches.
const std::string kLockedAgain =
    R"({"s":1,"t":1,"ops":[["w","x",{"id":1,"v":1}],["w","y",{"id":2,"v":1}]],"server_txn":"10"})"
    "\n"
    R"({"s":2,"t":2,"ops":[["w","x",{"id":3,"v":9}],["w","y",{"id":4,"v":2}]],"server_txn":"11"})"
    "\n"
    R"({"s":3,"t":3,"ops":[["pu",["<",["col","v"],5],[["y",{"id":5,"v":3}]],{"saw":{"snapshot":"11:11:"}}]],"server_txn":"12"})"
    "\n" +
    order("x", "[1,1],[2,2]") + order("y", "[1,1],[2,2],[3,3]");

TEST(Certificate, UpdatesReadAgainWhatTheyLock) {
  const History history = history_of(kLockedAgain);
  for (const Level level : {Level::ReadCommitted, Level::RepeatableRead}) {
    const CheckResult result = check(history, level);
    EXPECT_TRUE(holds(result.verdict)) << name_of(level);
    EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt);
  }
  EXPECT_TRUE(violated(check(history, Level::SnapshotIsolation).verdict));
}

// Next to it a phantom, so that no serial order explains the history.
TEST(Certificate, AtRepeatableReadAnUpdateMayLeaveARowAloneThatNoLongerMatches) {
  const History history = history_of(
      kLockedAgain +
      R"({"s":4,"t":4,"ops":[["pr",["=",["col","v"],77],[],{"saw":{"snapshot":"10:10:"}}],["r","q",{"v":8}]]})"
      "\n"
      R"({"s":5,"t":5,"ops":[["w","p",{"v":77}],["w","q",{"v":8}]],"server_txn":"13"})"
      "\n");
  const CheckResult weak = check(history, Level::RepeatableRead),
                    serial = check(history, Level::Serializable);
  EXPECT_EQ(reason_of(weak), "holds");
  EXPECT_EQ(verify_witness(history, Level::RepeatableRead, weak.verdict), std::nullopt);
  EXPECT_TRUE(violated(serial.verdict));
}

// While transaction 3 deletes all rows that match, of which it finds y alone, transaction 2 replaces x, so
// that it still matches.
std::string replaced_while_deleting(const std::string& replacement) {
  return R"({"s":1,"t":1,"ops":[["w","x",{"v":1}],["w","y",{"v":1}]],"server_txn":"10"})"
         "\n"
         R"({"s":2,"t":2,"ops":[)" +
         replacement +
         R"(],"server_txn":"11"})"
         "\n"
         R"({"s":3,"t":3,"ops":[["pd",["<",["col","v"],5],[["y"]],{"saw":{"snapshot":"11:11:"}}]],"server_txn":"12"})"
         "\n" +
         order("y", "[1,1],[3,3]");
}

// The delete by 3 found the old row gone and left the new one alone, which is not in its snapshot. It did
// not see that 4 later deletes the new row. A serial order has no place for this.
TEST(Certificate, ADeleteLeavesAReinsertedRowAlone) {
  const History history = history_of(
      replaced_while_deleting(R"(["d","x"],["i","x",{"v":2}])") +
      R"({"s":4,"t":4,"ops":[["pd",["<",["col","v"],5],[["x"]],{"saw":{"snapshot":"13:13:"}}]],"server_txn":"13"})"
      "\n" +
      order("x", "[1,1],[2,2],[4,4]"));
  const CheckResult weak = check(history, Level::ReadCommitted), serial = check(history, Level::Serializable);
  EXPECT_TRUE(holds(weak.verdict));
  EXPECT_EQ(verify_witness(history, Level::ReadCommitted, weak.verdict), std::nullopt);
  EXPECT_THAT(reason_of(serial), HasSubstr("left a row alone that had been deleted and inserted again"));
}

TEST(Certificate, ADeleteDoesNotLeaveAnUpdatedRowAlone) {
  const History history =
      history_of(replaced_while_deleting(R"(["w","x",{"v":2}])") + order("x", "[1,1],[2,2]"));
  const CheckResult result = check(history, Level::ReadCommitted);
  ASSERT_TRUE(violated(result.verdict));
  EXPECT_TRUE(std::get<Violated>(result.verdict).counts.contains(AnomalyKind::ResultSetMismatch));
  EXPECT_EQ(verify_witness(history, Level::ReadCommitted, result.verdict), std::nullopt);
}

// Rows that existed before the run have columns too.
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

// PostgreSQL at repeatable read: T3 inserts x={"v":2} after T2 has deleted the old x, and asks for all rows
// below five. Its snapshot shows the deleted row as well as its own. They are different objects, and each
// was written by some transaction.
struct InsertedAgain {
  int old = 1;

  History asked(const std::string& operation) const {
    return history_of(R"({"s":1,"t":1,"ops":[["i","x",{"v":)" + std::to_string(old) +
                      R"(}]],"server_txn":"10"})"
                      "\n"
                      R"({"s":2,"t":2,"ops":[["d","x"]],"server_txn":"11"})"
                      "\n"
                      R"({"s":3,"t":3,"ops":[["i","x",{"v":2}],)" +
                      operation +
                      R"(],"server_txn":"12"})"
                      "\n" +
                      order("x", "[1,1],[2,2],[3,3]"));
  }
  History scan(const std::string& rows) const {
    return asked(R"(["pr",["<",["col","v"],5],[)" + rows + R"(],{"saw":{"snapshot":"11:11:"}}])");
  }
  History count(const std::string& result) const {
    return asked(
        R"(["pr",["aggregate","count",["<",["col","v"],5]],[],{"saw":{"snapshot":"11:11:"},"result":)" +
        result + "}]");
  }
};

const char* judged(const History& history) {
  const CheckResult result = check(history, Level::ReadCommitted);
  EXPECT_EQ(verify_witness(history, Level::ReadCommitted, result.verdict), std::nullopt);
  return holds(result.verdict) ? "holds" : violated(result.verdict) ? "violated" : "undecided";
}

TEST(Certificate, ADeletedRowMayBeShownAlongsideTheNewOne) {
  const InsertedAgain x;
  const auto scan = [&](const std::string& rows) { return x.scan(rows); };
  const auto count = [&](const std::string& result) { return x.count(result); };
  const std::string old_row = R"(["x",{"v":1}])", new_row = R"(["x",{"v":2}])";
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
        !implies(level, Level::RepeatableRead) && !uses_real_time(level);  // The history has no times.
    EXPECT_EQ(holds(result.verdict), expected) << name_of(level);
  }
}

TEST(Certificate, ADeletedRowMayEqualTheNewOne) {
  const InsertedAgain x{.old = 2};
  const std::string row = R"(["x",{"v":2}])";
  EXPECT_STREQ(judged(x.scan(row)), "holds");
  EXPECT_STREQ(judged(x.scan(row + "," + row)), "holds");
  EXPECT_STREQ(judged(x.scan(row + "," + row + "," + row)), "violated");
}

TEST(Certificate, ADeletedRowThatDoesNotMatchIsNotCounted) {
  const InsertedAgain x{.old = 9};
  EXPECT_STREQ(judged(x.count("1")), "holds");
  EXPECT_STREQ(judged(x.count("2")), "violated");
}

// In a serializable order, the transaction that inserts the row again sees the delete. With snapshots it
// need not. So a cycle through the two says nothing about snapshot isolation and the levels that it
// implies.
TEST(Certificate, ADeleteThatNeedNotBeSeenDoesNotRefuteSnapshots) {
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

// A transaction that updates the row by a predicate has seen the row and not its delete. What it then
// writes is not a new row.
TEST(Certificate, AnUpdateOfADeletedRowDoesNotCreateANewOne) {
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

// If a step has two reasons, session order and a row inserted after a delete, session order makes the
// delete visible.
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

}  // namespace
}  // namespace serval::certified
