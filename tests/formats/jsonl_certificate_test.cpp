// Predicates as text, aggregates, assignments and version certificates in native lines.
#include <gtest/gtest.h>

#include "serval/base/error.h"
#include "serval/formats/format.h"
#include "serval/formats/native/native_jsonl.h"
#include "serval/predicate/print_predicate.h"
#include "serval/predicate/query.h"

namespace serval {
namespace {

History read_certified(const std::string& records) {
  ByteStream stream =
      ByteStream::from_memory("test.jsonl", "{\"serval\":\"history\",\"version\":1}\n" + records + "\n");
  return read_jsonl(stream, {});
}
std::string certificate_error(const std::string& records) {
  try {
    read_certified(records);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
History read_operation(const std::string& operation) {
  return read_certified(R"({"s":1,"t":1,"ops":[)" + operation + "]}");
}
std::string printed(const std::string& operation) {
  const History history = read_operation(operation);
  return print_predicate(*predicate_of(history, OperationId{0}), history.values());
}

TEST(JsonlPredicate, TextAndTreeAreEquivalent) {
  EXPECT_EQ(printed(R"(["pr",["sql","a > 3 AND b = 'it''s'"],[]])"), "a > 3 AND b = 'it''s'");
  EXPECT_EQ(printed(R"(["pr",["and",[">",["col","a"],3],["=",["col","b"],"it's"]],[]])"),
            "a > 3 AND b = 'it''s'");
  EXPECT_EQ(printed(R"(["pr",["aggregate","max",["col","a"],["<",["col","a"],5]],[],{"result":4}])"),
            "MAX(a) WHERE a < 5");
  EXPECT_EQ(printed(R"(["pu",["sql","set a = a + 1 where a < 5"],[["x",{"a":3}]]])"),
            "SET a = a + 1 WHERE a < 5");
}

TEST(JsonlPredicate, TextIsWrittenAsATree) {
  const std::string written = write_to_string(
      read_operation(R"(["pu",["sql","set a = a + 1 where b"],[["x",{"a":3}]]])"), Format::Jsonl);
  EXPECT_NE(written.find(R"(["pu",["update",["col","b"],["set","a",["+",["col","a"],1]]],[["x",{"a":3}]]])"),
            std::string::npos)
      << written;
}

TEST(JsonlPredicate, AggregateCarriesItsResult) {
  const History history = read_operation(R"(["pr",["sql","count(*) where a < 5"],[],{"result":4}])");
  EXPECT_EQ(history.value(OperationId{0}), Value::integer(4));
  EXPECT_EQ(query_of(history, OperationId{0})->function, Query::Function::Count);
}

TEST(JsonlPredicate, AnErrorInTextSaysWhere) {
  EXPECT_EQ(
      certificate_error(R"({"s":1,"t":1,"ops":[["pr",["sql","a > "],[]]]})"),
      "test.jsonl:2:34: expected a predicate in SQL (predicate:1:5: expected a column, a number, 'text', "
      "NULL, TRUE, FALSE or '(', but got the end)");
}

constexpr const char* kTransactions =
    "{\"s\":1,\"t\":1,\"ops\":[[\"w\",\"x\",1]],\"server_txn\":\"11\",\"commit_ts\":5}\n"
    "{\"s\":2,\"t\":1,\"ops\":[[\"w\",\"x\",2]],\"server_txn\":\"12\",\"commit_ts\":4}\n";

TEST(JsonlCertificate, OrdersMayPrecedeTheTransactionsTheyCite) {
  const History history =
      read_certified(std::string(R"({"event":"order","key":"x","versions":[[2,1],[1,1]],"complete":true})") +
                     "\n" + kTransactions + R"({"event":"certificate","order":"commit_ts"})");
  ASSERT_EQ(history.certificate().orders.size(), 1u);
  const KeyOrder& order = history.certificate().orders.front();
  EXPECT_EQ(history.format_key(order.key), "x");
  EXPECT_EQ(order.installers, (std::vector{TransactionId{1}, TransactionId{0}}));
  EXPECT_TRUE(order.complete);
  EXPECT_TRUE(history.certificate().ordered_by_commit);
}

TEST(JsonlCertificate, AnOperationSawVersionsATimestampOrASnapshot) {
  const History history = read_certified(
      std::string(kTransactions) +
      R"({"s":3,"t":1,"ops":[["pr",null,[],{"saw":[["x",[2,1]],["y",null]]}],["pr",null,[],{"saw":{"ts":4}}],)"
      R"(["pr",null,[],{"saw":{"snapshot":"11:13:12"}}],["pr",null,[]]]})");
  const Certificate& certificate = history.certificate();
  const auto& versions = std::get<std::vector<SeenVersion>>(certificate.version_set(OperationId{2})->seen);
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_EQ(versions[0].installer, TransactionId{1});
  EXPECT_TRUE(versions[1].installer.is_none());
  EXPECT_EQ(std::get<std::int64_t>(certificate.version_set(OperationId{3})->seen), 4);
  EXPECT_TRUE(std::get<TransactionSnapshot>(certificate.version_set(OperationId{4})->seen).shows(11));
  EXPECT_EQ(certificate.version_set(OperationId{5}), nullptr);
}

TEST(JsonlCertificate, VersionSetsFollowTheirOperationsWhenEventsInterleave) {
  const History history = read_certified(R"({"event":"begin","s":1,"t":1})"
                                         "\n"
                                         R"({"event":"begin","s":2,"t":2})"
                                         "\n"
                                         R"({"event":"op","s":2,"t":2,"op":["pr",null,[],{"saw":{"ts":7}}]})"
                                         "\n"
                                         R"({"event":"op","s":1,"t":1,"op":["w","x",1]})");
  EXPECT_EQ(history.certificate().version_set(OperationId{0}), nullptr);
  EXPECT_EQ(std::get<std::int64_t>(history.certificate().version_set(OperationId{1})->seen), 7);
}

TEST(JsonlCertificate, CitationsMustNameOneTransaction) {
  const std::string order = R"({"event":"order","key":"x","versions":)";
  EXPECT_EQ(certificate_error(kTransactions + order + "[[9,9]]}"),
            "test.jsonl:4:40: no transaction of the file is [9,9]");
  EXPECT_EQ(certificate_error(std::string(kTransactions) + kTransactions + order + "[[1,1]]}"),
            "test.jsonl:6:40: several transactions of the file are [1,1]");
  EXPECT_EQ(certificate_error(std::string(kTransactions) + kTransactions + order + "[3,1]}"), "no error");
  EXPECT_EQ(certificate_error(kTransactions + order + "[3]}"),
            "test.jsonl:4:40: the file has no transaction number 3");
  EXPECT_EQ(certificate_error(kTransactions + order + "[\"a\"]}"),
            "test.jsonl:4:40: expected a transaction: [session,label], or its number in the file");
  EXPECT_EQ(certificate_error(R"({"event":"order","key":"x"})"),
            "test.jsonl:2:1: expected a \"key\" and its \"versions\" in this record");
  EXPECT_EQ(certificate_error(R"({"s":1,"t":1,"ops":[["pr",null,[],{"saw":{"snapshot":"1:2"}}]]})"),
            "test.jsonl:2:54: expected a snapshot as \"xmin:xmax:xip,xip\", with xmin <= xip < xmax");
}

TEST(JsonlCertificate, TheOutcomeOfATransactionMayBeSettledAnywhere) {
  const std::string lost = R"({"s":3,"t":7,"ops":[["w","x",3]],"outcome":"indeterminate","node":"n1"})";
  const std::string settled = R"({"event":"settled","s":3,"t":7,"outcome":)";
  const History history = read_certified(lost + "\n" + kTransactions + settled +
                                         R"("committed","server_txn":"13","commit_ts":9})");
  EXPECT_EQ(history.outcome(TransactionId{0}), Outcome::Committed);
  const TransactionHints* hints = history.hints(TransactionId{0});
  ASSERT_NE(hints, nullptr);
  EXPECT_EQ(hints->server_transaction, "13");
  EXPECT_EQ(hints->commit_timestamp, 9);
  EXPECT_EQ(hints->node, "n1");
  EXPECT_EQ(history.hints(TransactionId{1})->server_transaction, "11");
  EXPECT_EQ(read_certified(lost + "\n" + settled + "\"aborted\"}").outcome(TransactionId{0}),
            Outcome::Aborted);
  EXPECT_EQ(certificate_error(lost + "\n" + R"({"event":"settled","s":3,"t":7})"),
            "test.jsonl:3:1: expected an \"outcome\" in this record");
  EXPECT_EQ(certificate_error(settled + "\"aborted\"}"),
            "test.jsonl:2:1: no transaction of the file is [3,7]");
}

TEST(JsonlCertificate, ContradictionsAreBadInput) {
  const std::string order = R"({"event":"order","key":"x","versions":)";
  const std::string both = "[[1,1],[2,1]]", complete = R"(,"complete":true})";
  EXPECT_EQ(certificate_error(kTransactions + order + both + complete), "no error");
  EXPECT_EQ(certificate_error(kTransactions + order + "[[1,1],[2,1],[1,1]]}"),
            "test.jsonl:4:52: the order of the versions of x names transaction 1 twice");
  EXPECT_EQ(certificate_error(kTransactions + order + both + complete + "\n" + order + both + complete),
            "test.jsonl:5:40: the order of the versions of x is given twice");
  EXPECT_EQ(
      certificate_error(kTransactions + order + both + complete + "\n" + order + "[[2,1],[1,1]]}"),
      "test.jsonl:5:46: the order of the versions of x contradicts the complete one about transaction 1");
  EXPECT_EQ(certificate_error(kTransactions + order + both + "}\n" + order + "[[2,1],[1,1]]}"),
            "test.jsonl:5:40: the order of the versions of x contradicts an earlier one about transaction 1");
  EXPECT_EQ(certificate_error(std::string(kTransactions) + R"({"s":3,"t":7,"ops":[["r","x",null]]})" + "\n" +
                              order + "[[1,1],[3,7]]}"),
            "test.jsonl:5:46: the order of the versions of x names transaction 7, which has not written it");
  EXPECT_EQ(certificate_error(R"({"s":1,"t":1,"ops":[["pr",null,[],{"saw":[["x",null],["x",null]]}]]})"),
            "test.jsonl:2:55: expected each key only once among the versions that it saw");
  EXPECT_EQ(certificate_error(kTransactions +
                              std::string(R"({"event":"settled","s":1,"t":1,"outcome":"aborted"})")),
            "test.jsonl:4:1: this transaction is aborted by this line and committed by another");
}

// The log contains rows of an update whose answer never came.
TEST(JsonlCertificate, AnUpdateWithoutAnAnswerMayHaveWrittenAnything) {
  EXPECT_EQ(certificate_error(
                R"({"s":3,"t":7,"ops":[["pu",["true"],[],{"at":[1,null]}]],"outcome":"indeterminate"})"
                "\n"
                R"({"event":"order","key":"x","versions":[[3,7]],"complete":true})"),
            "no error");
}

TEST(TransactionSnapshot, ShowsCommittedTransactions) {
  const TransactionSnapshot snapshot = *TransactionSnapshot::parse("10:20:15,12");
  EXPECT_EQ(snapshot.format(), "10:20:12,15");
  for (const std::uint64_t seen : {1, 9, 10, 11, 13, 19}) EXPECT_TRUE(snapshot.shows(seen)) << seen;
  for (const std::uint64_t unseen : {12, 15, 20, 99}) EXPECT_FALSE(snapshot.shows(unseen)) << unseen;
  EXPECT_TRUE(TransactionSnapshot::parse("10:10:")->running.empty());
  for (const char* bad : {"", "10", "10:20", "a:20:", "10:b:", "10:20:x", "10:20:1,", "10:20:1,,2",
                          "10:20:1 2", "11:2:", "10:20:9", "10:20:20", "10:20:12,12"})
    EXPECT_EQ(TransactionSnapshot::parse(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace serval
