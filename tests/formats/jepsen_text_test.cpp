// Jepsen histories as columns of text: history.txt and the logs of jepsen.util.

#include "formats/jepsen_text.h"

#include <gtest/gtest.h>

#include "history_equality.h"

namespace serval {
namespace {

History read_jepsen_text(const std::string& text, ReadOptions options = {}) {
  return read_jepsen(Format::JepsenText, text, std::move(options));
}
std::string error_in_text(const std::string& text) { return error_of(Format::JepsenText, text); }

TEST(JepsenText, ColumnsMeanTheSameAsMaps) {
  const History text = read_jepsen_text(
      "0\t:invoke\t:txn\t[[:append :x 1] [:r :y nil]]\n"
      ":nemesis\t:info\t:start\tnil\n"
      "0\t:ok\t:txn\t[[:append :x 1] [:r :y [2]]]\n"
      "1\t:invoke\t:write\t3\n"
      "1\t:info\t:write\t3\t:timeout\n");
  const History edn = read_edn(
      "{:type :invoke :process 0 :f :txn :value [[:append :x 1] [:r :y nil]]}"
      "{:type :info :process :nemesis :f :start}"
      "{:type :ok :process 0 :f :txn :value [[:append :x 1] [:r :y [2]]]}"
      "{:type :invoke :process 1 :f :write :value 3}"
      "{:type :info :process 1 :f :write :value 3 :error :timeout}");
  EXPECT_EQ(difference(edn, text), "");
}

TEST(JepsenText, LogLinesAreReadAndOthersSkipped) {
  std::vector<std::string> notices;
  ReadOptions options;
  options.on_notice = [&](const std::string& notice) { notices.push_back(notice); };
  const History history = read_jepsen_text(
      "INFO  jepsen.core - Running test\n"
      "INFO  jepsen.util - 0\t:invoke\t:cas\t[3 0]\n"
      "2023-01-02 10:00:00,000{GMT}\tINFO\t[worker 0] jepsen.util: 1\t:invoke\t:read\tnil\n"
      "INFO  jepsen.util - 1\t:ok\t:read\t3\n"
      "WARN  jepsen.core - boom\n"
      "INFO  jepsen.util - 0\t:info\t:cas\t:timed-out\n",
      options);
  ASSERT_EQ(history.transaction_count(), 2u);
  EXPECT_EQ(format_transaction(history, 0), "committed read(register,3)");
  EXPECT_EQ(format_transaction(history, 1), "indeterminate cas(register,3,0)");
  ASSERT_FALSE(notices.empty());
  EXPECT_EQ(notices[0], "2 lines that are not operations were skipped");
}

// An extra bracket ends the value early and must not hide the rest.
TEST(JepsenText, WhatFollowsAValueIsAnErrorColumnOrDamage) {
  EXPECT_EQ(error_in_text("0\t:ok\t:txn\t[[:append :x[1]]] 1] [:w :y 1]]\n"),
            "1:30: expected the end of the line after the value");
  EXPECT_EQ(read_jepsen_text("0\t:ok\t:txn\t[[:r :x 1]] \n").transaction_count(), 1u);
  EXPECT_EQ(read_jepsen_text("0\t:ok\t:txn\t[[:r :x 1]]\tslow disk\n").transaction_count(), 1u);
  EXPECT_EQ(read_jepsen_text("0 :info :txn [[:r :x 1]] timed out\n").transaction_count(), 1u);
}

TEST(JepsenText, IsDetectedByItsColumns) {
  EXPECT_EQ(detect_format("0\t:invoke\t:read\tnil\n")->format, Format::JepsenText);
  EXPECT_EQ(detect_format("\n:nemesis\t:info\t:kill\tnil\n")->format, Format::JepsenText);
  EXPECT_EQ(detect_format("INFO  jepsen.core - hello\nINFO  jepsen.util - 3 :invoke :read nil\n")->format,
            Format::JepsenText);
  EXPECT_NE(detect_format("0 :commit :read nil\n")->format, Format::JepsenText);
}

TEST(JepsenText, ErrorsPointIntoTheLineEvenAfterALogPrefix) {
  EXPECT_EQ(error_in_text("0\t:invoke\t:txn\t[[:r 1 nil}]\n"),
            "1:26: expected ']' to close the vector opened at column 17");
  EXPECT_EQ(error_in_text("INFO  jepsen.util - 0\t:ok\t:read\t5x\n"), "1:33: expected a number");
  EXPECT_EQ(error_in_text("0\t:ok\t:read\t5\nonce upon a time\n"),
            "2:1: expected a process, one of :invoke, :ok, :fail and :info, a function and a value");
  EXPECT_EQ(error_in_text("0\t:ok\t:txn\t[[:r 1 2]\n"),
            "1:21: expected ']' to close the vector opened at column 12");
  EXPECT_EQ(error_in_text("0\t:ok\n"), "1:6: expected process, type, f and value");
}

TEST(JepsenText, ATruncatedLineIsDroppedOnRequest) {
  ReadOptions options;
  options.accept_truncated = true;
  EXPECT_EQ(read_jepsen_text("0\t:ok\t:read\t5\n1\t:ok\t:read\t1", options).transaction_count(), 1u);
  EXPECT_EQ(read_jepsen_text("0\t:ok\t:read\t5\n1\t:ok\t:read\t1").transaction_count(), 2u);
}

TEST(JepsenText, WrittenTextReadsBackTheSameAndReportsLosses) {
  const History history = read_edn(
      "{:index 0 :time 5 :type :invoke :process 0 :f :txn :value [[:w :x 1] [:r :y nil]]}"
      "{:index 1 :time 6 :type :invoke :process 1 :f :cas :value [:k [1 2]]}"
      "{:index 2 :time 7 :type :fail :process 1 :f :cas :value [:k [1 2]] :error \"a\\nb\"}"
      "{:index 5 :time 9 :type :ok :process 0 :f :txn :value [[:w :x 1] [:r :y 4]] :node \"n1\"}");
  WriteReport report;
  const std::string text = write_to_string(history, Format::JepsenText, &report);
  EXPECT_EQ(text,
            "0\t:invoke\t:txn\t[[:w :x 1] [:r :y nil]]\n"
            "1\t:invoke\t:cas\t[:k [1 2]]\n"
            "1\t:fail\t:cas\t[:k [1 2]]\t\"a\\nb\"\n"
            "0\t:ok\t:txn\t[[:w :x 1] [:r :y 4]]\n");
  EXPECT_EQ(report.lossy_steps,
            (std::vector<std::string>{"dropped the node of 1 transactions",
                                      "replaced the labels of 1 transactions by their place in the file",
                                      "times become places in the file; what they order stays the same"}));
  EXPECT_EQ(write_to_string(read_jepsen_text(text), Format::JepsenText), text);
}

}  // namespace
}  // namespace serval
