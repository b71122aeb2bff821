#include "serval/predicate/row_columns.h"

#include <gtest/gtest.h>

#include "serval/history/history_builder.h"
#include "serval/predicate/parse_predicate.h"

namespace serval {
namespace {

std::string columns_of(const std::vector<std::string>& names, Value key, Value value, const ValuePool& pool) {
  std::vector<Scalar> out;
  read_columns(names, key, value, pool, out);
  std::string spelled;
  for (const Scalar& scalar : out) spelled += (spelled.empty() ? "" : " ") + scalar.format();
  return spelled;
}

TEST(RowColumns, AreTheMembersOfARow) {
  ValuePool pool;
  const Value row = pool.row(
      R"({"a":-1.50,"b":"it\"s é😀","c":null,"d":[1,{"a":"}"}],"e":true,"f":18446744073709551616,"g":7})");
  EXPECT_EQ(columns_of({"a", "b", "c", "e", "f", "g"}, Value::integer(1), row, pool),
            "-1.50 'it\"s \xc3\xa9\xf0\x9f\x98\x80' NULL TRUE 18446744073709551616 7");
  EXPECT_EQ(columns_of({"d", "missing", "value", "key", "k", "t.g"}, Value::integer(1), row, pool),
            "undefined undefined undefined 1 1 7");
  EXPECT_EQ(columns_of({"k"}, Value::integer(1), pool.row(R"({"k":9})"), pool), "9");
}

TEST(RowColumns, OfAnyOtherValueAreKeyAndValue) {
  ValuePool pool;
  EXPECT_EQ(columns_of({"value", "key", "a"}, pool.text("x"), Value::integer(7), pool), "7 'x' undefined");
  EXPECT_EQ(columns_of({"pieces.k", "other.k", "k"}, pool.text("pieces/5"), Value::integer(7), pool),
            "5 'pieces/5' 'pieces/5'");
}

TEST(RowColumns, MalformedRowsHaveNoColumns) {
  ValuePool pool;
  for (const char* text : {"", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":[1", "{\"a\\", "{\"a\\u12\":1}",
                           "{\"a\\ud800\":1}", "{\"a\\ud800\\u0041\":1}", "not json"})
    EXPECT_EQ(columns_of({"b"}, Value::nil(), pool.row(text), pool), "undefined") << text;
}

TEST(Table, IsTheQualifierOfColumns) {
  HistoryBuilder builder;
  const KeyId plain = builder.key(Value::integer(5));
  const KeyId piece = builder.key(builder.values().text("pieces/5"));
  const KeyId other = builder.key(builder.values().text("others/5"));
  const History unnamed = std::move(builder).freeze();
  const auto table = [](const std::string& text) {
    ValuePool pool;
    return Table(Condition(parse_predicate(text, pool), pool));
  };
  const Table all = table("a = 1"), pieces = table("pieces.a = 1 AND b = 2");
  for (const KeyId key : {plain, piece, other}) EXPECT_EQ(all.has(unnamed, key), Truth::True);
  EXPECT_EQ(pieces.has(unnamed, piece), Truth::True);
  EXPECT_EQ(pieces.has(unnamed, other), Truth::False);
  EXPECT_EQ(pieces.has(unnamed, plain), Truth::Undefined);
  EXPECT_FALSE(pieces.is_join());
  EXPECT_TRUE(table("t.a = u.a").is_join());

  HistoryBuilder again;
  const KeyId first = again.key(Value::integer(5));
  again.set_fact("table", "pieces");
  const History named = std::move(again).freeze();
  EXPECT_EQ(pieces.has(named, first), Truth::True);
  EXPECT_EQ(table("others.a = 1").has(named, first), Truth::False);
}

}  // namespace
}  // namespace serval
