#include "serval/predicate/evaluate.h"

#include <map>

#include <gtest/gtest.h>

#include "serval/predicate/parse_predicate.h"

namespace serval {
namespace {

using Columns = std::map<std::string, Scalar>;

Scalar decimal(const char* text) { return Scalar(*Decimal::parse(text)); }

std::string truth_of_text(const std::string& text, const Columns& row = {}) {
  ValuePool pool;
  const Condition condition(parse_predicate(text, pool), pool);
  std::vector<Scalar> values;
  for (const std::string& name : condition.columns()) values.push_back(row.at(name));
  return std::string(name_of(evaluate(condition, values)));
}

std::string value_of_text(const std::string& text) {
  ValuePool pool;
  return value_of(Condition(parse_predicate(text, pool), pool), {}).format();
}

TEST(Truth, FollowsSqlAndKeepsUndefined) {
  const std::vector<Truth> all{Truth::False, Truth::Unknown, Truth::True, Truth::Undefined};
  const std::vector<std::string> conjunction{"FFFF", "FUUX", "FUTX", "FXXX"};
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < all.size(); ++b) {
      const Truth expected = all[std::string("FUTX").find(conjunction[a][b])];
      EXPECT_EQ(both(all[a], all[b]), expected) << a << b;
      EXPECT_EQ(either(opposite(all[a]), opposite(all[b])), opposite(expected)) << a << b;
    }
  }
}

TEST(Evaluate, NullIsUnknownInEveryComparison) {
  const Columns row{{"x", Scalar()}};
  for (const char* text : {"x = 1", "x <> x", "NOT x < 3", "x BETWEEN 1 AND 2", "x IN (1, 2)", "3 IN (1, x)",
                           "x LIKE 'a'", "x + 1 > 0", "x", "x || 'a' = 'a'"})
    EXPECT_EQ(truth_of_text(text, row), "unknown") << text;
  EXPECT_EQ(truth_of_text("x IS NULL AND NOT x IS NOT NULL", row), "true");
  EXPECT_EQ(truth_of_text("x = 1 OR TRUE", row), "true");
  EXPECT_EQ(truth_of_text("x = 1 AND FALSE", row), "false");
  EXPECT_EQ(truth_of_text("1 IN (1, x)", row), "true");
  EXPECT_EQ(truth_of_text("0 BETWEEN 1 AND x", row), "false");
}

TEST(Evaluate, IntegersDivideTowardsZeroAndDoNotWrap) {
  EXPECT_EQ(value_of_text("7 / 2"), "3");
  EXPECT_EQ(value_of_text("-7 / 2"), "-3");
  EXPECT_EQ(value_of_text("-7 % 3"), "-1");
  EXPECT_EQ(value_of_text("-9223372036854775808 % -1"), "0");
  for (const char* text :
       {"1 / 0", "1 % 0", "9223372036854775807 + 1", "-9223372036854775808 / -1", "-9223372036854775808 - 1",
        "4294967296 * 4294967296", "-(0 - 9223372036854775807 - 1)"})
    EXPECT_EQ(value_of_text(text), "undefined") << text;
}

TEST(Evaluate, DecimalsAreExactAndDivideAsPostgresDoes) {
  EXPECT_EQ(value_of_text("0.1 + 0.2"), "0.3");
  EXPECT_EQ(value_of_text("1.10 * 3"), "3.30");
  EXPECT_EQ(value_of_text("-7.5 % 2"), "-1.5");
  EXPECT_EQ(value_of_text("1 / 3.0"), "0.33333333333333333333");
  EXPECT_EQ(value_of_text("10000 / 3.0"), "3333.3333333333333333");
  EXPECT_EQ(value_of_text("2 / 3.0"), "0.66666666666666666667");
  EXPECT_EQ(value_of_text("1.5 / 0"), "undefined");
  EXPECT_EQ(truth_of_text("1.5 = 1.50 AND 1 = 1.0 AND 2 > 1.999 AND 18446744073709551616 > 1"), "true");
  EXPECT_EQ(value_of_text("99999999999999999999999999999999999999 + 1"), "undefined");
}

TEST(Evaluate, DecimalsOutOfEachOthersRangeStillCompare) {
  EXPECT_LT(*Decimal::parse("1e-60"), *Decimal::parse("99999999999999999999999999999999999999"));
  EXPECT_GT(*Decimal::parse("-1e-60"), *Decimal::parse("-99999999999999999999999999999999999999"));
  EXPECT_EQ(Decimal::parse("1e39"), std::nullopt);
  EXPECT_EQ(Decimal::parse("12a"), std::nullopt);
  EXPECT_EQ(Decimal::parse("."), std::nullopt);
  EXPECT_EQ(Decimal::parse("2.5e1")->format(), "25");
  EXPECT_EQ(Decimal::parse("-.05")->format(), "-0.05");
}

TEST(Evaluate, KindsDoNotMix) {
  const Columns row{{"n", Scalar(1)}, {"t", Scalar("1")}, {"b", Scalar::boolean(true)}};
  for (const char* text :
       {"n = t", "b = n", "n", "t LIKE n", "n || t = '11'", "t + 1 = 2", "NOT n", "n AND b"})
    EXPECT_EQ(truth_of_text(text, row), "undefined") << text;
  EXPECT_EQ(truth_of_text("n = t AND n = 2", row), "false");
  EXPECT_EQ(truth_of_text("b > FALSE AND b", row), "true");
}

TEST(Evaluate, LikeSupportsCharactersWildcardsAndEscapes) {
  const std::vector<std::pair<std::string, std::string>> matching{
      {"", "%"},          {"abc", "a%c"},   {"abc", "___"}, {"a%c", "a\\%c"}, {"caf\xc3\xa9", "caf_"},
      {"aXbXc", "a%X%c"}, {"a\\", "a\\\\"}, {"aab", "%ab"}, {"a\nb", "a_b"}};
  for (const auto& [text, pattern] : matching)
    EXPECT_EQ(like(Scalar(text), Scalar(pattern)), Truth::True) << text << " " << pattern;
  const std::vector<std::pair<std::string, std::string>> different{
      {"a", ""}, {"abc", "a%b"}, {"abc", "__"}, {"abc", "A%"}, {"abc", "a\\%c"}, {"", "_"}};
  for (const auto& [text, pattern] : different)
    EXPECT_EQ(like(Scalar(text), Scalar(pattern)), Truth::False) << text << " " << pattern;
  EXPECT_EQ(like(Scalar("a"), Scalar("a\\")), Truth::Undefined);
  EXPECT_EQ(like(Scalar("a\\"), Scalar("a\\"), ""), Truth::True);
  EXPECT_EQ(truth_of_text("'50%' LIKE '50!%' ESCAPE '!'"), "true");
  EXPECT_EQ(truth_of_text("'50%' LIKE '50!%' ESCAPE 'no'"), "undefined");
}

TEST(Condition, NamesItsColumnsAndUnknownOperators) {
  ValuePool pool;
  const Condition condition(parse_predicate("t.a > 1 AND b = t.a AND a = 1", pool), pool);
  EXPECT_EQ((std::vector<std::string>(condition.columns().begin(), condition.columns().end())),
            (std::vector<std::string>{"t.a", "b", "a"}));
  EXPECT_EQ(condition.problem(), "");

  Predicate odd;
  odd.node = Predicate::Node::Compare;
  odd.name = "~*";
  odd.children.resize(2);
  const Condition unknown(odd, pool);
  EXPECT_EQ(evaluate(unknown, {}), Truth::Undefined);
  EXPECT_NE(unknown.problem().find("~*"), std::string::npos);
}

TEST(Condition, ListLiteralStandsForItsElements) {
  ValuePool pool;
  Predicate in;
  in.node = Predicate::Node::In;
  in.children.resize(2);
  in.children[0].node = Predicate::Node::Column;
  in.children[0].name = "x";
  in.children[1].node = Predicate::Node::Literal;
  in.children[1].literal = pool.list({Value::integer(1), pool.number("2.50")});
  const Condition condition(in, pool);
  EXPECT_EQ(evaluate(condition, std::vector{decimal("2.5")}), Truth::True);
  EXPECT_EQ(evaluate(condition, std::vector{Scalar(2)}), Truth::False);
}

TEST(Condition, EqualTreesAreEqual) {
  ValuePool pool, other;
  const Condition a(parse_predicate("a > 1 AND b = 'x'", pool), pool);
  EXPECT_EQ(a, Condition(parse_predicate("a > 1 and (b = 'x')", other), other));
  EXPECT_FALSE(a == Condition(parse_predicate("a > 2 AND b = 'x'", other), other));
  EXPECT_FALSE(a == Condition(parse_predicate("a > 1 AND c = 'x'", other), other));
}

}  // namespace
}  // namespace serval
