#include <gtest/gtest.h>

#include "predicate/random_predicate.h"
#include "sample.h"
#include "serval/base/error.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/predicate/parse_sql.h"
#include "serval/predicate/print_predicate.h"
#include "skip_without.h"

namespace serval {
namespace {

using Parse = Predicate (*)(std::string_view, ValuePool&, const std::string&);

std::string reprinted(Parse parse, const std::string& text) {
  ValuePool pool;
  try {
    return print_predicate(parse(text, pool, "where"), pool);
  } catch (const InputError& error) {
    return error.what();
  }
}
std::string native(const std::string& text) { return reprinted(parse_predicate, text); }
std::string sql(const std::string& text) { return reprinted(parse_sql, text); }

TEST(ParsePredicate, BindsAsPostgresDoes) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a or b and not c", "a OR b AND NOT c"},
      {"(a or b) and c", "(a OR b) AND c"},
      {"not a = b is null", "NOT (a = b) IS NULL"},
      {"(a is null) = b", "(a IS NULL) = b"},
      {"a = b between 1 and 2", "a = (b BETWEEN 1 AND 2)"},
      {"a - (b - c) - d * -2 % e", "a - (b - c) - d * -2 % e"},
      {"a || b + c like 'x' || d", "a || (b + c) LIKE 'x' || d"},
      {"a NOT between 1 and 2 and b not in (1,2)", "NOT a BETWEEN 1 AND 2 AND NOT b IN (1, 2)"},
      {"a NOT LIKE 'it''s' ESCAPE '!' and b is not NULL", "NOT a LIKE 'it''s' ESCAPE '!' AND NOT b IS NULL"},
      {"T.\"Odd Name\" <> .5 and \"order\" = 1e3", "t.\"Odd Name\" <> .5 AND \"order\" = 1e3"},
      {"-a < +5 -- and so on", "-a < 5"},
      {"-(-9223372036854775808) > - - 3", "9223372036854775808 > 3"},
      {"a - + +7 < - + + 5", "a - 7 < -5"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(native(text), expected);
    EXPECT_EQ(sql(text), expected);
  }
}

TEST(ParsePredicate, ReportsTheColumnOfAnError) {
  EXPECT_EQ(native("a = "),
            "where:1:5: expected a column, a number, 'text', NULL, TRUE, FALSE or '(', but got the end");
  EXPECT_EQ(native("a = 1\n  and b >"),
            "where:2:10: expected a column, a number, 'text', NULL, TRUE, FALSE or '(', but got the end");
  EXPECT_EQ(native("a = 'x"), "where:1:5: the quote is never closed");
  EXPECT_EQ(native("a = 1 b"), "where:1:7: expected the end of the predicate, but got 'b'");
  EXPECT_EQ(native("a between 1"), "where:1:12: expected AND, but got the end");
  EXPECT_EQ(native("a ~ 1"), "where:1:3: unexpected character '~'");
  EXPECT_EQ(native("lower(a) = 'x'"), "where:1:6: predicates do not support functions");
  EXPECT_EQ(native("a = 12x"), "where:1:7: expected the end of the number");
  EXPECT_EQ(native("a not 1"), "where:1:7: expected BETWEEN, IN or LIKE after NOT, but got '1'");
  EXPECT_NE(native(std::string(5000, '(')).find("nested too deeply"), std::string::npos);
}

TEST(ParseSql, UsesTheClauseOfAStatement) {
  if (!reads_sql_statements()) SKIP_WITHOUT("libpg_query", "built without libpg_query");
  EXPECT_EQ(sql("SELECT k, tag FROM pieces WHERE place BETWEEN 3 AND 5 FOR UPDATE"), "place BETWEEN 3 AND 5");
  EXPECT_EQ(sql("update t set a = a + 1, b = 'x' where a = -5"), "SET a = a + 1, b = 'x' WHERE a = -5");
  EXPECT_EQ(sql("select max(a) from t where a < 5"), "MAX(a) WHERE a < 5");
  EXPECT_EQ(sql("select count(*) from t"), "COUNT(*)");
  EXPECT_EQ(sql("delete from t"), "TRUE");
  EXPECT_EQ(sql("a <> -9223372036854775808"), "a <> -9223372036854775808");
}

TEST(ParseQuery, SupportsAggregatesAndAssignments) {
  const Parse parse = [](std::string_view text, ValuePool& pool, const std::string& name) {
    return parse_query(text, pool, name);
  };
  const auto query = [&](const std::string& text) { return reprinted(parse, text); };
  for (const char* text : {"SET a = a + 1, t.b = 'x' WHERE a = -5", "SET a = NULL", "MAX(a + 1) WHERE a < 5",
                           "COUNT(*)", "SUM(a) WHERE b IS NULL OR c", "a = 1 AND max > 3", "min"})
    EXPECT_EQ(query(text), text);
  EXPECT_EQ(query("max(*)"),
            "where:1:5: expected a column, a number, 'text', NULL, TRUE, FALSE or '(', but got '*'");
  EXPECT_EQ(query("set a where b"), "where:1:7: expected '=', but got 'where'");
  EXPECT_EQ(query("avg(a)"), "where:1:4: predicates do not support functions");
}

TEST(ParseSql, NamesWhatPredicatesDoNotSupport) {
  if (!reads_sql_statements()) SKIP_WITHOUT("libpg_query", "built without libpg_query");
  EXPECT_EQ(sql("a = "), "where:1:5: syntax error at end of input");
  EXPECT_EQ(sql("'\xc3\xa9' = )"), "where:1:8: syntax error at or near \")\"");
  EXPECT_EQ(sql("a = 1 and\nlower(b) = 'x'"), "where:2:1: predicates do not support functions");
  EXPECT_EQ(sql("a = 1::text"), "where:1:6: predicates do not support casts");
  EXPECT_EQ(sql("a ilike 'x'"), "where:1:3: predicates do not support this operator");
  EXPECT_EQ(sql("a in (select 1)"), "where:1:3: predicates do not support subqueries");
  EXPECT_EQ(sql("a = 1 group by b"), "where:1:1: predicates do not support GROUP BY or HAVING");
  EXPECT_EQ(sql("a = 1; b"), "where:1:8: syntax error at or near \"b\"");
  EXPECT_EQ(sql("select 1; select 2"), "where:1:1: expected one statement");
  EXPECT_EQ(sql("select max(a), b from t"),
            "where:1:8: predicates do not support aggregates next to other columns");
  EXPECT_EQ(sql("select count(distinct a) from t"),
            "where:1:8: predicates do not support DISTINCT, FILTER, OVER or ORDER BY in aggregates");
  EXPECT_EQ(sql("a = $1"), "where:1:5: predicates do not support parameters: write the value");
  EXPECT_EQ(sql("insert into t values (1)"),
            "where:1:1: expected a WHERE clause, or SELECT, UPDATE or DELETE");
}

TEST(ParseSql, MeansTheSameAsTheNativeParser) {
  for (const std::uint64_t seed : fresh_seeds(sample_of(3000))) {
    ValuePool pool;
    PredicateDraw draw(seed, pool, {.numbers = DrawOptions::Numbers::Everything});
    const std::string text = print_predicate(draw.with_literals(draw.condition()), pool);
    const Condition ours(parse_predicate(text, pool), pool), theirs(parse_sql(text, pool), pool);
    for (int i = 0; i < 4; ++i) {
      std::vector<Scalar> row, their_row;
      const std::vector<TypedColumn> drawn = draw.row();
      const auto value = [&](const std::string& name) {
        for (const TypedColumn& column : drawn)
          if (column.name == name) return Scalar::of(column.value, pool);
        return Scalar::undefined();
      };
      for (const std::string& name : ours.columns()) row.push_back(value(name));
      for (const std::string& name : theirs.columns()) their_row.push_back(value(name));
      ASSERT_EQ(evaluate(ours, row), evaluate(theirs, their_row)) << text;
    }
  }
}

// A chain is as deep as it is long, although nothing is nested.
TEST(ParsePredicate, RefusesDeepNesting) {
  const auto times = [](int count, std::string_view text) {
    std::string out;
    for (int i = 0; i < count; ++i) out += text;
    return out;
  };
  ValuePool pool;
  const auto error_of = [&](const std::string& text) -> std::string {
    try {
      const Condition condition(parse_query(text, pool), pool);
      evaluate(condition, std::vector<Scalar>(condition.columns().size()));
      return "no error";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(error_of("1" + times(990, " + 1") + " = 1"), "no error");
  EXPECT_EQ(error_of(times(5000, "a = 1 OR ") + "a = 2"), "no error");
  const std::string deep = "nested too deeply (limit 1000)";
  for (const std::string& text :
       {"1" + times(100'000, " + 1") + " = 1", "'a'" + times(100'000, " || 'b'") + " = 'a'",
        "a" + times(100'000, " IS NULL"), times(100'000, "NOT ") + "a", times(100'000, "(") + "a",
        times(100'000, "- ") + "a", "SET a = a" + times(100'000, " + 1"),
        "MAX(a" + times(100'000, " * 1") + ")", times(100, "(") + "1" + times(100, times(50, " + 1") + ")")})
    EXPECT_NE(error_of(text).find(deep), std::string::npos) << error_of(text).substr(0, 200);
  EXPECT_EQ(error_of("1" + times(1001, " + 1")),
            "predicate:1:4003: the predicate is nested too deeply (limit 1000)");
}

TEST(ParseSql, RefusesDeepNesting) {
  if (!reads_sql_statements()) SKIP_WITHOUT("libpg_query", "built without libpg_query");
  ValuePool pool;
  for (const std::string_view link : {" + 1", " IS NULL", " || 'a'"}) {
    std::string text = "SELECT * FROM t WHERE a";
    for (int i = 0; i < 100'000; ++i) text += link;
    EXPECT_THROW(parse_sql(text, pool), InputError) << link;
  }
}

}  // namespace
}  // namespace serval
