// Bad Jepsen files: errors point at the right place, and no damage causes anything worse than an error.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/jepsen_text.h"
#include "history_equality.h"
#include "sample.h"
#include "serval/base/random.h"

namespace serval {
namespace {

std::string edn_error(const std::string& text) { return error_of(Format::JepsenEdn, text); }
std::string json_error(const std::string& text) { return error_of(Format::JepsenJson, text); }

const char* const kEdn =
    "; two sessions\n"
    "({:index 0, :type :invoke, :process 0, :f :txn, :value [[:append :x 1] [:r \"y\\n\" nil]], :time 3}\n"
    " {:index 1 :type :info :process :nemesis :value {:a #{1 2} \"b\" [\\c #_ d 1.5]}}\n"
    " {:index 2, :type :ok, :process 0, :f :txn, :value [[:append :x 1] [:r \"y\\n\" [2 -3 4N]]], :time 9}\n"
    " {:index 3, :type :invoke, :process 1, :f :cas, :value [k [1 2]], :error [:e \"x\"]})\n";

const char* const kJson =
    "[{\"index\":0,\"type\":\"invoke\",\"process\":0,\"f\":\"txn\",\"value\":[[\"append\",\"x\",1],[\"r\",2,"
    "null]]},\n"
    "{\"index\":1,\"type\":\"info\",\"process\":\"nemesis\",\"value\":{\"a\":[1,{\"b\":true}]}},\n"
    "{\"index\":2,\"type\":\"ok\",\"process\":0,\"f\":\"txn\",\"value\":[[\"append\",\"x\",1],[\"r\",2,[-1,2."
    "5e3]]],"
    "\"error\":\"\\u00e9\\ud83d\\ude00\"}]\n";

TEST(JepsenDamage, AWrongBracketIsReportedWithTheOneItShouldClose) {
  const std::string good =
      "{:type :ok, :f :txn, :value [[:append 9 3] [:r 4 [1 2]]], :process 3, :index 9634}\n";
  const std::string bad =
      "{:type :ok, :f :txn, :value [[:append 9 4] [:r 4 [1 2}], :process 5, :index 9636}\n";
  EXPECT_EQ(edn_error(good + bad), "2:54: expected ']' to close the vector opened at column 50");
  EXPECT_EQ(edn_error("{:type :ok\n :value [[:r 1 2)]}"),
            "2:17: expected ']' to close the vector opened at column 10");
  EXPECT_EQ(edn_error("{:type :ok\n :value nil]"),
            "2:12: expected '}' to close the map opened at line 1, column 1");
  EXPECT_EQ(edn_error("({:type :ok :process 0 :value []}]"), "1:34: expected a value");
}

TEST(JepsenDamage, HalfOfASurrogatePairIsRefusedAtItsPosition) {
  for (const char* half : {"\\ud800", "\\udc00", "\\ud800\\ud800", "\\ud800x"})
    EXPECT_EQ(edn_error(std::string("{:type :ok :value [[:r \"") + half + "\" 1]]}"),
              "1:25: half of a surrogate pair without the other")
        << half;
}

TEST(JepsenDamage, AnErrorShowsTheLineAndThePosition) {
  const std::string padding(400, ' ');
  try {
    read_edn("[" + padding + "{:type :ok :process 0 :value 5}" + padding + "]");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().column, 431u);
    EXPECT_EQ(error.source_line().substr(error.caret() - 1, 2), "5}");
    EXPECT_LT(error.source_line().size(), 120u);
  }
}

TEST(JepsenDamage, SemanticErrorsPointAtTheField) {
  EXPECT_EQ(edn_error("{:process 0 :value [[:r 1 1]]}"),
            "1:1: this operation has no :type (one of :invoke, :ok, :fail, :info)");
  EXPECT_EQ(edn_error("{:type :done :process 0 :value []}"),
            "1:8: expected one of :invoke, :ok, :fail, :info");
  const std::string supported =
      "; Serval reads transactions of r, w and append, and single registers with read, write and cas";
  EXPECT_EQ(edn_error("\n{:type :ok :process 0 :f :transfer :value {:from 1}}"),
            "2:26: :f :transfer is not a transaction over keys" + supported);
  EXPECT_EQ(edn_error("{:type :ok :process 0 :f :read :value {0 10}}"), "1:39: this is a map" + supported);
  EXPECT_EQ(edn_error("{:type :ok :process 0 :f :read :value #{1}}"), "1:39: this is a set" + supported);
  EXPECT_EQ(
      edn_error("{:type :ok :process 0 :value [[:r 1 1] [:rq :true {}]]}"),
      "1:41: this is the micro-operation :rq, which is not one of r, w, append, insert, delete, rp, read, "
      "write" +
          supported);
  EXPECT_EQ(edn_error("{:type :ok :process 0 :value [[:w 1]]}"),
            "1:31: this is a micro-operation that writes, without a value" + supported);
  EXPECT_EQ(edn_error("{:type :ok :process 0 :value [[:r 1 [[2]]]]}"),
            "1:38: this is a list that holds more than plain values" + supported);
  EXPECT_EQ(edn_error("{:type :ok :process 0 :value [[:r 1 2 3]]}"),
            "1:39: this is a micro-operation with more than a key and a value" + supported);
  EXPECT_EQ(edn_error("{:type :ok :process 0 :f :txn}"),
            "1:1: this is not a value that :f :txn can have" + supported);
}

TEST(JepsenDamage, BrokenPairingIsAnError) {
  EXPECT_EQ(edn_error("{:type :invoke :process 3 :index 7 :value []}\n{:type :invoke :process 3 :value []}"),
            "2:1: process 3 invokes this while its operation 7 has not completed");
  EXPECT_EQ(edn_error("{:type :invoke :process 3 :value []}\n{:type :ok :process 4 :value []}"),
            "2:1: process 4 completes an operation that it has not invoked");
  EXPECT_EQ(edn_error("{:type :ok :process 3 :value []}\n{:type :invoke :process 4 :value []}"),
            "2:1: an invocation, after completions that have none; keep all invocations or none");
  EXPECT_EQ(edn_error("{:type :ok :process 3 :value []}\n{:type :ok :value []}"),
            "2:1: this operation has no :process, but others before it have one");
  EXPECT_EQ(edn_error("{:type :ok :value []}\n{:type :ok :process 1 :value []}"),
            "2:21: this operation has a :process, but others before it have none");
}

TEST(JepsenDamage, SyntaxErrorsSayWhatWasExpected) {
  EXPECT_EQ(edn_error("{:index 5x}"), "1:9: expected a number");
  EXPECT_EQ(edn_error("{:type \"a\\q\"}"), "1:10: unknown escape in a string");
  EXPECT_EQ(edn_error("{:type :ok :value}"), "1:18: expected a value");
  EXPECT_EQ(edn_error("{:type :ok :process 0 :value []} 17 "),
            "1:34: expected '{', the start of an operation");
  EXPECT_EQ(edn_error("[] {:type :ok}"),
            "1:4: expected the end of the file: the bracket around all operations is closed");
  EXPECT_EQ(json_error("[{\"type\":\"ok\" \"process\":0}]"),
            "1:15: expected ',' or '}' to close the object opened at column 2");
  EXPECT_EQ(json_error("[{\"type\" \"ok\"}]"), "1:10: expected ':' after the name");
  EXPECT_EQ(json_error("[{type: 1}]"), "1:3: expected a name in double quotes");
  EXPECT_EQ(json_error("[{\"time\":nul}]"), "1:10: expected a value");
  EXPECT_EQ(json_error("[{\"f\":\"a\nb\"}]"), "1:7: this string is not closed on its line");
  EXPECT_EQ(json_error("[{\"type\":\"ok\",\"process\":0,\"value\":[]} {}]"), "1:39: expected ',' or ']'");
  EXPECT_EQ(json_error("[{\"type\":\"ok\",\"process\":0,\"value\":[1,]}]"),
            "1:38: expected a value after the comma");
}

TEST(JepsenDamage, TruncatedFileIsAnErrorWithAHint) {
  try {
    read_edn("{:type :ok :process 0 :value [[:w 1 1]]}\n{:type :ok :process 1 :val");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().line, 2u);
    EXPECT_EQ(error.position().column, 27u);
    EXPECT_EQ(error.problem(), "the file ends here; expected '}' to close the map opened at column 1");
    EXPECT_NE(error.hint().find("--truncated=ok"), std::string::npos);
  }
  EXPECT_EQ(
      json_error("[{\"type\":\"ok\",\"process\":0,\"value\":[]}"),
      "1:38: the file ends here; expected ']' to close the bracket around all operations, opened at line 1, "
      "column 1");
}

TEST(JepsenDamage, ATruncatedFileKeepsItsCompleteOperationsIfAccepted) {
  ReadOptions options;
  options.accept_truncated = true;
  const std::string text = "[{:type :ok :process 0 :value [[:w 1 1]]}\n{:type :ok :process 1 :val";
  EXPECT_EQ(read_edn(text, options).transaction_count(), 1u);
  EXPECT_EQ(notices_of(text, options)[0], "the file is cut off at line 2: an unfinished form was dropped");
}

// Reads damaged text; an InputError is fine, anything else is not.
std::size_t survive(Format format, const std::string& text, const ReadOptions& options) {
  try {
    return read_jepsen(format, text, options).transaction_count();
  } catch (const InputError& error) {
    EXPECT_FALSE(error.problem().empty());
    return 0;
  }
}

TEST(JepsenDamage, EveryTruncationIsAHistoryOrAnError) {
  for (const auto& [format, text] :
       {std::pair(Format::JepsenEdn, std::string(kEdn)), std::pair(Format::JepsenJson, std::string(kJson))}) {
    const std::size_t whole = survive(format, text, {});
    ASSERT_GT(whole, 0u);
    for (std::size_t size = text.find_first_of("([") + 1; size + 2 < text.size(); ++size) {
      const std::string cut = text.substr(0, size);
      EXPECT_NE(error_of(format, cut), "no error") << cut;
      EXPECT_LE(survive(format, cut, {.accept_truncated = true}), whole) << cut;
      detect_format(cut);
    }
  }
}

TEST(JepsenDamage, FlippedBytesGiveAHistoryOrAnError) {
  Random random = fresh_random();
  constexpr std::string_view kNasty = "[](){}\"\\#_;:,\n \0-+.0n\xff";
  for (int round = 0; round < 3000; ++round) {
    const Format format = round % 2 == 0 ? Format::JepsenEdn : Format::JepsenJson;
    std::string text = format == Format::JepsenEdn ? kEdn : kJson;
    for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips) {
      char& byte = text[random.below(text.size())];
      byte = random.chance(0.5) ? kNasty[random.below(kNasty.size())] : static_cast<char>(random.below(256));
    }
    detect_format(text);
    EXPECT_LE(survive(format, text, {.accept_truncated = random.chance(0.5)}), 10u) << text;
  }
}

TEST(JepsenDamage, DeepNestingNeedsNoStack) {
  const std::size_t depth = 200000;
  for (const std::string open : {"[", "{:a ", "#{", "#_ ", "#t "}) {
    std::string text = "{:x ";
    for (std::size_t i = 0; i < depth; ++i) text += open;
    EXPECT_NE(edn_error(text + "}"), "no error") << open;
  }
  EXPECT_NE(json_error("[{\"x\":" + std::string(depth, '[')), "no error");
}

// Longer than any chunk of the stream, so that chunk borders cut forms, comments, strings and numbers.
TEST(JepsenDamage, ChunkBordersChangeNothing) {
  std::string edn, json = "[";
  for (int i = 0; i < 12000; ++i) {
    const std::string n = std::to_string(i), p = std::to_string(i % 7);
    edn += "; comment " + n + " {:type\n{:type :ok, :process " + p + ", :value [[:append :key" + n + " " + n +
           "] [:r \"k\\\"" + n + "\" [" + n + " 1 2]]], :error \"e; {" + n + "\"}\n";
    json += std::string(i == 0 ? "" : ",") + "{\"type\":\"ok\",\"process\":" + p +
            ",\"value\":[[\"append\",\"key" + n + "\"," + n + "],[\"r\",\"k\\\"" + n + "\",[" + n +
            ",1,2]]],\"error\":\"e; {" + n + "\"}";
  }
  const History from_edn = read_edn(edn);
  ASSERT_EQ(from_edn.transaction_count(), 12000u);
  EXPECT_EQ(format_transaction(from_edn, 11999),
            "committed append(key11999,11999) read-list(\"k\\\"11999\",[11999 1 2])");
  EXPECT_EQ(difference(from_edn, read_jepsen(Format::JepsenJson, json + "]")), "");
  const std::string error = json_error(json + ",x]");
  EXPECT_EQ(error, "1:" + std::to_string(json.size() + 2) + ": expected '{', the start of an operation");
}

TEST(JepsenDamage, OneOperationMayBeLongerThanManyChunks) {
  std::string elements;
  for (int i = 0; i < 300000; ++i) elements += std::to_string(i) + " ";
  const History history = read_edn("[{:process 0 :type :ok :value [[:r 1 [" + elements +
                                   "]] [:w 2 3]]}\n{:process 0 :type :ok :value []}]");
  ASSERT_EQ(history.transaction_count(), 2u);
  const OperationId read = history.operations(TransactionId{0})[0];
  EXPECT_EQ(history.values().elements(history.value(read)).size(), 300000u);
}

TEST(JepsenDamage, LineNumbersContinueAcrossChunks) {
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += "{:process 0 :type :ok :value [[:w 1 " + std::to_string(i) + "]]}\n";
  EXPECT_EQ(edn_error(text + "  oops "), "20001:3: expected '{', the start of an operation");
}

}  // namespace
}  // namespace serval
