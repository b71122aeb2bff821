#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arbitrary_history.h"
#include "register_histories.h"
#include "serval/formats/text/text_formats.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

constexpr Format kAwdit = Format::AwditText;

std::string notation_of_awdit(const std::string& text) { return print_history(read_as(kAwdit, text)); }
std::string written_as_awdit(const char* notation) {
  return write_to_string(parse_history(notation), kAwdit);
}

TEST(AwditText, RulesSeparateTransactionsAndSessions) {
  EXPECT_EQ(notation_of_awdit("w 1 2\nr 1 2\n-----\nr 1 3\n=====\nw 1 3\n"),
            "0: [w(1,2) r(1,2)] [r(1,3)]\n1: [w(1,3)]\n");
}

TEST(AwditText, RepeatedRulesAndBlankLinesMeanNothing) {
  EXPECT_EQ(notation_of_awdit("===\n---\nw 1 2\n---\n---\n\n===\n===\nr 1 2\r\n---\n"),
            "0: [w(1,2)]\n1: [r(1,2)]\n");
}

TEST(AwditText, ALastLineThatMayBeTruncatedIsReported) {
  std::string notices;
  ReadOptions options;
  options.on_notice = [&](const std::string& notice) { notices += notice; };
  read_as(kAwdit, "w 1 70\n", options);
  EXPECT_EQ(notices, "");
  read_as(kAwdit, "w 1 7", options);
  EXPECT_EQ(notices, "the last line does not end in a newline: it may have been cut off");
}

TEST(AwditText, ThereIsNoInitialValue) { EXPECT_TRUE(read_as(kAwdit, "r 1 0\n").initial_value().is_nil()); }

TEST(AwditText, ErrorsPointAtTheExactPlace) {
  EXPECT_EQ(error_in(kAwdit, "w 1 2\nx 1 2\n"),
            "2:1: expected \"r key value\", \"w key value\", \"---\" or \"===\", but got 'x'");
  EXPECT_EQ(error_in(kAwdit, "w 1\n"), "1:4: expected a space before the value, but got the end of the line");
  EXPECT_EQ(error_in(kAwdit, "w 1 y\n"), "1:5: expected the value, an integer, but got 'y'");
  EXPECT_EQ(error_in(kAwdit, "w 1 2 3\n"), "1:7: expected the end of the line after the value, but got '3'");
  EXPECT_EQ(error_in(kAwdit, "--=\n"), "1:3: expected the end of the line after the separator, but got '='");
}

TEST(AwditText, LastLineWithoutNewlineIsDroppedOnlyOnRequest) {
  EXPECT_EQ(notation_of_awdit("w 1 2\nw 1 34"), "0: [w(1,2) w(1,34)]\n");
  ReadOptions options;
  options.accept_truncated = true;
  EXPECT_EQ(print_history(read_as(kAwdit, "w 1 2\nw 1 3", options)), "0: [w(1,2)]\n");
}

TEST(AwditText, InitialReadsGetAFirstSessionThatWritesThem) {
  EXPECT_EQ(written_as_awdit("1: [r(5,0) r(6,_) w(5,1)]"), "w 5 0\nw 6 0\n=====\nr 5 0\nr 6 0\nw 5 1\n");
  EXPECT_EQ(written_as_awdit("1: [w(5,0)] 2: [r(6,0)]"), "w 6 1\n=====\nw 5 0\n=====\nr 6 1\n");
}

TEST(AwditText, AbortedTransactionsAreOmittedAndReported) {
  EXPECT_EQ(written_as_awdit("0: [w(1,1)]! [w(1,2)]"), "w 1 2\n");
  EXPECT_EQ(
      losses_of(parse_history("0: [w(1,1)]! [w(1,2)]"), kAwdit),
      (std::vector<std::string>{"aborted transactions left out: 1", "labels of transactions dropped: 1"}));
}

TEST(AwditText, NegativeNumbersAreReplacedBecauseTheyWouldBeRules) {
  EXPECT_EQ(written_as_awdit("0: [w(1,-7)] 1: [r(1,-7)]"), "w 1 1\n=====\nr 1 1\n");
}

RC_GTEST_PROP(AwditText, RegisterHistoriesKeepTheirMeaning, (std::uint64_t seed)) {
  const History history =
      register_history(seed, {.transactions = *rc::gen::inRange(3, 30), .least_value = 1});
  RC_ASSERT(meaning_of(read_as(kAwdit, write_to_string(history, kAwdit))) == meaning_of(history));
}

RC_GTEST_PROP(AwditText, WhatWasWrittenIsReadAndWrittenUnchanged, (std::uint64_t seed)) {
  const History history =
      arbitrary_history(seed, {.transactions = *rc::gen::inRange(0, 20), .kinds = kinds_without_lists()});
  RC_PRE(can_be_written(history, kAwdit));
  const std::string text = write_to_string(history, kAwdit);
  WriteReport report;
  RC_ASSERT(write_to_string(read_as(kAwdit, text), kAwdit, &report) == text);
  RC_ASSERT(report.lossy_steps.empty());
}

}  // namespace
}  // namespace serval
