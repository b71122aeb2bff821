#include "serval/history/notation.h"

#include <gtest/gtest.h>

#include "serval/base/error.h"

namespace serval {
namespace {

std::string round_trip(const std::string& text) { return print_history(parse_history(text)); }

TEST(Notation, PrintsWhatItParsed) {
  const std::string text =
      "s1: [w(x,1) r(y,0)] [r(x,_)]?@..9\n"
      "s2: [w(y,1) r(x,?)]!@-5..7 []\n"
      "3: [a(x,1) l(x,[1 2 [3]]) cas(k,1,2) cas(k,1,3)! i(\"a b\",{\"a\":1}) i(k,4)! d(k)]\n";
  EXPECT_EQ(round_trip(text), text);
}

TEST(Notation, EscapesControlCharactersAndReadsThemBack) {
  const std::string text = R"("s\"\\": [w("\u001b[2J\n\r\t\u202e","\xff \xe2")])"
                           "\n";
  EXPECT_EQ(round_trip(text), text);
  const History history = parse_history(text);
  EXPECT_EQ(history.values().characters(history.key_value(KeyId{0})), "\x1b[2J\n\r\t\xE2\x80\xAE");
}

TEST(Notation, RefusesEscapesThatAreNotText) {
  for (const char* text : {R"(s: [w("\ud800",1)])", R"(s: [w("\u12",1)])", R"(s: [w("\xg0",1)])"})
    EXPECT_THROW(parse_history(text), InputError) << text;
}

TEST(Notation, KeepsInterleavedSessionsInOrder) {
  EXPECT_EQ(round_trip("a: [w(x,1)] b: [w(x,2)] a: [w(x,3)]"), "a: [w(x,1)] [w(x,3)]\nb: [w(x,2)]\n");
}

TEST(Notation, IgnoresCommentsAndCommas) {
  EXPECT_EQ(round_trip("# a comment\ns1: [w(x,1), r(y,0)] # another"), "s1: [w(x,1) r(y,0)]\n");
}

TEST(Notation, AnErrorNamesLineColumnAndLine) {
  try {
    parse_history("s1: [w(x,1)]\ns2: [q(x,1)]", "example");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "example:2:6: expected an operation: r w a l i d cas");
    EXPECT_EQ(error.source_line(), "s2: [q(x,1)]");
  }
}

TEST(Notation, RefusesTruncatedText) {
  for (const char* text : {"s1", "s1: [", "s1: [w", "s1: [w(x", "s1: [w(x,", "s1: [w(x,[1", "s1: [w(x,{",
                           "s1: [w(x,\"a", "s1: [w(x,1)]@5"})
    EXPECT_THROW(parse_history(text), InputError) << text;
}

TEST(Notation, AnUnknownEndMayPrecedeASessionNamedByANumber) {
  const char* text = "0: [r(x,0)]?@35..\n2: [r(x,0)]@..7\n?: [w(x,1)]\n";
  EXPECT_EQ(print_history(parse_history(text)), text);
}

TEST(Notation, ListsNestAThousandDeepAndNotDeeper) {
  const auto nested = [](std::size_t depth) {
    return "s: [w(x," + std::string(depth, '[') + std::string(depth, ']') + ")]";
  };
  EXPECT_EQ(parse_history(nested(1000)).operation_count(), 1u);
  try {
    parse_history(nested(100'000));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().column, 1009u) << error.what();
  }
}

}  // namespace
}  // namespace serval
