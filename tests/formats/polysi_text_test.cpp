#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arbitrary_history.h"
#include "register_histories.h"
#include "serval/formats/text/text_formats.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

constexpr Format kPolysi = Format::PolysiText;

std::string notation_of_polysi(const std::string& text) { return print_history(read_as(kPolysi, text)); }
std::string polysi_error(const std::string& text) { return error_in(kPolysi, text); }

TEST(PolysiText, LinesBecomeTransactionsOfSessions) {
  EXPECT_EQ(notation_of_polysi("r(1,0,7,1)\nw(1,5,7,1)\nr(1,5,8,2)\n"), "7: [r(1,0) w(1,5)]\n8: [r(1,5)]\n");
}

TEST(PolysiText, SameIdInTwoSessionsIsTwoTransactions) {
  EXPECT_EQ(notation_of_polysi("w(1,1,1,1)\nw(2,1,2,1)\n"), "1: [w(1,1)]\n2: [w(2,1)]\n");
}

TEST(PolysiText, InterleavedTransactionsAreSeparated) {
  EXPECT_EQ(notation_of_polysi("w(1,1,1,1)\nw(2,2,2,2)\nw(3,3,1,1)\nw(4,4,2,2)\n"),
            "1: [w(1,1) w(3,3)]\n2: [w(2,2) w(4,4)]\n");
}

TEST(PolysiText, TransactionsOfOneSessionMayInterleave) {
  EXPECT_EQ(notation_of_polysi("w(1,1,1,5)\nw(2,2,1,3)\nw(3,3,1,5)\nw(4,4,1,9)\nw(5,5,1,3)\n"),
            "1: [w(1,1) w(3,3)] [w(2,2) w(5,5)] [w(4,4)]\n");
}

TEST(PolysiText, SessionsAreOrderedByFirstAppearance) {
  EXPECT_EQ(notation_of_polysi("w(1,1,1,9)\nw(1,2,0,4)\nw(1,3,1,2)\n"),
            "1: [w(1,1)] [w(1,3)]\n0: [w(1,2)]\n");
}

TEST(PolysiText, ZeroIsTheInitialValue) {
  EXPECT_EQ(read_as(kPolysi, "r(1,0,1,1)\n").initial_value(), Value::integer(0));
}

TEST(PolysiText, MinusOneRunsAreAbortedTransactions) {
  EXPECT_EQ(notation_of_polysi("w(1,1,1,-1)\nw(2,1,1,-1)\nw(1,2,1,3)\nw(1,3,1,-1)\nw(1,4,2,-1)\n"),
            "1: [w(1,1) w(2,1)]! [w(1,2)] [w(1,3)]!\n2: [w(1,4)]!\n");
}

TEST(PolysiText, ATransactionContinuesAfterAnAbortedRun) {
  EXPECT_EQ(notation_of_polysi("w(1,1,1,3)\nw(2,1,1,-1)\nw(3,1,1,3)\n"), "1: [w(1,1) w(3,1)] [w(2,1)]!\n");
}

TEST(PolysiText, NegativeAndHugeIntegersKeepTheirValue) {
  EXPECT_EQ(notation_of_polysi("w(-5,-6,-7,-8)\n"), "-7: [w(-5,-6)]\n");
  EXPECT_EQ(notation_of_polysi("w(1,1152921504606846975,1,1)\n"), "1: [w(1,1152921504606846975)]\n");
  EXPECT_EQ(notation_of_polysi("w(1,1152921504606846976,1,1)\n"), "1: [w(1,1152921504606846976)]\n");
  EXPECT_EQ(notation_of_polysi(
                "w(99999999999999999999,-99999999999999999999,88888888888888888888,77777777777777777777)\n"
                "r(99999999999999999999,-99999999999999999999,88888888888888888888,77777777777777777777)\n"),
            "88888888888888888888: [w(99999999999999999999,-99999999999999999999) "
            "r(99999999999999999999,-99999999999999999999)]\n");
}

TEST(PolysiText, NumbersOfEveryLengthAreReadAlikeFastAndSlow) {
  std::string digits;
  for (int length = 1; length <= 22; ++length) {
    digits += static_cast<char>('0' + length % 10);
    const std::string line = "w(" + digits + "," + digits + ",1,1)\n";
    const std::string fast =
        notation_of_polysi(line + std::string(200, '\n'));  // Far from the end of the block.
    EXPECT_EQ(fast, "1: [w(" + digits + "," + digits + ")]\n");
    EXPECT_EQ(notation_of_polysi(line), fast);
    EXPECT_EQ(notation_of_polysi(line.substr(0, line.size() - 1) + "\r\n" + std::string(200, '\n')), fast);
  }
}

TEST(PolysiText, BlankLinesCommentsCarriageReturnsAndSpacesAreAccepted) {
  const std::string plain = notation_of_polysi("w(1,2,3,4)\nr(1,2,3,5)\n");
  EXPECT_EQ(notation_of_polysi("w(1,2,3,4)\r\nr(1,2,3,5)\r\n"), plain);
  EXPECT_EQ(notation_of_polysi("\xEF\xBB\xBFw(1,2,3,4)\nr(1,2,3,5)"), plain);
  EXPECT_EQ(notation_of_polysi("\n  \n# note\n// note\n\tw ( 1 , 2 ,3, 4 ) \n\nr(1,2,3,5)\n\n"), plain);
  EXPECT_EQ(notation_of_polysi("w(+1,0002,3,4)\nr(1,2,3,5)\n"), plain);
}

TEST(PolysiText, ErrorsPointAtTheExactPlace) {
  EXPECT_EQ(polysi_error("x(1,2,3,4)\n"),
            "1:1: expected an operation, r(key,value,session,txn) or w(key,value,session,txn), but got 'x'");
  EXPECT_EQ(polysi_error("w(1,2,3,4)\nw(1,2,3\n"),
            "2:8: expected ',' after the session, but got the end of the line");
  EXPECT_EQ(polysi_error("w(1,2,3,4)\nw(1,x,3,4)\n"), "2:5: expected the value, an integer, but got 'x'");
  EXPECT_EQ(polysi_error("w(1,2,3,4,5)\n"), "1:10: expected ')' after the transaction, but got ','");
  EXPECT_EQ(polysi_error("w(1,2,3,4) w(1,2,3,4)\n"),
            "1:12: expected the end of the line after ')', but got 'w'");
  EXPECT_EQ(polysi_error("w[1,2,3,4]\n"), "1:2: expected '(' after the operation, but got '['");
  EXPECT_EQ(polysi_error("w(1.5,2,3,4)\n"), "1:4: expected ',' after the key, but got '.'");
  EXPECT_EQ(polysi_error("w(1,2,3,-)\n"), "1:10: expected the transaction, an integer, but got ')'");
  EXPECT_EQ(polysi_error("w(1,2,3,4)\r\r\n"),
            "1:11: expected the end of the line after ')', but got byte 0x0d");
}

TEST(PolysiText, LineNumbersCountAcrossChunksBlanksAndComments) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += i % 3 == 0 ? "w(1,2,3,4)\n" : i % 3 == 1 ? "\n" : "# c\n";
  EXPECT_EQ(polysi_error(text + "w(1,2,3,)\n").substr(0, 8), "60001:9:");
}

TEST(PolysiText, OneLineOfAHundredMegabytesIsRefusedQuicklyAndShownShortened) {
  std::string text = "w(1,2,3,4)";
  text.resize(100 << 20, 'z');
  try {
    read_as(kPolysi, std::move(text));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().column, 11u);
    EXPECT_LT(error.source_line().size(), 200u);
    EXPECT_EQ(error.source_line()[error.caret() - 1], 'z');
    EXPECT_EQ(error.source_line().substr(0, 10), "w(1,2,3,4)");
  }
}

TEST(PolysiText, ALongLineIsShownAroundTheError) {
  const std::string text = std::string(5000, ' ') + "w(1,2,3,!" + std::string(5000, ' ') + "\n";
  try {
    read_as(kPolysi, text);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().column, 5009u);
    EXPECT_EQ(error.source_line().at(error.caret() - 1), '!');
    EXPECT_TRUE(error.source_line().starts_with("...")) << error.source_line();
    EXPECT_TRUE(error.source_line().ends_with("...")) << error.source_line();
  }
}

TEST(PolysiText, ATruncatedLastLineIsDroppedOnlyOnRequest) {
  const std::string cut = "w(1,2,3,4)\nw(1,3,3,5";
  EXPECT_EQ(polysi_error(cut).substr(0, 4), "2:10");
  std::vector<std::string> notices;
  ReadOptions options;
  options.accept_truncated = true;
  options.on_notice = [&](const std::string& notice) { notices.push_back(notice); };
  EXPECT_EQ(print_history(read_as(kPolysi, cut, options)), "3: [w(1,2)]\n");
  EXPECT_EQ(notices.size(), 1u);
  EXPECT_EQ(print_history(read_as(kPolysi, "w(1,2,3,4)\nw(1,3,3,5)", options)), "3: [w(1,2)] [w(1,3)]\n");
}

TEST(PolysiText, TheReaderObeysItsBudgetAndReportsProgress) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "w(1,2,3,4)\n";
  Budget spent = Budget::until(Budget::Clock::time_point::min());
  ReadOptions options;
  options.budget = &spent;
  EXPECT_THROW(read_as(kPolysi, text, options), BudgetExhausted);
  options.budget = nullptr;
  std::uint64_t done = 0;
  options.on_progress = [&](std::uint64_t so_far, std::uint64_t) { done = so_far; };
  read_as(kPolysi, text, options);
  EXPECT_EQ(done, text.size());
}

std::string written_as_polysi(const char* notation) {
  return write_to_string(parse_history(notation), kPolysi);
}

TEST(PolysiText, AFirstTransactionThatWritesZerosLoadsTheKeys) {
  EXPECT_EQ(read_as(kPolysi, "w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\nw(1,1,1,1)\n").initial_value(),
            Value::nil());
  const Value zero = Value::integer(0);
  EXPECT_EQ(read_as(kPolysi, "w(1,0,0,0)\nr(2,0,1,1)\n").initial_value(), zero);
  EXPECT_EQ(read_as(kPolysi, "w(1,0,0,0)\nw(2,1,0,0)\nr(1,0,1,1)\n").initial_value(), zero);
  EXPECT_EQ(read_as(kPolysi, "r(1,0,0,0)\nw(1,0,1,1)\n").initial_value(), zero);
}

TEST(PolysiText, TheWriterKeepsZeroIfItMeansTheSameInBoth) {
  EXPECT_EQ(written_as_polysi("1: [r(1,0)]"), "r(1,0,1,1)\n");
  EXPECT_EQ(written_as_polysi("1: [r(1,_)]"), "r(1,0,1,1)\n");
  EXPECT_EQ(written_as_polysi("1: [w(1,0)] 2: [r(1,0)]"), "w(1,0,1,1)\nr(1,0,2,2)\n");
  EXPECT_EQ(written_as_polysi("1: [w(1,0) w(1,1)] 2: [r(1,_)] 3: [r(1,0)]"),
            "w(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nr(1,0,3,3)\n");
}

TEST(PolysiText, ThinAirReadOfZeroStaysThinAir) {
  const History awdit = read_as(Format::AwditText, "r 1 0\n");
  EXPECT_EQ(write_to_string(awdit, kPolysi), "r(1,1,0,0)\n");
}

TEST(PolysiText, TheWriterNumbersNonNumbersAndReportsIt) {
  EXPECT_EQ(written_as_polysi("a: [w(x,red) r(5,1)]"), "w(0,2,0,1)\nr(5,1,0,1)\n");
  EXPECT_EQ(losses_of(parse_history("a: [w(x,red) r(5,1)]"), kPolysi),
            (std::vector<std::string>{"keys replaced by numbers: 1", "sessions renumbered: 1",
                                      "values replaced by numbers: 1"}));
}

TEST(PolysiText, TheWriterReportsOmissions) {
  const History history =
      parse_history("1: [r(1,0) w(1,1)]! [w(1,2)]! [d(1)] [cas(1,1,2) i(3,1)] [r(1,?) w(4,9)]@3..4");
  EXPECT_EQ(
      losses_of(history, kPolysi),
      (std::vector<std::string>{"aborted transactions merged with the one before: 1",
                                "conditional operations split into a read and a write: 2",
                                "deletes left out: 1", "reads of aborted transactions left out: 1",
                                "reads without an answer left out: 1", "times of transactions dropped: 1",
                                "transactions without a plain read or write left out: 1"}));
  EXPECT_EQ(write_to_string(history, kPolysi),
            "w(1,1,1,-1)\nw(1,2,1,-1)\nr(1,1,1,4)\nw(1,2,1,4)\nr(3,0,1,4)\nw(3,1,1,4)\nw(4,9,1,5)\n");
}

TEST(PolysiText, ListsAreRefused) {
  try {
    written_as_polysi("1: [a(2,1) l(2,[1]) w(1,1)]");
    FAIL() << "no error";
  } catch (const OutputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("2 appends and list reads cannot be expressed"))
        << error.what();
  }
}

TEST(PolysiText, AnIndeterminateTransactionIsWrittenOnlyIfItsWriteWasRead) {
  const char* const notation = "1: [w(1,1)]? [w(2,1) r(3,1)]? [w(3,1)]? 2: [r(2,1)]";
  EXPECT_EQ(written_as_polysi(notation), "w(2,1,1,2)\nr(3,1,1,2)\nw(3,1,1,3)\nr(2,1,2,4)\n");
  EXPECT_EQ(losses_of(parse_history(notation), kPolysi),
            (std::vector<std::string>{
                "indeterminate transactions left out, since no write of theirs was read: 1",
                "indeterminate transactions written as committed, since a write of theirs was read: 2"}));
}

TEST(PolysiText, IdsReusedAcrossSessionsAreRenumberedForOtherTools) {
  EXPECT_EQ(write_to_string(read_as(kPolysi, "w(1,1,1,7)\nw(2,1,2,7)\n"), kPolysi),
            "w(1,1,1,0)\nw(2,1,2,1)\n");
}

// A first transaction that writes only 0 is read as the initial versions, which the writer reports.
std::vector<std::string> loss_of_load(const History& history) {
  if (history.transaction_count() == 0 || history.initial_value().is_nil()) return {};
  for (const OperationId op : history.operations(TransactionId{0}))
    if (history.kind(op) != OperationKind::Write || history.value(op) != Value::integer(0)) return {};
  return {"first transactions that write only 0 and will be read as the initial versions: 1"};
}

RC_GTEST_PROP(PolysiText, RegisterHistoriesKeepTheirMeaning, (std::uint64_t seed)) {
  const History history = register_history(
      seed, {.transactions = *rc::gen::inRange(3, 30), .aborted = RegisterShape::Aborted::Some});
  WriteReport report;
  const History back = read_as(kPolysi, write_to_string(history, kPolysi, &report));
  RC_ASSERT(meaning_of(back) == meaning_of(history));
  RC_ASSERT(report.lossy_steps == loss_of_load(history));
}

RC_GTEST_PROP(PolysiText, WhatWasWrittenOnceIsStable, (std::uint64_t seed)) {
  const History history =
      arbitrary_history(seed, {.transactions = *rc::gen::inRange(0, 20), .kinds = kinds_without_lists()});
  RC_PRE(can_be_written(history, kPolysi));
  const History once = read_as(kPolysi, write_to_string(history, kPolysi));
  WriteReport report;
  const History twice = read_as(kPolysi, write_to_string(once, kPolysi, &report));
  RC_ASSERT(meaning_of(twice) == meaning_of(once));
  RC_ASSERT(report.lossy_steps == loss_of_load(once));
}

}  // namespace
}  // namespace serval
