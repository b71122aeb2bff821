// What operation maps mean: pairing, outcomes, times, kinds of operations.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/jepsen_text.h"
#include "history_equality.h"

namespace serval {
namespace {

const char* const kPaired = R"(
  {:index 0, :type :invoke, :process 0, :f :txn, :value [[:append :x 1] [:r :y nil]]}
  {:index 1, :type :invoke, :process 1, :f :txn, :value [[:append :y 2]]}
  {:index 2, :type :ok,     :process 0, :f :txn, :value [[:append :x 1] [:r :y [2]]]}
  {:index 3, :type :ok,     :process 1, :f :txn, :value [[:append :y 2]]})";

TEST(JepsenMeaning, InvocationAndCompletionAreOneTransaction) {
  const History history = read_edn(kPaired);
  ASSERT_EQ(history.transaction_count(), 2u);
  EXPECT_EQ(format_transaction(history, 0), "committed append(x,1) read-list(y,[2])");
  EXPECT_EQ(format_transaction(history, 1), "committed append(y,2)");
  EXPECT_EQ(history.label(TransactionId{0}), Value::integer(2));
  EXPECT_EQ(history.session_label(history.session(TransactionId{1})), Value::integer(1));
  EXPECT_TRUE(history.initial_value().is_nil());
}

TEST(JepsenMeaning, WithoutTimesThePositionInTheFileIsTheTime) {
  const History history = read_edn(kPaired);
  EXPECT_EQ(history.interval(TransactionId{0}), (Interval{0, 2}));
  EXPECT_EQ(history.interval(TransactionId{1}), (Interval{1, 3}));
}

TEST(JepsenMeaning, AscendingTimesAreUsed) {
  const History history = read_edn(
      "{:type :invoke :process 0 :value [[:w 1 1]] :time 10} {:type :ok :process 0 :value [[:w 1 1]] :time "
      "25}");
  EXPECT_EQ(history.interval(TransactionId{0}), (Interval{10, 25}));
}

TEST(JepsenMeaning, TimesThatDoNotAscendAreNotUsed) {
  for (const std::string times : {"10 10", "10 9", "-1 5", "nil 5", "1.5 5"}) {
    const std::string first = times.substr(0, times.find(' ')), second = times.substr(times.find(' ') + 1);
    const History history = read_edn("{:type :invoke :process 0 :value [[:w 1 1]] :time " + first +
                                     "} {:type :ok :process 0 :value [[:w 1 1]] :time " + second + "}");
    EXPECT_EQ(history.interval(TransactionId{0}), (Interval{0, 1})) << times;
  }
}

TEST(JepsenMeaning, AnInfoMayLackATime) {
  const History history = read_edn(
      "{:type :invoke :process 0 :value [[:w 1 1]] :time 10} {:type :info :process 0 :value [[:w 1 1]]}"
      "{:type :invoke :process 1 :value [[:w 1 2]] :time 20} {:type :ok :process 1 :value [[:w 1 2]] :time "
      "30}");
  EXPECT_EQ(history.interval(TransactionId{0}), (Interval{10, kUnknownEnd}));
  EXPECT_EQ(history.interval(TransactionId{1}), (Interval{20, 30}));
}

TEST(JepsenMeaning, CompletionsAloneHaveNoTimes) {
  const std::string edn =
      "{:process 0, :type :ok, :value [[:w :x 1] [:r :y 1]], :time 5}\n"
      "{:process 1, :type :fail, :value [[:w :x 2] [:r :y nil]], :time 7}";
  const History history = read_edn(edn);
  EXPECT_FALSE(history.has_times());
  EXPECT_EQ(format_transaction(history, 0), "committed write(x,1) read(y,1)");
  EXPECT_EQ(format_transaction(history, 1), "aborted write(x,2) read(y,?)");
  EXPECT_EQ(notices_of(edn), std::vector<std::string>{"completions only, no invocations: real-time order is "
                                                      "not known"});
}

TEST(JepsenMeaning, InfoIsIndeterminateAndItsNilReadsAreUnknown) {
  const History history = read_edn(
      "{:type :invoke :process 0 :f :txn :value [[:append 1 1] [:r 2] [:r 3 nil]]}"
      "{:type :info :process 0 :f :txn :value [[:append 1 1] [:r 2 nil] [:r 3 [7]]] :error :timeout :node "
      "\"n1\"}");
  EXPECT_EQ(format_transaction(history, 0), "indeterminate append(1,1) read-list(2,?) read-list(3,[7])");
  EXPECT_EQ(history.interval(TransactionId{0}), (Interval{0, kUnknownEnd}));
  ASSERT_NE(history.hints(TransactionId{0}), nullptr);
  EXPECT_EQ(history.hints(TransactionId{0})->error, "timeout");
  EXPECT_EQ(history.hints(TransactionId{0})->node, "n1");
}

TEST(JepsenMeaning, AnInfoWithAReasonInsteadOfAValueKeepsTheInvokedOperations) {
  const History history = read_edn(
      "{:type :invoke :process 0 :f :txn :value [[:w 1 5] [:r 2 nil]]} {:type :info :process 0 :f :txn "
      ":value "
      ":timed-out}");
  EXPECT_EQ(format_transaction(history, 0), "indeterminate write(1,5) read(2,?)");
}

TEST(JepsenMeaning, InvocationWithoutCompletionIsIndeterminate) {
  const std::string edn =
      "{:type :invoke :process 7 :value [[:w 1 5] [:r 1 nil]] :index 4 :node n3}"
      "{:type :invoke :process 2 :value [[:w 1 6]] :index 5} {:type :ok :process 2 :value [[:w 1 6]] :index "
      "6}";
  const History history = read_edn(edn);
  ASSERT_EQ(history.transaction_count(), 2u);
  EXPECT_EQ(format_transaction(history, 1), "indeterminate write(1,5) read(1,?)");
  EXPECT_EQ(history.label(TransactionId{1}), Value::integer(4));
  EXPECT_EQ(history.interval(TransactionId{1}), (Interval{0, kUnknownEnd}));
  EXPECT_EQ(history.hints(TransactionId{1})->node, "n3");
  EXPECT_EQ(notices_of(edn)[0], "1 invocations never completed: taken as indeterminate");
}

TEST(JepsenMeaning, NemesisOperationsAreSkippedWhateverTheyContain) {
  const std::string edn =
      "{:type :info :process :nemesis :f :start :value {:n1 #{:n2} \"s\" [1 {2 3}]}}\n"
      "{:type :invoke :process 0 :value [[:r 1 nil]]}\n"
      "{:type :info :process [:nemesis 2] :value nil}\n"
      "{:type :ok :process 0 :value [[:r 1 nil]]}";
  const History history = read_edn(edn);
  EXPECT_EQ(history.transaction_count(), 1u);
  EXPECT_EQ(history.interval(TransactionId{0}), (Interval{1, 3}));
  EXPECT_EQ(notices_of(edn)[0],
            "skipped 2 operations whose :process is not an integer (nemesis and the like)");
}

TEST(JepsenMeaning, AProcessMayContinueAfterAnInfo) {
  const std::string edn =
      "{:type :invoke :process 0 :value [[:w 1 1]]} {:type :info :process 0}"
      "{:type :invoke :process 0 :value [[:w 1 2]]} {:type :ok :process 0 :value [[:w 1 2]]}";
  const History history = read_edn(edn);
  EXPECT_EQ(history.session_count(), 1u);
  EXPECT_EQ(format_transaction(history, 1), "committed write(1,2)");
  EXPECT_EQ(notices_of(edn)[0], "1 times a process continued after :info: its session continues, too");
}

TEST(JepsenMeaning, WithoutProcessesEveryTransactionIsASession) {
  const std::string edn =
      "{:type :invoke :value [[:append 1 1]]} {:type :ok :value [[:append 1 1]]}"
      "{:type :invoke :value [[:r 1 nil]]} {:type :ok :value [[:r 1 [1]]]}";
  const History history = read_edn(edn);
  EXPECT_EQ(history.session_count(), 2u);
  EXPECT_EQ(history.interval(TransactionId{1}), (Interval{2, 3}));
  EXPECT_EQ(notices_of(edn)[0], "no operation has a :process: every transaction became a separate session");
}

TEST(JepsenMeaning, NilReadsBeforeTheFirstAppendAreListReads) {
  const History history = read_edn(
      "{:process 0 :type :ok :value [[:r :x nil] [:r :y []]]} {:process 0 :type :ok :value [[:append :x "
      "1]]}");
  EXPECT_EQ(format_transaction(history, 0), "committed read-list(x,_) read-list(y,[])");
}

TEST(JepsenMeaning, KeywordsStringsSymbolsAndCharactersAreText) {
  const History history = read_edn(
      "{:process 0 :type :ok :value [[:w :x \"a\\u00e9\\n\"] [:w \"x\" sym] [:w x \\c] [:w x :k/w]]}");
  EXPECT_EQ(history.key_count(), 1u);
  std::vector<std::string> values;
  for (const OperationId op : history.operations(TransactionId{0}))
    values.emplace_back(history.values().characters(history.value(op)));
  EXPECT_EQ(values, (std::vector<std::string>{"a\xc3\xa9\n", "sym", "c", "k/w"}));
}

TEST(JepsenMeaning, NumbersBooleansAndTagsAreRead) {
  const History history = read_edn(
      "#jepsen.history.Op{:process 0 :type :ok :value [[:w -3 12N] [:w 1.5M 99999999999999999999] "
      "[:w true +7] [:w 1 1e3] [:w 1 #inst \"1985\"] [:w 1 nil]]}");
  EXPECT_EQ(format_transaction(history, 0),
            "committed write(-3,12) write(1.5,99999999999999999999) write(true,7) write(1,1e3) "
            "write(1,\"1985\") write(1,_)");
}

TEST(JepsenMeaning, CommentsDiscardsAndCommasAreBlank) {
  const History history = read_edn(
      "; first\n#_ {:type :bad} #_ #_ a [b {c #{d}}],,, {:process 0, #_ :process #_ 5 :type :ok ; last\n "
      ":value "
      "[#_[:r] [:w 1 #_ 3 2]]}, #_ #tag [end] ; no newline here");
  EXPECT_EQ(format_transaction(history, 0), "committed write(1,2)");
}

TEST(JepsenMeaning, VectorListAndBareMapsAreTheSame) {
  const std::string maps =
      "{:process 0 :type :ok :value [[:w 1 1]]} {:process 1 :type :ok :value ([:r 1 1])}";
  const History bare = read_edn(maps);
  EXPECT_EQ(bare.transaction_count(), 2u);
  EXPECT_EQ(difference(bare, read_edn("[" + maps + "]")), "");
  EXPECT_EQ(difference(bare, read_edn(" ; a list\n( " + maps + "\n)\n")), "");
}

TEST(JepsenMeaning, MultiRegisterNamesOfKnossosAreReadsAndWrites) {
  const History history = read_edn("{:process 0 :type :ok :f :txn :value [[:read :x 0] [:write :y 2]]}");
  EXPECT_EQ(format_transaction(history, 0), "committed read(x,0) write(y,2)");
}

TEST(JepsenMeaning, SingleRegisterHasAFixedKey) {
  const History history = read_edn(
      "[{:process 0 :type :invoke :f :write :value 3} {:process 0 :type :ok :f :write}"
      " {:process 1 :type :invoke :f :read} {:process 1 :type :ok :f :read :value 3}"
      " {:process 2 :type :invoke :f :cas :value [3 4]} {:process 2 :type :ok :f :cas :value [3 4]}"
      " {:process 2 :type :invoke :f :cas :value [9 5]} {:process 2 :type :fail :f :cas :value :mismatch}"
      " {:process 3 :type :invoke :f :read :value nil} {:process 3 :type :info :f :read :value :timed-out}]");
  EXPECT_EQ(format_transaction(history, 0), "committed write(register,3)");
  EXPECT_EQ(format_transaction(history, 1), "committed read(register,3)");
  EXPECT_EQ(format_transaction(history, 2), "committed cas(register,3,4)");
  EXPECT_EQ(format_transaction(history, 3), "aborted cas(register,9,5)");
  EXPECT_EQ(format_transaction(history, 4), "indeterminate read(register,?)");
}

TEST(JepsenMeaning, IndependentKeysAreKeys) {
  const History history = read_edn(
      "{:process 0 :type :invoke :f :write :value [7 1]} {:process 0 :type :ok :f :write :value [7 1]}"
      "{:process 0 :type :invoke :f :cas :value [7 [1 2]]} {:process 0 :type :ok :f :cas :value [7 [1 2]]}"
      "{:process 0 :type :invoke :f :read :value [7 nil]} {:process 0 :type :ok :f :read :value [7 2]}");
  EXPECT_EQ(format_transaction(history, 0), "committed write(7,1)");
  EXPECT_EQ(format_transaction(history, 1), "committed cas(7,1,2)");
  EXPECT_EQ(format_transaction(history, 2), "committed read(7,2)");
}

TEST(JepsenMeaning, LongForkReadsUnderReadAreTransactions) {
  const History history = read_edn("{:process 0 :type :ok :f :read :value [[:r 0 1] [:r 1 nil]]}");
  EXPECT_EQ(format_transaction(history, 0), "committed read(0,1) read(1,_)");
}

TEST(JepsenMeaning, JsonMeansTheSame) {
  const History edn = read_edn(kPaired);
  const std::string objects[] = {
      R"({"index":0,"type":"invoke","process":0,"f":"txn","value":[["append","x",1],["r","y",null]]})",
      R"({"index":1,"type":"invoke","process":1,"f":"txn","value":[["append","y",2]]})",
      R"({"index":2,"type":"ok","process":0,"f":"txn","value":[["append","x",1],["r","y",[2]]]})",
      R"({"index":3,"type":"ok","process":1,"f":"txn","value":[["append","y",2]]})"};
  std::string array, lines;
  for (const std::string& object : objects) {
    array += (array.empty() ? "[" : " ,\n") + object;
    lines += object + "\n";
  }
  EXPECT_EQ(difference(edn, read_jepsen(Format::JepsenJson, array + "]")), "");
  EXPECT_EQ(difference(edn, read_jepsen(Format::JepsenJsonl, lines)), "");
}

TEST(JepsenMeaning, FormatsAreDetectedByContent) {
  const auto detected = [](std::string_view text) {
    const FormatInfo* found = detect_format(text);
    return found == nullptr ? std::string("none") : std::string(found->name);
  };
  EXPECT_EQ(detected("; c\n[#op {:type :ok}]"), "edn");
  EXPECT_EQ(detected("{:index 0}"), "edn");
  EXPECT_EQ(detected(" [ {\"index\": 0, \"x\": [{\"a\": 1}], \"type\" : \"ok\"}]"), "json");
  EXPECT_EQ(detected("{\"type\":\"invoke\",\"f\":\"txn\"}\n"), "jepsen-jsonl");
  EXPECT_NE(detected("{\"serval\":1,\"type\":\"history\"}\n"), "jepsen-jsonl");
  EXPECT_NE(detected("[x:=1 y==2]"), "edn");
  EXPECT_EQ(format_for_path("a/b.jepsen.jsonl.gz"), Format::JepsenJsonl);
}

}  // namespace
}  // namespace serval
