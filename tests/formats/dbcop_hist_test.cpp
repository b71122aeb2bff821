#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arbitrary_history.h"
#include "register_histories.h"
#include "serval/formats/dbcop/dbcop.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

constexpr Format kHist = Format::DbcopHist;

std::string notation_of_hist(const std::string& text) { return print_history(read_as(kHist, text)); }
std::string written_as_hist(const char* notation) { return write_to_string(parse_history(notation), kHist); }

TEST(DbcopHist, BracketsAreTransactionsAndDashesSeparateSessions) {
  EXPECT_EQ(notation_of_hist("// first\n[x:=1 y:=1] [z==2 z:=3]\n[y:=3]!\n---\n[a==? x==1]  // second\n"),
            "0: [w(x,1) w(y,1)] [r(z,2) w(z,3)] [w(y,3)]!\n1: [r(a,_) r(x,1)]\n");
}

TEST(DbcopHist, EmptySessionsCount) {
  EXPECT_EQ(notation_of_hist("[x:=1]\n---\n-\n[x==1]"), "0: [w(x,1)]\n1:\n2: [r(x,1)]\n");
}

TEST(DbcopHist, VersionZeroIsTheInitialOne) {
  EXPECT_EQ(read_as(kHist, "[x==0]\n").initial_value(), Value::integer(0));
}

TEST(DbcopHist, NumbersAreKeysAndLeadingZerosMakeAName) {
  EXPECT_EQ(notation_of_hist("[7:=1 007:=2 _a1==3]\r\n"), "0: [w(7,1) w(\"007\",2) r(_a1,3)]\n");
}

TEST(DbcopHist, ErrorsPointAtTheExactPlace) {
  EXPECT_EQ(error_in(kHist, "[x:=1]\nx:=1\n"),
            "2:1: expected '[', a line of dashes or a comment, but got 'x'");
  EXPECT_EQ(error_in(kHist, "[x:=]\n"), "1:5: expected the version, an integer, but got ']'");
  EXPECT_EQ(error_in(kHist, "[x=1]\n"), "1:3: expected ':=' or '==' after the variable, but got '='");
  EXPECT_EQ(error_in(kHist, "[x:=1\n"),
            "1:6: expected a space or ']' after the version, but got the end of the line");
  EXPECT_EQ(error_in(kHist, "[x:=1 \n"), "1:7: expected a variable or ']', but got the end of the line");
  EXPECT_EQ(error_in(kHist, "--- x\n"), "1:5: expected the end of the line after the separator, but got 'x'");
}

TEST(DbcopHist, WriterHandlesNamesNumbersAndInitialReads) {
  EXPECT_EQ(written_as_hist("0: [w(x,1) r(y,0) r(5,_)]! 1: [r(\"a b\",3)]"),
            "[x:=1 y==? 5==?]!\n---\n[k1==3]\n");
  EXPECT_EQ(written_as_hist("0: [w(\"5\",1) w(5,1) w(k1,2)]"), "[k2:=1 5:=1 k1:=2]\n");
}

TEST(DbcopHist, ThinAirReadOfZeroStaysThinAir) {
  EXPECT_EQ(write_to_string(read_as(Format::AwditText, "r 1 0\n"), kHist), "[1==1]\n");
}

RC_GTEST_PROP(DbcopHist, RegisterHistoriesKeepTheirMeaning, (std::uint64_t seed)) {
  const History history = register_history(
      seed, {.transactions = *rc::gen::inRange(3, 30), .aborted = RegisterShape::Aborted::Some});
  RC_ASSERT(meaning_of(read_as(kHist, write_to_string(history, kHist))) == meaning_of(history));
}

RC_GTEST_PROP(DbcopHist, WhatWasWrittenIsReadAndWrittenUnchanged, (std::uint64_t seed)) {
  const History history =
      arbitrary_history(seed, {.transactions = *rc::gen::inRange(0, 20), .kinds = kinds_without_lists()});
  RC_PRE(can_be_written(history, kHist));
  const std::string text = write_to_string(history, kHist);
  WriteReport report;
  RC_ASSERT(write_to_string(read_as(kHist, text), kHist, &report) == text);
  RC_ASSERT(report.lossy_steps.empty());
}

}  // namespace
}  // namespace serval
